import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { Mac } from "effect/crypto"
import { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"

/** Administrators of the service: callers that present its `ADMIN_TOKEN`. Without a token there are none. */
export class Administrators extends Context.Service<
  Administrators,
  {
    /** True when the service has a token. */
    readonly isOn: boolean
    /** Returns the authority behind a presented token, or none. Compares in constant time. */
    readonly authenticate: (shown: Redacted.Redacted | undefined) => Option.Option<AdministratorAuthority>
  }
>()("pennypress/accounts/administration/Administrators") {
  static readonly layer = Layer.effect(
    Administrators,
    Effect.map(Settings, ({ adminToken }) => {
      const expected = adminToken === undefined ? undefined : hashOf(adminToken)
      return Administrators.of({
        isOn: expected !== undefined,
        authenticate: (shown) => {
          if (expected === undefined || shown === undefined) return Option.none()
          return Mac.timingSafeEqual(expected, hashOf(shown))
            ? Option.some(AdministratorAuthority.make({ kind: "administrator" }))
            : Option.none()
        }
      })
    })
  )
}
