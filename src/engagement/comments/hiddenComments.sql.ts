import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { commentAuthorStatements } from "./commentAuthors.sql.ts"

const HidingRow = Schema.Struct({ post_id: PostId, author_id: OwnerId, is_changed: Schema.Boolean })
const PostRow = Schema.Struct({ post_id: PostId })

/** Statements that hide Comments and show them again; `at` is the time of hiding, or null to restore. */
export const hiddenCommentStatements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const authors = yield* commentAuthorStatements
  const { many, maybe } = statements(sql, "hiddenComments")

  return {
    /** Hides or restores one Comment, for the cause of its moderation. */
    set: (id: CommentId, at: Date | null) => maybe("set", HidingRow)`
      with target as (
        select id, post_id, author_id, (hidden_by_moderator_at is null) = (${at}::timestamptz is not null) as is_changed
        from comments where id = ${id} for no key update
      ), changed as (
        update comments c set hidden_by_moderator_at = ${at} from target t where c.id = t.id and t.is_changed
      )
      select post_id, author_id, is_changed from target`,

    /**
     * Deletes some Comments of an author whose account is deleted, with what their requests tell. Returns the Posts of each.
     * They keep their places in discussions; those that moderators hid or deleted stay so. Writes in the order of ids.
     */
    eraseSome: Effect.fnUntraced(function* (author: OwnerId, at: Date, limit: number) {
      yield* authors.lock(author)
      const rows = yield* many("eraseSome", PostRow)`
        update comments set content = null, deleted_at = coalesce(deleted_at, ${at}::timestamptz),
          deleted_by_role = coalesce(deleted_by_role, 'author'), hidden_with_author_at = null,
          idempotency_key = id::text, intent = ''::bytea, by_agent = false
        where id in (
          select id from comments where author_id = ${author} and idempotency_key <> id::text
          order by id limit ${limit} for no key update)
        returning post_id`
      return rows.map(({ post_id }) => post_id)
    }),

    /**
     * Hides or restores some Comments of an author, for the cause of their account. Returns the Posts of each. Writes in
     * the order of ids, because two such writes would otherwise deadlock.
     */
    setSome: Effect.fnUntraced(function* (author: OwnerId, at: Date | null, limit: number) {
      yield* authors.lock(author)
      const rows = yield* many("setSome", PostRow)`
        update comments set hidden_with_author_at = ${at}
        where id in (
          select id from comments
          where author_id = ${author} and (hidden_with_author_at is null) = (${at}::timestamptz is not null)
          order by id limit ${limit} for no key update)
        returning post_id`
      return rows.map(({ post_id }) => post_id)
    })
  }
})
