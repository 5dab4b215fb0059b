import { Effect } from "effect"
import { AccountsRpcs } from "../../../schemas/accounts/administration/rpc.ts"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { AccountAdministration } from "./AccountAdministration.ts"
import { Moderators } from "./Moderators.ts"

/** The account procedures. */
export const AccountsRpc = AccountsRpcs.toLayer(
  Effect.gen(function* () {
    const administration = yield* AccountAdministration
    const moderators = yield* Moderators

    return AccountsRpcs.of({
      "accounts.removeAgentLabel": Effect.fnUntraced(function* ({ handle, ...because }) {
        // An administrator may do it to every account.
        return yield* administration
          .removeAgentLabel(yield* CurrentAdministrator, { handle }, because)
          .pipe(Effect.catchTag("OperatorOnly", Effect.die))
      }),
      "moderators.add": Effect.fnUntraced(function* ({ handle, ...because }) {
        return yield* moderators.add(yield* CurrentAdministrator, handle, because)
      }),
      "moderators.remove": Effect.fnUntraced(function* ({ handle, ...because }) {
        return yield* moderators.remove(yield* CurrentAdministrator, handle, because)
      }),
      "moderators.list": () => Effect.flatMap(CurrentAdministrator, moderators.list)
    })
  })
)
