import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, OwnerId, PostId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

const ReportRow = Schema.Struct({
  id: SettlementId,
  kind: Schema.Literals(["purchase", "tip"]),
  channel: Schema.Literals(["x402", "session", "claim"]),
  state: Schema.Literals(["settling", "settled", "refused", "lapsed"]),
  code: Schema.NullOr(Schema.String),
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  recipient_id: OwnerId,
  buyer_id: Schema.NullOr(OwnerId),
  transaction: Schema.String,
  payer_key: NanoPublicKey,
  pay_to_key: NanoPublicKey,
  amount_raw: Schema.String,
  attempts: Schema.Int,
  created_at: Timestamp,
  age_seconds: Schema.Int,
  due_at: Schema.NullOr(Timestamp)
})
export type ReportRow = typeof ReportRow.Type

/** A request for settlements without an outcome, oldest first. */
interface Slice {
  readonly state: "settling" | "lapsed" | undefined
  /** The last settlement of the page before. */
  readonly after: SettlementId | undefined
  readonly limit: number
  readonly at: Date
}

/** Selects the settlements without an outcome. */
export const unresolvedSettlements =
  "select created_at from settlements where due_at is not null order by due_at"

/** Statements over settlements, for operators. */
export const unresolvedStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, maybe } = statements(sql, "unresolvedSettlements")
  const columns = (at: Date) => sql`
    id, kind, channel, state, code, post_id, comment_id, recipient_id, buyer_id,
    upper(encode(block_hash, 'hex')) as transaction, encode(payer_key, 'hex') as payer_key,
    encode(pay_to_key, 'hex') as pay_to_key, amount_raw::text as amount_raw, attempts,
    wire_time(created_at) as created_at, wire_time(due_at) as due_at,
    greatest(0, floor(extract(epoch from ${at}::timestamptz - created_at)))::integer as age_seconds`

  return {
    list: ({ after, at, limit, state }: Slice) => {
      const conditions = [
        sql`due_at is not null`,
        ...(state === undefined ? [] : [sql`state = ${state}`]),
        ...(after === undefined ? [] : [sql`id > ${after}`])
      ]
      return many("list", ReportRow)`
        select ${columns(at)} from settlements where ${sql.and(conditions)} order by id limit ${limit}`
    },

    find: (id: SettlementId, at: Date) =>
      maybe("find", ReportRow)`select ${columns(at)} from settlements where id = ${id}`
  }
})
