import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, type OwnerId, PostId, TipId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

const GivenTipRow = Schema.Struct({
  id: TipId,
  amount_raw: Schema.String,
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  recipient_name: Schema.String,
  recipient_handle: Schema.String,
  block_hash: Schema.String,
  created_at: Timestamp
})
type GivenTipRow = typeof GivenTipRow.Type

/** Makes the function that returns the tips that an account gave, newest first, after a tip of the same list. */
export const givenTips = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "givenTips")

  return (owner: OwnerId, after: Pick<GivenTipRow, "id"> | undefined, limit: number) => many(
    "slice",
    GivenTipRow
  )`
    select t.id, t.amount_raw::text as amount_raw, t.post_id, t.comment_id, r.name as recipient_name,
      r.handle as recipient_handle, upper(encode(s.block_hash, 'hex')) as block_hash,
      wire_time(t.created_at) as created_at
    from (
      select * from tips
      where buyer_id = ${owner} and ${after === undefined ? sql`true` : sql`id < ${after.id}`}
      order by id desc limit ${sql.literal(String(limit))}) t
    join settlements s on s.id = t.settlement_id
    join owners r on r.id = t.recipient_id
    order by t.id desc`
})
