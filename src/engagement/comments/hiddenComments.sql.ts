import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { commentAuthorStatements } from "./commentAuthors.sql.ts"

const ChangedRow = Schema.Struct({
  id: CommentId,
  post_id: PostId,
  post_owner_id: OwnerId,
  thread_root_id: CommentId,
  /** True when readers saw the Comment before, as far as its own causes go. */
  was_shown: Schema.Boolean
})
export type ChangedComment = typeof ChangedRow.Type

const HidingRow = Schema.Struct({ ...ChangedRow.fields, author_id: OwnerId, is_changed: Schema.Boolean })

/** Statements that hide Comments and show them again; `at` is the time of hiding, or null to restore. */
export const hiddenCommentStatements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const authors = yield* commentAuthorStatements
  const { many, maybe } = statements(sql, "hiddenComments")
  const wasShown = sql`c.hidden_at is null and c.deleted_at is null`

  /** Selects and locks some Comments, in the order of their ids. */
  const some = (condition: Statement.Fragment, limit: number) => sql`
    select c.id, c.post_id, p.owner_id as post_owner_id, c.thread_root_id, ${wasShown} as was_shown
    from comments c join posts p on p.id = c.post_id where ${condition}
    order by c.id limit ${limit} for no key update of c`

  return {
    /** Hides or restores one Comment, for the cause of its moderation. */
    set: (id: CommentId, at: Date | null) => maybe("set", HidingRow)`
      with target as (
        select c.id, c.post_id, p.owner_id as post_owner_id, c.thread_root_id, c.author_id, ${wasShown} as was_shown,
          (c.hidden_by_moderator_at is null) = (${at}::timestamptz is not null) as is_changed
        from comments c join posts p on p.id = c.post_id where c.id = ${id} for no key update of c
      ), changed as (
        update comments c set hidden_by_moderator_at = ${at} from target t where c.id = t.id and t.is_changed
      )
      select * from target`,

    /**
     * Deletes some Comments of an author whose account is deleted, with what their requests tell. Returns them as they were.
     * They keep their places in discussions; those that moderators hid or deleted stay so. Writes in the order of ids.
     */
    eraseSome: Effect.fnUntraced(function* (author: OwnerId, at: Date, limit: number) {
      yield* authors.lock(author)
      return yield* many("eraseSome", ChangedRow)`
        with chosen as (
          ${some(sql`c.author_id = ${author} and c.idempotency_key <> c.id::text`, limit)}
        ), changed as (
          update comments c set content = null, deleted_at = coalesce(c.deleted_at, ${at}::timestamptz),
            deleted_by_role = coalesce(c.deleted_by_role, 'author'), hidden_with_author_at = null,
            idempotency_key = c.id::text, intent = ''::bytea, by_agent = false
          from chosen where c.id = chosen.id returning c.id)
        select chosen.* from chosen join changed using (id)`
    }),

    /**
     * Hides or restores some Comments of an author, for the cause of their account. Returns them as they were. Writes in
     * the order of ids, because two such writes would otherwise deadlock.
     */
    setSome: Effect.fnUntraced(function* (author: OwnerId, at: Date | null, limit: number) {
      yield* authors.lock(author)
      const isOther = sql`(c.hidden_with_author_at is null) = (${at}::timestamptz is not null)`
      return yield* many("setSome", ChangedRow)`
        with chosen as (
          ${some(sql`c.author_id = ${author} and ${isOther}`, limit)}
        ), changed as (
          update comments c set hidden_with_author_at = ${at} from chosen where c.id = chosen.id returning c.id)
        select chosen.* from chosen join changed using (id)`
    })
  }
})
