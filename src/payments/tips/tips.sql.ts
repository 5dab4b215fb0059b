import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import { CommentId, OwnerId, type PostId, TipId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isShownSupporter } from "../finance/paidScores.sql.ts"

const supporter = {
  supporter_id: Schema.NullOr(OwnerId),
  name: Schema.NullOr(Schema.String),
  handle: Schema.NullOr(Schema.String),
  avatar_url: Schema.NullOr(Schema.String),
  author_kind: Schema.NullOr(AuthorKind)
}
const Supporter = Schema.Struct(supporter)
export type SupporterRow = typeof Supporter.Type

const ActivityRow = Schema.Struct({
  ...supporter,
  id: TipId,
  created_at: Timestamp,
  amount_raw: Schema.String,
  comment_id: Schema.NullOr(CommentId)
})
const SupportRow = Schema.Struct({ ...supporter, amount_raw: Schema.NullOr(Schema.String) })

/** Selects the newest tip of all. */
export const newestTip = "select created_at from tips order by id desc limit 1"

/** Statements over tips as anyone may see them. */
export const tipStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "tips")
  const isShown = sql.literal(isShownSupporter("np", "o"))

  return {
    // A payer who is not shown has no name here; a restricted account is left out. With `offset 0`, Comments are looked up
    // one by one.
    activities: (post: PostId, limit: number) => many("activities", ActivityRow)`
      select t.id, wire_time(t.created_at) as created_at, t.amount_raw::text as amount_raw, t.comment_id,
        o.id as supporter_id, o.name, o.handle, o.avatar_url, o.author_kind
      from tips t
      left join notification_preferences np on np.owner_id = t.buyer_id
      left join owners o on o.id = t.buyer_id and ${isShown}
      where t.post_id = ${post}
        and (t.comment_id is null
          or exists (select from public_comments where public_comments.id = t.comment_id offset 0))
        and not exists (select from owners r where r.id = t.buyer_id and ${sql.literal(isRestricted("r"))})
      order by t.id desc limit ${limit}`,

    // All accounts that are not shown are one row without a name and without an amount.
    supporters: (comment: CommentId, limit: number) => many("supporters", SupportRow)`
      select s.amount_raw::text, s.supporter_id, s.name, s.handle, s.avatar_url, s.author_kind
      from (
        select case when t.buyer_id is null or o.id is not null then t.amount_raw end as amount_raw,
          o.id as supporter_id, o.name, o.handle, o.avatar_url, o.author_kind
        from (
          select buyer_id, sum(amount_raw) as amount_raw from tips where comment_id = ${comment} group by buyer_id) t
        left join notification_preferences np on np.owner_id = t.buyer_id
        left join owners o on o.id = t.buyer_id and ${isShown}
        where not exists (select from owners r where r.id = t.buyer_id and ${sql.literal(isRestricted("r"))})) s
      group by s.amount_raw, s.supporter_id, s.name, s.handle, s.avatar_url, s.author_kind
      order by s.amount_raw desc nulls last, s.supporter_id limit ${limit}`
  }
})
