import { Effect } from "effect"
import { AccountDeletionRpcs } from "../../../schemas/accounts/deletion/rpc.ts"
import { CurrentAdministrator } from "../../../schemas/platform/security/administrator.ts"
import { AccountDeletions } from "./AccountDeletions.ts"

/** The procedure that deletes an account. */
export const AccountDeletionRpc = AccountDeletionRpcs.toLayer(
  Effect.map(AccountDeletions, (deletions) =>
    AccountDeletionRpcs.of({
      "accounts.delete": Effect.fnUntraced(function* ({ handle, now: isNow = false, ...because }) {
        return yield* deletions.remove(yield* CurrentAdministrator, handle, { isNow }, because)
      })
    })
  )
)
