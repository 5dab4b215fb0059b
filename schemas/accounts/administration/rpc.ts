import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { OwnerId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { atMost, Text, visibleLine } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { AuthorKind } from "../profile/Profile.ts"

/** Maximum number of characters of the reason of an administrator's action. */
export const ACTION_REASON_MAX = 500

/** Maximum number of characters of the name of an actor. */
const ACTOR_MAX = 80

/** Characters of a handle, at most. */
const HANDLE_MAX = 30

/** The name of the person who acts. */
export const ActorName = visibleLine(ACTOR_MAX)

/** The reason of an action. */
export const ActionReason = visibleLine(ACTION_REASON_MAX)

/** The members of every action of an administrator, which the audit log keeps. */
export const actionFields = {
  /** The name of the person who acts, because administrators share one token; `administrator` by default. */
  actor: Schema.optionalKey(ActorName),
  reason: ActionReason
}

/** The members of a decision about an account or its work. Its owner hears of it. */
export const decisionFields = {
  ...actionFields,
  /** A sentence for the owner, who reads it in a notification and a mail. The owner never reads `reason`. */
  reasonForAuthor: Schema.optionalKey(ActionReason)
}

/** The handle of an account in any case, without `@`. */
export const AccountHandle = Text.check(atMost(HANDLE_MAX))

/** The handle belongs to no account. */
export class AccountNotFound extends Schema.TaggedError<AccountNotFound>()("AccountNotFound", {
  handle: Schema.String
}) {}

/** An account that may moderate. It has no right to while it is restricted. */
export const Moderator = Schema.Struct({
  ownerId: OwnerId,
  handle: Schema.String,
  isRestricted: Schema.Boolean,
  addedAt: Timestamp
})
export type Moderator = typeof Moderator.Type

const account = { handle: AccountHandle, ...actionFields }

/** Account procedures of an administrator. Each action takes a reason, which the audit log keeps. */
export class AccountsRpcs extends RpcGroup.make(
  /** Sets the author kind of an account back to `human` (spec 3.4b). Safe to repeat. */
  Rpc.make("accounts.removeAgentLabel", {
    payload: account,
    success: Schema.Struct({ ownerId: OwnerId, handle: Schema.String, authorKind: AuthorKind }),
    error: AccountNotFound
  }),
  /** Makes an account a moderator. Safe to repeat. */
  Rpc.make("moderators.add", { payload: account, success: Moderator, error: AccountNotFound }),
  /** Ends the right of an account to moderate, from its next request on. Safe to repeat. */
  Rpc.make("moderators.remove", {
    payload: account,
    success: Schema.Struct({ ownerId: OwnerId, handle: Schema.String }),
    error: AccountNotFound
  }),
  /** Lists the moderators, in the order in which they were added. */
  Rpc.make("moderators.list", { success: Schema.Array(Moderator) })
).middleware(Administrator) {}
