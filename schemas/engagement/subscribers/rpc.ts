import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { actionFields } from "../../accounts/administration/rpc.ts"
import { SubscriberImportId } from "../../platform/Ids.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { InvalidCursor, pageFields } from "../moderation/rpc.ts"

/** There is no such import, or its readers do not wait any more. */
export class SubscriberImportNotFound extends Schema.TaggedError<SubscriberImportNotFound>()(
  "SubscriberImportNotFound",
  { importId: SubscriberImportId }
) {}

/** A list of readers who wait for their mail to confirm. */
const WaitingImport = Schema.Struct({
  importId: SubscriberImportId,
  handle: Schema.String,
  source: Schema.String,
  statement: Schema.String,
  rows: Schema.Int,
  /** Readers who were not asked to confirm yet. */
  waiting: Schema.Int,
  createdAt: Timestamp
})
export type WaitingImport = typeof WaitingImport.Type

/** Imports of a page, oldest first. */
const WaitingImportPage = Schema.Struct({
  imports: Schema.Array(WaitingImport),
  /** Continues the list; null at its end. */
  nextCursor: Schema.NullOr(Schema.String)
})
export type WaitingImportPage = typeof WaitingImportPage.Type

const decision = {
  payload: { importId: SubscriberImportId, ...actionFields },
  /** `readers` are those whom the decision changed. */
  success: Schema.Struct({ importId: SubscriberImportId, readers: Schema.Int }),
  error: SubscriberImportNotFound
}

/** Procedures for lists of readers that authors bring. Each decision takes a reason, which the audit log keeps. */
export class ReadersRpcs extends RpcGroup.make(
  /** Lists the imports whose readers wait for their mail, oldest first. */
  Rpc.make("readers.list", { payload: pageFields, success: WaitingImportPage, error: InvalidCursor }),
  /** Makes the readers of an import get the posts without a mail to confirm. Those who left stay away. */
  Rpc.make("readers.approve", decision),
  /** Removes the readers of an import who have not confirmed. They get no further mail of it. */
  Rpc.make("readers.refuse", decision)
).middleware(Administrator) {}
