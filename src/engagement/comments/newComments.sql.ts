import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import { isBuyer } from "../../payments/purchases/purchases.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { commentNotices, type CommentedNotice, mailedCount } from "../notifications/notices/notices.sql.ts"
import type { CommentRow } from "./commentRow.ts"
import { columnsFor } from "./slices.sql.ts"

/** A request to comment. */
export interface AppendRequest {
  readonly postId: PostId
  readonly authorId: OwnerId
  readonly idempotencyKey: string
  readonly content: string
  readonly parentCommentId: CommentId | null
  readonly replyTargetCommentId: CommentId | null
}

/** Maximum numbers of Comments that an author may append in each window. */
export interface CommentQuotas {
  readonly perMinute: number
  readonly perDay: number
}

/** The facts about a parent or a target that a reply needs; null if readers see no such Comment on the Post. */
const Addressed = Schema.NullOr(
  Schema.Struct({
    author_id: OwnerId,
    thread_root_id: CommentId,
    depth: Schema.Int,
    is_deleted: Schema.Boolean
  })
)

const FactsRow = Schema.Struct({
  earlier_id: Schema.NullOr(CommentId),
  earlier_intent: Schema.NullOr(Schema.Uint8Array),
  name: Schema.String,
  handle: Schema.String,
  by_agent: Schema.Boolean,
  is_restricted: Schema.Boolean,
  /** Null unless the Post is public. */
  post_author_id: Schema.NullOr(OwnerId),
  comments_enabled: Schema.NullOr(Schema.Boolean),
  parent: Addressed,
  target: Addressed,
  has_purchased: Schema.Boolean,
  /** The time of the Comment after which the quota of a minute, or of a day, begins; null below the quota. */
  minute_from: Schema.NullOr(Schema.Date),
  day_from: Schema.NullOr(Schema.Date)
})
export type AppendFacts = typeof FactsRow.Type

/** A Comment to save. */
interface NewCommentRow extends AppendRequest {
  readonly id: CommentId
  readonly intent: Uint8Array
  readonly threadRootId: CommentId
  readonly depth: number
  readonly byAgent: boolean
  readonly at: Date
}

type NewNotice = Pick<CommentedNotice, "fanoutId" | "postAuthorId" | "replyTargetAuthorId">

/** Statements that save a new Comment. */
export const newCommentStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one } = statements(sql, "newComments")

  const addressed = (postId: PostId, id: CommentId | null) => sql`
    (select to_jsonb(found) from (
      select c.author_id, c.thread_root_id, c.depth, c.deleted_at is not null as is_deleted
      from comments c where c.id = ${id}::uuid and c.post_id = ${postId} and c.hidden_at is null) found)`

  const nth = (author: OwnerId, quota: number) => sql`
    (select c.created_at from comments c where c.author_id = ${author}
     order by c.created_at desc, c.id desc offset ${quota - 1} limit 1)`

  return {
    /**
     * Reads everything that decides a request, in one statement. A public Post cannot be deleted until the Comment is
     * saved.
     */
    facts: (
      { authorId, idempotencyKey, parentCommentId, postId, replyTargetCommentId }: AppendRequest,
      quotas: CommentQuotas
    ) =>
      one("facts", FactsRow)`
        select e.id as earlier_id, e.intent as earlier_intent, o.name, o.handle,
          o.author_kind = 'agent' as by_agent, ${sql.literal(isRestricted("o"))} as is_restricted, ${isBuyer(sql, postId)} as has_purchased, p.owner_id as post_author_id, p.comments_enabled,
          ${addressed(postId, parentCommentId)} as parent, ${addressed(postId, replyTargetCommentId)} as target,
          ${nth(authorId, quotas.perMinute)} as minute_from, ${nth(authorId, quotas.perDay)} as day_from
        from owners o
        left join comments e on e.author_id = o.id and e.idempotency_key = ${idempotencyKey}
        left join (
          select owner_id, comments_enabled from public_posts where id = ${postId} for key share) p on true
        where o.id = ${authorId}`,

    /** Saves a Comment with its notices. Returns it as its author sees it, and the number of mails to post. */
    insert: (comment: NewCommentRow, notice: NewNotice) =>
      sql<CommentRow & { readonly mailed: number }>`
        with c as (
          insert into comments ${sql.insert({
            id: comment.id,
            post_id: comment.postId,
            author_id: comment.authorId,
            content: comment.content,
            parent_comment_id: comment.parentCommentId,
            reply_target_comment_id: comment.replyTargetCommentId,
            thread_root_id: comment.threadRootId,
            depth: comment.depth,
            created_at: comment.at,
            idempotency_key: comment.idempotencyKey,
            intent: comment.intent,
            by_agent: comment.byAgent
          })} returning *),
          ${commentNotices(sql, { ...comment, ...notice, commentId: comment.id })}
        select ${columnsFor(sql, comment.authorId)}, ${sql.literal(mailedCount)} from c join owners o on o.id = c.author_id`.pipe(
        Effect.flatMap(([row]) => Effect.fromNullishOr(row)),
        Effect.orDie,
        Effect.withSpan("newComments.insert")
      )
  }
})
