import { Effect, Layer, Option, Redacted } from "effect"
import {
  Administrator,
  CurrentAdministrator,
  NotAdministrator
} from "../../../schemas/platform/security/administrator.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { Administrators } from "../administration/Administrators.ts"

/** The check before every procedure of an administrator. It provides the authority that only a passed check provides. */
export const layer = Layer.effect(
  Administrator,
  Effect.map(Administrators, (administrators) =>
    Administrator.of((answer, { headers }) => {
      const token = bearerOf(headers["authorization"])
      const authority = administrators.authenticate(token === undefined ? undefined : Redacted.make(token))
      return Option.isSome(authority)
        ? Effect.provideService(answer, CurrentAdministrator, authority.value)
        : Effect.fail(new NotAdministrator())
    })
  )
)
