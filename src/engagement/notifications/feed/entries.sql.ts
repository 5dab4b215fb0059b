import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AuthorKind } from "../../../../schemas/accounts/profile/Profile.ts"
import { NotificationType } from "../../../../schemas/engagement/notifications/notificationTypes.ts"
import { CommentId, NotificationId, type OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { statements } from "../../../platform/sql/statements.ts"

/** Number of characters of a comment that are read: more than an entry quotes. */
const QUOTE_CHARACTERS = 500

/** A notification with the names in its sentence, as its recipient may see them now. */
const Entry = Schema.Struct({
  id: NotificationId,
  type: NotificationType,
  created_at: Timestamp,
  is_read: Schema.Boolean,
  data: Schema.Record(Schema.String, Schema.Unknown),
  actor_name: Schema.NullOr(Schema.String),
  actor_handle: Schema.NullOr(Schema.String),
  actor_kind: Schema.NullOr(AuthorKind),
  post_id: Schema.NullOr(PostId),
  /** Null for a post that neither readers nor this owner can see. */
  title: Schema.NullOr(Schema.String),
  is_own_post: Schema.Boolean,
  /** The address of the post; null unless readers see it. */
  author_handle: Schema.NullOr(Schema.String),
  slug: Schema.NullOr(Schema.String),
  /** The comment; null unless readers see it. */
  comment_id: Schema.NullOr(CommentId),
  thread_root_id: Schema.NullOr(CommentId),
  /** The owner's own comment also if readers do not see it. Null for a comment that was deleted. */
  quote: Schema.NullOr(Schema.String),
  is_muted: Schema.Boolean
})
export type Entry = typeof Entry.Type

/** A slice of the notifications of an owner. */
interface Slice {
  /** Types that the owner wants to see. */
  readonly types: ReadonlyArray<NotificationType>
  /** The moment from which those that were read are returned, too; null for any moment. */
  readonly readFrom: Date | null
  readonly after: NotificationId | undefined
  readonly limit: number
}

/** Statements that read notifications with the names in their sentences. */
export const entryStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "notificationEntries")

  /**
   * Selects the newest notifications. `offset 0` keeps PostgreSQL from walking all of an owner for those that were read of
   * late: an index has them.
   */
  const part = (owner: OwnerId, { after, limit, readFrom, types }: Slice) => {
    const newest = (from: Statement.Fragment) =>
      sql`select * from ${from} order by id desc limit ${sql.literal(String(limit + 1))}`
    const shown = (condition: Statement.Fragment, fence = sql``) =>
      newest(sql`(
        select * from notifications
        where recipient_id = ${owner} and type = any(${types}::text[]) and ${condition}
          ${after === undefined ? sql`` : sql`and id < ${after}`} ${fence}) shown`)
    return readFrom === null
      ? shown(sql`true`)
      : newest(sql`(
          (${shown(sql`read_at is null`)}) union all (${shown(sql`read_at >= ${readFrom}`, sql`offset 0`)})) fresh`)
  }

  return {
    /** Returns the newest notifications, and one beyond the slice when there are more. */
    slice: (owner: OwnerId, slice: Slice) => many("slice", Entry)`
      select n.id, n.type, wire_time(n.created_at) as created_at, n.read_at is not null as is_read, n.data,
        a.name as actor_name, a.handle as actor_handle, a.author_kind as actor_kind,
        n.post_id, coalesce(p.title, own.title) as title, own.id is not null as is_own_post, w.handle as author_handle,
        p.slug, c.id as comment_id, c.thread_root_id, left(coalesce(c.content, oc.content), ${sql.literal(String(QUOTE_CHARACTERS))}) as quote,
        m.post_id is not null as is_muted
      from (${part(owner, slice)}) n
      -- One look for each name, rather than a walk of all owners, posts and comments.
      left join lateral (
        select * from public_owners where public_owners.id = n.actor_id offset 0) a on true
      left join lateral (select * from public_posts where public_posts.id = n.post_id offset 0) p on true
      left join lateral (
        select posts.id, title from posts where posts.id = n.post_id and owner_id = ${owner} offset 0) own on true
      left join lateral (select handle from owners where owners.id = p.owner_id offset 0) w on true
      left join lateral (
        select * from public_comments where public_comments.id = n.comment_id offset 0) c on true
      left join lateral (
        select content from comments where comments.id = n.comment_id and author_id = ${owner} offset 0) oc on true
      left join post_mutes m on m.owner_id = ${owner} and m.post_id = n.post_id
      order by n.id desc`
  }
})
