import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Mac } from "effect/crypto"
import { AdministratorAuthority } from "../../schemas/security/administrator.ts"
import { AdminToken } from "../ports/AdminToken.ts"
import { hashOf } from "../secrets/Secrets.ts"

const BEARER = /^bearer +(\S+)$/i

/** Who may administer the service: whoever shows its token, and nobody where it has none. */
export class Administrators extends Context.Service<
  Administrators,
  {
    /** Whether there can be administrators at all. */
    readonly isOn: boolean
    /** The authority of the value of an Authorization header. Compares in constant time. */
    readonly authenticate: (
      authorization: Redacted.Redacted | undefined
    ) => Option.Option<AdministratorAuthority>
  }
>()("pennypress/administration/Administrators") {
  static readonly layer = Layer.effect(
    Administrators,
    Effect.map(AdminToken, (token) => {
      const expected = token === undefined ? undefined : hashOf(token)
      return Administrators.of({
        isOn: expected !== undefined,
        authenticate: (authorization) => {
          const shown = authorization && BEARER.exec(Redacted.value(authorization))?.[1]
          if (expected === undefined || shown === undefined) return Option.none()
          return Mac.timingSafeEqual(expected, hashOf(Redacted.make(shown)))
            ? Option.some(AdministratorAuthority.make({ kind: "administrator" }))
            : Option.none()
        }
      })
    })
  )
}
