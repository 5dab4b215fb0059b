import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { NamedTipTarget } from "./namedTipTarget.ts"

const TipTargetRow = Schema.Struct({
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  recipient_id: OwnerId,
  title: Schema.String,
  /** False for a target that readers no longer see. */
  is_visible: Schema.Boolean
})

/** Statements over Posts, Comments and Profiles, with the owners whom a tip pays. */
export const tipTargetStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "tipTargets")
  const isRecipientRestricted = sql.literal(isRestricted("o"))

  return {
    /**
     * Finds a target by its name. A Profile that a payment with this quote already tips comes first: its handle may have
     * changed.
     */
    find: (target: NamedTipTarget, quoteHash: Uint8Array | null) => {
      switch (target.kind) {
        case "post":
          return maybe("post", TipTargetRow)`
            select p.id as post_id, null as comment_id, o.id as recipient_id, p.title,
              exists (select from public_posts where public_posts.id = p.id) as is_visible
            from posts p join owners o on o.id = p.owner_id where p.id = ${target.postId}`
        case "comment":
          return maybe("comment", TipTargetRow)`
            select p.id as post_id, c.id as comment_id, o.id as recipient_id, p.title,
              c.deleted_at is null and exists (select from public_comments where public_comments.id = c.id)
                and not ${isRecipientRestricted} as is_visible
            from comments c join posts p on p.id = c.post_id join owners o on o.id = c.author_id
            where c.id = ${target.commentId}`
        case "profile":
          return maybe("profile", TipTargetRow)`
            select null as post_id, null as comment_id, o.id as recipient_id, o.name as title,
              not ${isRecipientRestricted} as is_visible
            from (
              select recipient_id as id, 1 as place from settlements
              where quote_hash = ${quoteHash}::bytea and kind = 'tip' and post_id is null
              union all
              select id, 2 from owners where lower(handle) = lower(${target.handle})) found
            join owners o on o.id = found.id order by found.place limit 1`
      }
    }
  }
})
