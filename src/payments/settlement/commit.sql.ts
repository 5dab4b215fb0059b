import { Effect, Option, Schema } from "effect"
import { type SqlClient, SqlError, type Statement } from "effect/sql"
import { type PostId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"
import { type ConfirmedPayment, displaced, endedByInsert, paidBy } from "./confirmed.sql.ts"
import type { SettlementRow } from "./settlementRow.ts"
import { holdBlock } from "./usedBlocks.sql.ts"

/** Number of rows over which the sums of one author are spread, so that payers do not wait for each other. */
const SUM_SHARDS = 16

/** Parts of a fee in basis points, as `PLATFORM_FEE_BPS` has them. */
const BPS = 10_000n

/** Returns the platform's part of a payment: the floor. The rest is the author's. */
const feeOf = (amountRaw: bigint, bps: number): bigint => (amountRaw * BigInt(bps)) / BPS

const VersionRow = Schema.Struct({ id: Schema.String })

/**
 * Finds or saves the version of a Post as it is sold now, and holds the Post against deletion until the transaction ends.
 * Buyers of one Post hold it together. Returns none when another transaction saved the version, or changed the Post, in this
 * very moment: a statement that waited for the Post reads its files as they were before it waited.
 */
const soldVersion = (sql: SqlClient.SqlClient, post: PostId, id: string, at: Date) =>
  sql`
    with post as materialized (
      select p.id, p.title, p.description, p.free_content_markdown, p.paid_content_markdown, p.creation_method,
        p.creation_details, p.language, p.updated_at
      from posts p where p.id = ${post} for key share
    ), current as (
      select post.* from post join posts seen on seen.id = post.id and seen.updated_at = post.updated_at
    ), version as materialized (
      select current.*, files.attachments, sha256(convert_to(jsonb_build_array(current.title, current.description,
        current.free_content_markdown, current.paid_content_markdown, current.creation_method, current.creation_details,
        current.language, files.attachments)::text, 'UTF8')) as sha256
      from current cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'fileName', a.file_name, 'byteSize', a.byte_size,
          'sha256', encode(a.sha256, 'hex'))
          order by a.id), '[]') as attachments
        from post_attachments a where a.post_id = current.id and a.state <> 'receiving' and a.removed_at is null) files
    ), known as (
      select v.id from sold_versions v join version on v.post_id = version.id and v.sha256 = version.sha256
    ), made as (
      insert into sold_versions (id, post_id, sha256, title, description, free_content_markdown, paid_content_markdown,
        creation_method, creation_details, language, attachments, created_at)
      select ${id}::uuid, version.id, version.sha256, title, description, free_content_markdown, paid_content_markdown,
        creation_method, creation_details, language, attachments, ${at}::timestamptz
      from version where not exists (select from known)
      on conflict (post_id, sha256) do nothing returning id
    )
    select id from known union all select id from made`.pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(VersionRow))),
    Effect.map(([row]) => row?.id)
  )

/** New ids; a commit uses those that it needs. */
interface CommitIds {
  readonly version: string
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
const endedById = (sql: SqlClient.SqlClient, id: SettlementId, versionId: string | null, at: Date) => sql`
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
    update settlements s set state = 'settled', settled_at = ${at}, due_at = null, code = null, sold_version_id = ${versionId}::uuid,
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
  /** Returns the version of a Post that is sold now. */
  soldVersion: (post: PostId, id: string, at: Date): Effect.Effect<string> =>
    soldVersion(sql, post, id, at).pipe(
      Effect.repeat({ until: (found) => found !== undefined, times: 5 }),
      Effect.flatMap((found) => Effect.fromOption(Option.fromUndefinedOr(found))),
      Effect.orDie
    ),
  /**
   * Settles what is `settling` or `lapsed`, with all that follows. Returns none when it has ended already. Each try is a
   * savepoint of the surrounding transaction.
   */
  settle: (row: SettlementRow, versionId: string | null, options: CommitOptions) =>
    again(sql, withBooks(sql, row, endedById(sql, row.id, versionId, options.at), options)),
  /** Saves a payment that is confirmed as settled, with all that follows. Returns none for a block that is taken. */
  insertSettled: (
    payment: ConfirmedPayment,
    id: SettlementId,
    versionId: string | null,
    options: CommitOptions
  ) =>
    holdBlock(sql, payment.block.hash).pipe(
      Effect.andThen(forgetRefused(sql, payment.block.hash)),
      Effect.andThen(
        again(
          sql,
          withBooks(sql, paidBy(payment), endedByInsert(sql, payment, id, versionId, options.at), options)
        )
      )
    )
})
