import { Effect } from "effect"
import { AccountsRpcs } from "../../../schemas/accounts/administration/rpc.ts"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { AccountAdministration } from "./AccountAdministration.ts"

/** The account procedures. */
export const AccountsRpc = AccountsRpcs.toLayer(
  Effect.gen(function* () {
    const administration = yield* AccountAdministration

    return AccountsRpcs.of({
      "accounts.removeAgentLabel": Effect.fnUntraced(function* ({ handle, ...because }) {
        return yield* administration.removeAgentLabel(yield* CurrentAdministrator, handle, because)
      })
    })
  })
)
