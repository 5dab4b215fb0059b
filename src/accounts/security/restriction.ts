import { Effect } from "effect"
import { AccountRestricted } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { objection, operatorContact } from "../../platform/ports/operatorContact.ts"
import { AuditLog } from "../administration/AuditLog.ts"

/** Makes the refusal of a restricted account, which says the reason that was written for its owner, and whom to ask. */
export const makeRestricted = Effect.gen(function* () {
  const { restrictionReason } = yield* AuditLog
  const contact = yield* operatorContact

  return Effect.fnUntraced(function* (ownerId: OwnerId) {
    const reason = yield* restrictionReason(ownerId)
    const because = reason === null ? "" : ` The reason: “${reason}”.`
    return yield* new AccountRestricted({
      detail: `A moderator restricted this account: it can read but cannot change anything.${because} ${objection(contact)}`
    })
  })
})
