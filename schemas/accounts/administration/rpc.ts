import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { OwnerId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { visibleLine } from "../../platform/Text.ts"
import { AuthorKind } from "../profile/Profile.ts"

/** Characters of the reason of an administrator's action, at most. */
export const ACTION_REASON_MAX = 500

/** The handle belongs to no account. */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  handle: Schema.String
}) {}

/** Account procedures of an administrator. Each takes a reason, which the audit log keeps. */
export class AccountsRpcs extends RpcGroup.make(
  /** Makes the author kind of an account `human` again (spec 3.4b). Safe to repeat. */
  Rpc.make("accounts.removeAgentLabel", {
    payload: {
      /** The handle in any case, without `@`. */
      handle: Schema.String.check(Schema.isMaxLength(30)),
      reason: visibleLine(ACTION_REASON_MAX)
    },
    success: Schema.Struct({ ownerId: OwnerId, handle: Schema.String, authorKind: AuthorKind }),
    error: AccountNotFound
  })
).middleware(Administrator) {}
