import type { SqlClient } from "effect/sql"
import type { NotificationType } from "../../../../schemas/engagement/notifications/notificationTypes.ts"
import type { CommentId, OwnerId, PostId, PurchaseId } from "../../../../schemas/platform/Ids.ts"

/** One notification for one owner. */
export interface Told {
  readonly recipient_id: OwnerId
  readonly type: NotificationType
  /** Names the cause: the same cause notifies a recipient once. */
  readonly cause: string
  readonly actor_id?: OwnerId
  readonly post_id?: PostId
  readonly comment_id?: CommentId
  readonly purchase_id?: PurchaseId
  readonly follower_id?: OwnerId
  readonly data?: Readonly<Record<string, unknown>>
}

/** Returns these notifications as a relation of SQL. */
export const toldRows = (sql: SqlClient.SqlClient, told: ReadonlyArray<Told>) => sql`
  select * from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as told(
    recipient_id uuid, type text, cause text, actor_id uuid, post_id uuid, comment_id uuid, purchase_id uuid,
    follower_id uuid, data jsonb)`
