import { Context, Effect, Layer, Option, Redacted } from "effect"
import { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { makeTokenCheck } from "../../platform/secrets/tokenCheck.ts"

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
      const isToken = makeTokenCheck(adminToken)
      return Administrators.of({
        isOn: adminToken !== undefined,
        authenticate: (shown) =>
          isToken(shown === undefined ? undefined : Redacted.value(shown))
            ? Option.some(AdministratorAuthority.make({ kind: "administrator" }))
            : Option.none()
      })
    })
  )
}
