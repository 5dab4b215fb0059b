import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { Period } from "../../../schemas/payments/finance/period.ts"
import { MatchedBy } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { CommentId, OwnerId, PostId, PurchaseId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { shownHandle, shownId } from "../../accounts/owners/authorRow.ts"

/** A payment that an author received. */
export const ReceivedRow = Schema.Struct({
  id: SettlementId,
  kind: Schema.Literals(["purchase", "tip"]),
  channel: Schema.Literals(["x402", "session", "claim"]),
  matched_by: Schema.NullOr(MatchedBy),
  is_duplicate: Schema.Boolean,
  purchase_id: Schema.NullOr(PurchaseId),
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  title: Schema.NullOr(Schema.String),
  amount_raw: Schema.String,
  base_raw: Schema.String,
  version_sha256: Schema.NullOr(Schema.String),
  refunded_raw: Schema.String,
  payer_key: NanoPublicKey,
  block_hash: Schema.String,
  late: Schema.Boolean,
  confirmed_at: Timestamp,
  role: Schema.Literals(["author", "platform"]),
  allocated_raw: Schema.String,
  address: NanoAddress,
  payout_revision: Schema.NullOr(Schema.Int),
  buyer_id: Schema.NullOr(OwnerId),
  buyer_name: Schema.NullOr(Schema.String),
  buyer_handle: Schema.NullOr(Schema.String),
  buyer_avatar_url: Schema.NullOr(Schema.String),
  buyer_kind: Schema.NullOr(AuthorKind)
})
export type ReceivedRow = typeof ReceivedRow.Type

/** The columns of `ReceivedRow`, of the joins below. A second payment of a session is recognised by its exact amount. */
export const receivedColumns = `
  s.id, s.kind, s.channel,
  case when s.channel = 'session' then coalesce(
    (select matched_by from payment_sessions where payment_sessions.settlement_id = s.id
      and payment_sessions.id = s.session_id), 'exact') end as matched_by,
  s.duplicate as is_duplicate, s.post_id, s.comment_id, coalesce(v.title, p.title) as title,
  (select id from purchases where settlement_id = s.id) as purchase_id,
  s.amount_raw::text as amount_raw, s.base_raw::text as base_raw,
  encode(s.version_sha256, 'hex') as version_sha256, r.refunded_raw::text as refunded_raw,
  encode(s.payer_key, 'hex') as payer_key, upper(encode(s.block_hash, 'hex')) as block_hash, s.late,
  wire_time(s.settled_at) as confirmed_at,
  a.role, a.amount_raw::text as allocated_raw, a.address, a.payout_revision,
  ${shownId("b")} as buyer_id, b.name as buyer_name, ${shownHandle("b")} as buyer_handle, b.avatar_url as buyer_avatar_url,
  b.author_kind as buyer_kind`

/**
 * All facts about the settlements `s`, each by a look at an index: `offset 0` keeps the planner from reading whole
 * tables. A payment has one recipient, so it has one allocation.
 */
export const receivedJoins = `
  cross join lateral (select * from allocations where settlement_id = s.id offset 0) a
  cross join lateral (
    select coalesce(sum(amount_raw), 0) as refunded_raw from refunds where settlement_id = s.id) r
  left join lateral (select * from posts where posts.id = s.post_id offset 0) p on true
  left join lateral (
    select * from sold_versions where sold_versions.post_id = s.post_id and sold_versions.sha256 = s.version_sha256 offset 0) v on true
  left join lateral (select * from owners where owners.id = s.buyer_id offset 0) b on true`

/** Returns the conditions that keep a moment within a period. */
export const within = (
  sql: SqlClient.SqlClient,
  column: string,
  { from, to }: Period
): ReadonlyArray<Statement.Fragment> => [
  ...(from === undefined ? [] : [sql`${sql(column)} >= ${from}::date::timestamp at time zone 'UTC'`]),
  ...(to === undefined ? [] : [sql`${sql(column)} < ${to}::date::timestamp at time zone 'UTC'`])
]

/** Returns the condition that keeps a day in UTC within a period. */
export const daysWithin = (sql: SqlClient.SqlClient, column: string, { from, to }: Period) =>
  sql.and([
    sql`true`,
    ...(from === undefined ? [] : [sql`${sql(column)} >= ${from}::date`]),
    ...(to === undefined ? [] : [sql`${sql(column)} < ${to}::date`])
  ])
