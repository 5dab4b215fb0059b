import { Context, type Effect, type Option, type Redacted } from "effect"
import type { JsonWebKeySet } from "../../../schemas/accounts/sessions/Session.ts"
import type { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"

/** Seconds until an access token expires. */
export const ACCESS_TOKEN_SECONDS = 15 * 60

/** The claims of an access token: `sub`, `sid` and `amr`. */
export interface AccessClaims {
  readonly ownerId: OwnerId
  readonly sessionId: SessionId
  readonly method: "nano" | "email"
}

/** Signs and verifies access tokens: JWTs with EdDSA, issued by the base URL, valid for 15 minutes. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    readonly sign: (claims: AccessClaims) => Effect.Effect<string>
    /** Returns the claims of a token with a valid signature, issuer and time. Its session may have ended. */
    readonly verify: (token: Redacted.Redacted) => Effect.Effect<Option.Option<AccessClaims>>
    /** The public keys that verify tokens which have not expired. */
    readonly keySet: JsonWebKeySet
  }
>()("pennypress/platform/ports/AccessTokens") {}
