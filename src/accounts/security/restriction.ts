import { Effect } from "effect"
import { AccountRestricted } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { operatorContact, refusalText } from "../../platform/ports/operatorContact.ts"
import { AuditLog, RESTRICTION } from "../administration/AuditLog.ts"

/** Makes the refusal of a restricted account, which says the reason that was written for its owner, and whom to ask. */
export const makeRestricted = Effect.gen(function* () {
  const { reasonForAuthor } = yield* AuditLog
  const contact = yield* operatorContact

  return Effect.fnUntraced(function* (ownerId: OwnerId) {
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
