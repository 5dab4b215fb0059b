import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeletedByRole } from "../../../schemas/engagement/comments/Comment.ts"
import { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { isBuyer } from "../../payments/purchases/purchases.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { CommentRow } from "./commentRow.ts"
import { columnsFor, type Newest, newestOf, type Slice, sliceOf, type Viewer } from "./slices.sql.ts"

/** A Comment, and whether readers see it: its Post is public and takes Comments, and it is not hidden. */
interface FoundComment extends CommentRow {
  readonly is_visible: boolean
}

const VisibleRow = Schema.Struct({
  id: CommentId,
  post_id: PostId,
  author_id: OwnerId,
  is_deleted: Schema.Boolean
})

const RemovalRow = Schema.Struct({
  post_id: PostId,
  post_owner_id: OwnerId,
  thread_root_id: CommentId,
  is_visible: Schema.Boolean,
  /** The role of the caller; null for any other reader. */
  role: Schema.NullOr(DeletedByRole),
  is_new: Schema.Boolean,
  is_hidden: Schema.Boolean,
  deleted_at: Schema.NullOr(Timestamp),
  deleted_by_role: Schema.NullOr(DeletedByRole)
})

/** Statements that read and delete Comments. */
export const commentStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "comments")
  const isVisible = sql`exists (select from public_comments where public_comments.id = c.id)`

  return {
    /** Returns the Comments of a slice and one beyond, when there are more. */
    slice: (viewer: Viewer, slice: Slice) => Effect.orDie(sliceOf(sql, viewer, slice)),
    /** Returns the newest Comments on a Post in ascending order. */
    newest: (viewer: Viewer, postId: PostId, bounds: Newest) =>
      Effect.orDie(newestOf(sql, viewer, postId, bounds)),

    find: (viewer: Viewer, id: CommentId) =>
      Effect.orDie(
        Effect.map(
          sql<FoundComment>`
            select ${columnsFor(sql, viewer)}, ${isVisible} as is_visible
            from comments c join owners o on o.id = c.author_id where c.id = ${id}`,
          ([row]) => Option.fromUndefinedOr(row)
        )
      ),

    /** Returns those of the Comments that everyone sees, in any order. */
    byIds: (ids: ReadonlyArray<CommentId>) =>
      Effect.orDie(
        sql<CommentRow & { readonly has_purchased: boolean }>`
          select ${columnsFor(sql, null)}, ${isBuyer(sql, sql`c.post_id`)} as has_purchased
          from public_comments c join owners o on o.id = c.author_id where c.id = any(${ids}::uuid[])`
      ),

    /** Finds a visible Comment without its content. */
    visible: (id: CommentId) => maybe("visible", VisibleRow)`
      select c.id, c.post_id, c.author_id, c.deleted_at is not null as is_deleted
      from public_comments c where c.id = ${id}`,

    /**
     * Deletes a Comment that the caller wrote, or one on a Post of the caller. Returns the Comment that it found, even
     * if it does not delete it.
     */
    remove: (id: CommentId, caller: OwnerId, at: Date) => maybe("remove", RemovalRow)`
      with target as (
        select c.id, c.post_id, p.owner_id as post_owner_id, c.thread_root_id, c.deleted_at, c.deleted_by_role, ${isVisible} as is_visible,
          c.hidden_at is not null as is_hidden,
          case when c.author_id = ${caller} then 'author' when p.owner_id = ${caller} then 'moderator' end as role
        from comments c join posts p on p.id = c.post_id where c.id = ${id} for no key update of c
      ), deleted as (
        update comments c set content = null, deleted_at = ${at}, deleted_by_role = t.role
        from target t where c.id = t.id and t.role is not null and t.deleted_at is null
        returning c.deleted_at, c.deleted_by_role
      )
      select t.post_id, t.post_owner_id, t.thread_root_id, t.is_visible, t.is_hidden, t.role, d.deleted_at is not null as is_new,
        wire_time(coalesce(d.deleted_at, t.deleted_at)) as deleted_at,
        coalesce(d.deleted_by_role, t.deleted_by_role) as deleted_by_role
      from target t left join deleted d on true`
  }
})
