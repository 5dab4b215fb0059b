import { Effect, Option } from "effect"
import { AccountRestricted } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { operatorContact, refusalText } from "../../platform/ports/operatorContact.ts"
import { AuditLog, RESTRICTION } from "../administration/AuditLog.ts"
import { closingAccounts } from "../deletion/deletions.sql.ts"

/**
 * Makes the refusal of a restricted account. It says the reason that was written for its owner, and whom to ask. A closing
 * account learns when it is erased, and how to keep it.
 */
export const makeRestricted = Effect.gen(function* () {
  const { reasonForAuthor } = yield* AuditLog
  const deletions = yield* closingAccounts
  const contact = yield* operatorContact

  return Effect.fnUntraced(function* (ownerId: OwnerId) {
    const closing = yield* deletions.find(ownerId)
    if (Option.isSome(closing)) {
      const { erases } = closing.value
      return yield* new AccountRestricted({
        detail: `This account is closing, and is erased from ${erases} on: it can read but cannot change anything. To keep it, sign in again and call DELETE /api/v1/account/deletion before then.`
      })
    }
    const reason = yield* reasonForAuthor(ownerId, RESTRICTION)
    return yield* new AccountRestricted({
      detail: refusalText(
        "A moderator restricted this account: it can read but cannot change anything.",
        reason,
        contact
      )
    })
  })
})
