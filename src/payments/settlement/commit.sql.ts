import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlError, type Statement } from "effect/sql"
import { type PostId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type ConfirmedPayment, displaced, endedByInsert, paidBy } from "./confirmed.sql.ts"
import type { SettlementRow } from "./settlementRow.ts"
import { saveVersion, versionColumns } from "./soldVersion.sql.ts"
import { holdBlock } from "./usedBlocks.sql.ts"

/** Number of rows over which the sums of one author are spread, so that payers do not wait for each other. */
const SUM_SHARDS = 16

/** Parts of a fee in basis points, as `PLATFORM_FEE_BPS` has them. */
const BPS = 10_000n

/** Returns the platform's part of a payment: the floor. The rest is the author's. */
const feeOf = (amountRaw: bigint, bps: number): bigint => (amountRaw * BigInt(bps)) / BPS

const VersionRow = Schema.Struct({ version_sha256: Schema.Uint8Array })

/**
 * Saves the version of a Post that is sold at this moment, for money that came without an offer of ours, and returns its
 * digest.
 */
const sellVersion = (sql: SqlClient.SqlClient, post: PostId, at: Date) => {
  const { one } = statements(sql, "settlements")
  return Effect.map(
    one("sellVersion", VersionRow)`
      with post as materialized (
        select p.id as post_id, ${sql.literal(versionColumns)} from posts p where p.id = ${post} for key share),
      version as (${saveVersion(sql, "post", at)})
      select version_sha256 from post`,
    ({ version_sha256 }) => version_sha256
  )
}

/** New ids; a commit uses those that it needs. */
interface CommitIds {
  readonly tip: string
  readonly allocation: string
}

export interface CommitOptions {
  readonly ids: CommitIds
  readonly at: Date
  readonly feeBps: number
}

/** The parts of a payment that a commit needs. */
export type Paid = Pick<SettlementRow, "amount_raw" | "pay_to_key" | "pay_to_role">

const EndedRow = Schema.Struct({ id: SettlementId, is_duplicate: Schema.Boolean })

/**
 * Ends what is `settling` or `lapsed`. If the same identity has bought the Post meanwhile, the payment is a duplicate:
 * the author keeps the money, and it buys nothing. The row is locked before anything is decided: confirmed money may
 * take the Post from it in this very moment.
 */
const endedById = (sql: SqlClient.SqlClient, id: SettlementId, at: Date) => sql`
  mine as materialized (select * from settlements where id = ${id} and kind = 'purchase' for no key update),
  twin as (
    select exists (
      select from settlements d join mine on d.post_id = mine.post_id and d.identity = mine.identity
      where d.kind = 'purchase' and d.state = 'settled' and d.id <> mine.id)
    -- Money that is confirmed has taken the Post from this claim.
    or exists (select from mine where identity is null) as is_there
  ), displaced as (${displaced(
    sql,
    sql`(select post_id from mine where state = 'lapsed')`,
    sql`(select identity from mine)`,
    sql`id <> ${id} and not (select is_there from twin)`
  )}),
  ended as (
    update settlements s set state = 'settled', settled_at = ${at}, due_at = null, code = null,
      duplicate = twin.is_there, identity = case when twin.is_there then null else s.identity end
    from twin
    where s.id = ${id} and s.state in ('settling', 'lapsed') and (select count(*) from displaced) >= 0
    returning s.*
  )`

/** Adds all that follows from a settlement to the common table expression `ended`, which has it as it is now. */
const withBooks = (
  sql: SqlClient.SqlClient,
  { amount_raw, pay_to_key, pay_to_role }: Paid,
  ended: Statement.Fragment,
  { at, feeBps, ids }: CommitOptions
) => {
  const fee = feeOf(amount_raw, feeBps)
  const received = pay_to_role === "platform" ? amount_raw : 0n
  const day = sql`(${at}::timestamptz at time zone 'UTC')::date`
  const shard = sql`(get_byte(uuid_send(id), 15) % ${SUM_SHARDS})::smallint`
  const isSale = sql`(kind = 'purchase')::integer`
  const sums = sql`${isSale}, ${isSale} * amount_raw, 1 - ${isSale}, (1 - ${isSale}) * amount_raw`
  const add = (table: string) =>
    sql`do update set sales = ${sql(table)}.sales + excluded.sales, sales_raw = ${sql(table)}.sales_raw + excluded.sales_raw,
      tips = ${sql(table)}.tips + excluded.tips, tips_raw = ${sql(table)}.tips_raw + excluded.tips_raw`
  return sql`
    with ${ended}, bought as (select * from ended where not duplicate),
    purchased as (
      insert into purchases (id, settlement_id, post_id, buyer_id, payer_key, amount_raw, late, created_at)
      select id, id, post_id, buyer_id, payer_key, amount_raw, late, ${at}::timestamptz
      from bought where kind = 'purchase'
    ), tipped as (
      insert into tips (id, settlement_id, post_id, comment_id, recipient_id, buyer_id, payer_key, amount_raw, late, created_at)
      select ${ids.tip}::uuid, id, post_id, comment_id, recipient_id, buyer_id, payer_key, amount_raw, late,
        ${at}::timestamptz
      from bought where kind = 'tip'
    -- A tip to a Comment is not a tip to its Post.
    ), counted as (
      ${sql.literal(appendCounterChanges)}
      select case kind when 'purchase' then 'post_purchases' else 'post_tips' end, post_id, 1
      from bought where post_id is not null and comment_id is null
    ), earned_by_post as (
      insert into post_earnings (owner_id, post_id, shard, sales, earned_raw)
      select recipient_id, post_id, ${shard}, ${isSale}, amount_raw
      from bought where post_id is not null and comment_id is null
      on conflict (owner_id, post_id, shard) do update set sales = post_earnings.sales + excluded.sales,
        earned_raw = post_earnings.earned_raw + excluded.earned_raw
    ), allocated as (
      insert into allocations (id, settlement_id, role, owner_id, amount_raw, address, payout_revision, state, created_at)
      select ${ids.allocation}::uuid, id, pay_to_role, recipient_id, amount_raw, ${addressOfPublicKey(pay_to_key)},
        payout_revision, 'settled', ${at}::timestamptz
      from ended
    ), earned as (
      insert into earnings_daily (owner_id, day, shard, sales, sales_raw, tips, tips_raw)
      select recipient_id, ${day}, ${shard}, ${sums} from bought
      on conflict (owner_id, day, shard) ${add("earnings_daily")}
    ), supported as (
      insert into support_daily (owner_id, day, sales, sales_raw, tips, tips_raw)
      select buyer_id, ${day}, ${sums} from bought where buyer_id is not null
      on conflict (owner_id, day) ${add("support_daily")}
    ), accrued as (
      insert into fee_accounts (owner_id, shard, accrued_raw)
      select recipient_id, ${shard}, change
      from (select *, case when duplicate then 0 else ${String(fee)}::numeric end - ${String(received)}::numeric as change
        from ended) changed
      where change <> 0
      on conflict (owner_id, shard) do update set accrued_raw = fee_accounts.accrued_raw + excluded.accrued_raw
    )
    select id, duplicate as is_duplicate from ended`.pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(EndedRow))),
    Effect.map(([row]) => Option.fromUndefinedOr(row))
  )
}

/** A commit met another one of the same identity at this very moment; on a retry, it sees the other. */
const isCollision = (error: unknown) =>
  SqlError.isSqlError(error) &&
  error.reason._tag === "UniqueViolation" &&
  error.reason.constraint === "settlements_identity"

const again = <A>(
  sql: SqlClient.SqlClient,
  statement: Effect.Effect<A, SqlError.SqlError | Schema.SchemaError>
) => sql.withTransaction(statement).pipe(Effect.retry({ while: isCollision, times: 3 }), Effect.orDie)

/**
 * Removes a refused settlement of a block that its payer has sent outside the flow, because the confirmed payment
 * counts.
 */
const forgetRefused = (sql: SqlClient.SqlClient, block: BlockHash) =>
  Effect.orDie(sql`delete from settlements where block_hash = decode(${block}, 'hex') and state = 'refused'`)

/** The statements of a commit, in the order of their locks: the Post, the settlement, the sums. */
export const commitStatements = (sql: SqlClient.SqlClient) => ({
  /** Holds a Post against deletion until the transaction ends. Buyers of one Post hold it together. */
  holdPost: (post: PostId) =>
    Effect.orDie(Effect.asVoid(sql`select from posts where id = ${post} for key share`)),
  sellVersion: (post: PostId, at: Date) => sellVersion(sql, post, at),
  /**
   * Settles what is `settling` or `lapsed`, with all that follows. Returns none when it has ended already. Each try is a
   * savepoint of the surrounding transaction.
   */
  settle: (row: SettlementRow, options: CommitOptions) =>
    again(sql, withBooks(sql, row, endedById(sql, row.id, options.at), options)),
  /** Saves a payment that is confirmed as settled, with all that follows. Returns none for a block that is taken. */
  insertSettled: (
    payment: ConfirmedPayment,
    id: SettlementId,
    version: Uint8Array | null,
    options: CommitOptions
  ) =>
    holdBlock(sql, payment.block.hash).pipe(
      Effect.andThen(forgetRefused(sql, payment.block.hash)),
      Effect.andThen(
        again(
          sql,
          withBooks(sql, paidBy(payment), endedByInsert(sql, payment, id, version, options.at), options)
        )
      )
    )
})
