import { Context, type Effect, type Option, type Redacted } from "effect"
import type { JsonWebKeySet } from "../../../schemas/accounts/sessions/Session.ts"
import type { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"

/** Seconds that an access token is valid for. */
export const ACCESS_TOKEN_SECONDS = 15 * 60

/** What an access token says: `sub`, `sid` and `amr`. */
export interface AccessClaims {
  readonly ownerId: OwnerId
  readonly sessionId: SessionId
  readonly method: "nano" | "email"
}

/** Signs and checks access tokens: JWTs with EdDSA, issued by the base URL, valid 15 minutes. */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    readonly sign: (claims: AccessClaims) => Effect.Effect<string>
    /** What a token says, when its signature, issuer and time are good. Says nothing of its session. */
    readonly verify: (token: Redacted.Redacted) => Effect.Effect<Option.Option<AccessClaims>>
    /** The public keys that tokens in circulation are checked with. */
    readonly keySet: JsonWebKeySet
  }
>()("pennypress/platform/ports/AccessTokens") {}
