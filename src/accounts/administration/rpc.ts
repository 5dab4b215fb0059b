import { Effect, Layer, Option, Redacted } from "effect"
import { AccountsRpcs } from "../../../schemas/accounts/administration/rpc.ts"
import {
  Administrator,
  CurrentAdministrator,
  NotAdministrator
} from "../../../schemas/platform/security/administrator.ts"
import { bearerOf } from "../../platform/http/bearer.ts"
import { AccountAdministration } from "./AccountAdministration.ts"
import { Administrators } from "./Administrators.ts"

/** The check before every procedure of an administrator. It provides the authority that only a passed check provides. */
export const AdministratorLive = Layer.effect(
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

/** The account procedures. */
export const AccountsRpc = AccountsRpcs.toLayer(
  Effect.gen(function* () {
    const administration = yield* AccountAdministration

    return AccountsRpcs.of({
      "accounts.removeAgentLabel": Effect.fnUntraced(function* ({ handle, reason }) {
        return yield* administration.removeAgentLabel(yield* CurrentAdministrator, handle, reason)
      })
    })
  })
)
