import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { OwnerId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { AccountHandle, AccountNotFound, actionFields } from "../administration/rpc.ts"

/** The procedure of an administrator that deletes an account. */
export class AccountDeletionRpcs extends RpcGroup.make(
  /**
   * Closes an account as its owner does, and erases it 14 days later, or at once with `now`. A repeat changes nothing, unless
   * it hastens the erasure.
   */
  Rpc.make("accounts.delete", {
    payload: { handle: AccountHandle, now: Schema.optionalKey(Schema.Boolean), ...actionFields },
    success: Schema.Struct({ ownerId: OwnerId, handle: Schema.String, dueAt: Timestamp }),
    error: AccountNotFound
  })
).middleware(Administrator) {}
