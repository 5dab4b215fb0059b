import { Effect, Option, Schedule, Schema } from "effect"
import { type SqlClient, SqlError, type Statement } from "effect/sql"
import type { OwnerId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { type NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isForSale } from "../../publishing/posts/fileForSale.sql.ts"
import type { CheckedBlock } from "../x402/checkBlock.ts"
import type { PaymentTarget } from "./PaymentTarget.ts"
import { settlementColumns, SettlementRow } from "./settlementRow.ts"
import { saveVersion, versionColumns } from "./soldVersion.sql.ts"

/** A block that passed every check, and the thing that it is to pay. */
export interface Claim {
  readonly target: PaymentTarget
  /** The file for which the Post is bought. */
  readonly fileId?: UploadOperationId | undefined
  /** SHA-256 of the quote. */
  readonly quoteHash: Uint8Array
  /** SHA-256 of the payload's canonical JSON. */
  readonly payloadHash: Uint8Array
  readonly paymentIdentifier: string | null
  readonly block: Omit<CheckedBlock, "balanceRaw">
  readonly amountRaw: bigint
  readonly payTo: NanoAddress
  /** The account that pays; null for a wallet alone. */
  readonly buyerId: OwnerId | null
  /** SHA-256 of the receipt that the commit saves with the purchase. */
  readonly receiptHash: Uint8Array | null
}

export interface ClaimOptions {
  readonly id: string
  readonly at: Date
  readonly leaseUntil: Date
  /** The platform's address; null while it takes no fee. */
  readonly platformAddress: NanoAddress | null
}

/** The pause after a deadlock. Without one, the claim would take its locks before the other transaction goes on. */
const PAUSE = Schedule.spaced("50 millis")

/** The transaction was the one that PostgreSQL ended of several that waited for each other. */
const isDeadlock = (error: unknown) => SqlError.isSqlError(error) && error.reason._tag === "DeadlockError"

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(SettlementRow))

/**
 * Selects what is for sale on the terms of the claim, or none, and holds the Post, its author and the file as they are: a
 * request that withdraws, edits or deletes the Post, removes the file or saves another address waits until the claim has
 * committed. After a wait PostgreSQL looks again only at the rows that are held, so `public_owners` has to be joined. One
 * `for share` locks tables before views, so the file is locked by a query of its own, after the Post.
 */
const targetOf = (
  sql: SqlClient.SqlClient,
  { amountRaw, fileId, payTo, target }: Claim,
  platformAddress: NanoAddress | null
) => {
  const columns = sql`o.id as recipient_id, o.payout_address, o.payout_revision`
  const isPaid = sql`(
    o.payout_address = ${payTo} or (${payTo} = ${platformAddress}::text and o.payout_address is not null))`
  if (target.kind === "purchase") {
    const post = sql`
      select p.id as post_id, null::uuid as comment_id, ${columns}, ${sql.literal(versionColumns)}
      from public_posts p join public_owners o on o.id = p.owner_id
      where p.id = ${target.postId} and p.enable_paywall
        and p.price_raw = ${String(amountRaw)}::numeric and ${isPaid}
      for share of p, o`
    return fileId === undefined
      ? post
      : sql`
        with held as materialized (${post})
        select held.* from held join post_attachments f on f.post_id = held.post_id and ${isForSale(sql, fileId)}
        for share of f`
  }
  if (target.commentId !== null)
    return sql`
      select p.id as post_id, c.id as comment_id, ${columns}
      from public_comments c join public_posts p on p.id = c.post_id join public_owners o on o.id = c.author_id
      where c.id = ${target.commentId} and c.post_id = ${target.postId} and o.id = ${target.recipientId}
        and c.deleted_at is null and ${isPaid} for share of p, o`
  if (target.postId !== null)
    return sql`
      select p.id as post_id, null::uuid as comment_id, ${columns}
      from public_posts p join public_owners o on o.id = p.owner_id
      where p.id = ${target.postId} and o.id = ${target.recipientId} and ${isPaid}
      for share of p, o`
  return sql`
    select null::uuid as post_id, null::uuid as comment_id, ${columns} from public_owners o
    where o.id = ${target.recipientId} and ${isPaid} for share of o`
}

/**
 * Selects a payment that forbids this one: of the same wallet for the same Post, when that one or this one has no account
 * to tell them apart, or of the wallet that this account signs in with. An identical tip waits for the first to settle.
 */
const earlier = (sql: SqlClient.SqlClient, { amountRaw, block, buyerId, target }: Claim) => {
  const payer = sql`decode(${block.payerKey}, 'hex')`
  return target.kind === "purchase"
    ? sql`
      select from settlements s
      where s.kind = 'purchase' and s.post_id = ${target.postId} and s.state in ('settling', 'settled')
        and ((s.payer_key = ${payer} and (s.buyer_id is null or ${buyerId}::uuid is null))
          or s.payer_key = (select wallet_public_key from owners where id = ${buyerId}::uuid))`
    : sql`
      select from settlements s
      where s.kind = 'tip' and s.target_id = ${target.commentId ?? target.postId ?? target.recipientId}
        and s.state = 'settling' and s.payer_key = ${payer} and s.amount_raw = ${String(amountRaw)}::numeric`
}

const valuesOf = (
  sql: SqlClient.SqlClient,
  claim: Claim,
  { at, leaseUntil }: ClaimOptions
): Record<string, Statement.Fragment> => {
  const { amountRaw, block, buyerId, payTo, target } = claim
  const amount = sql`${String(amountRaw)}::numeric`
  const payer = sql`decode(${block.payerKey}, 'hex')`
  const identity = buyerId === null ? payer : sql`uuid_send(${buyerId}::uuid)`
  const kept = JSON.stringify({
    ...block.block,
    balance: String(block.block.balance),
    work: block.hasWork ? block.block.work : null
  })
  return {
    kind: sql`${target.kind}::text`,
    channel: sql`'x402'`,
    state: sql`'settling'`,
    code: sql`null`,
    post_id: sql`target.post_id`,
    comment_id: sql`target.comment_id`,
    recipient_id: sql`target.recipient_id`,
    version_sha256: target.kind === "purchase" ? sql`target.version_sha256` : sql`null::bytea`,
    quote_hash: sql`${claim.quoteHash}::bytea`,
    payload_hash: sql`${claim.payloadHash}::bytea`,
    payment_identifier: sql`${claim.paymentIdentifier}::text`,
    receipt_hash: sql`${claim.receiptHash}::bytea`,
    block_hash: sql`decode(${block.hash}, 'hex')`,
    previous: sql`decode(${block.previous}, 'hex')`,
    payer_key: payer,
    pay_to_key: sql`decode(${publicKeyOfAddress(payTo)}, 'hex')`,
    pay_to_role: sql`case when target.payout_address = ${payTo} then 'author' else 'platform' end`,
    payout_revision: sql`case when target.payout_address = ${payTo} then target.payout_revision end`,
    buyer_id: sql`${buyerId}::uuid`,
    identity: target.kind === "purchase" ? identity : sql`null::bytea`,
    amount_raw: amount,
    base_raw: amount,
    block: sql`${kept}::jsonb`,
    created_at: sql`${at}::timestamptz`,
    due_at: sql`${leaseUntil}::timestamptz`,
    attempts: sql`1`,
    looked_at: sql`null::timestamptz`,
    sent_at: sql`null::timestamptz`
  }
}

/**
 * Claims in one statement: it checks that the terms still hold and that no other settlement has the block, the quote or
 * the Post, and saves the version of the Post that is sold, and the settlement. Nothing reads the Post for the buyer after
 * that. A refused settlement of the same block starts again, because nothing of it
 * reached the ledger. Returns none if it cannot claim; then another statement says why.
 */
export const claimStatement =
  (sql: SqlClient.SqlClient) =>
  (claim: Claim, options: ClaimOptions): Effect.Effect<Option.Option<SettlementRow>> => {
    const returned = sql.literal(settlementColumns)
    const values = valuesOf(sql, claim, options)
    const columns = Object.keys(values)
    const assignments = Object.entries(values).map(([column, value]) => sql`${sql(column)} = ${value}`)
    return sql`
      with target as materialized (${targetOf(sql, claim, options.platformAddress)}),
      free as (select target.* from target where not exists (${earlier(sql, claim)})),
      ${claim.target.kind === "purchase" ? sql`version as (${saveVersion(sql, "free", options.at)}),` : sql``}
      again as (
        update settlements s set ${sql.csv(assignments)} from free target
        where s.block_hash = decode(${claim.block.hash}, 'hex') and s.state = 'refused' returning ${returned}
      ),
      made as (
        insert into settlements as s (id, ${sql.csv(columns.map((column) => sql`${sql(column)}`))})
        select ${options.id}::uuid, ${sql.csv(Object.values(values))} from free target where not exists (select from again)
        on conflict do nothing returning ${returned}
      )
      select * from again union all select * from made`.pipe(
      Effect.flatMap(decodeRows),
      Effect.map(([row]) => Option.fromUndefinedOr(row)),
      Effect.retry({ schedule: PAUSE, times: 3, while: isDeadlock }),
      // A settlement that starts again met one that was made at this very moment.
      Effect.catchIf(
        (error) => SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation",
        () => Effect.succeedNone
      ),
      Effect.orDie
    )
  }

/** Reasons that keep a claim from its settlement. */
const ObstacleRow = Schema.Struct({
  is_open: Schema.Boolean,
  is_free: Schema.Boolean,
  has_terms: Schema.Boolean,
  is_known: Schema.Boolean,
  is_previous_in_flight: Schema.Boolean
})

/** Selects a target that readers may pay for, on any terms. */
const openTarget = (sql: SqlClient.SqlClient, { amountRaw, fileId, target }: Claim) => {
  if (target.kind === "purchase") {
    const hasFile =
      fileId === undefined
        ? sql`true`
        : sql`exists (select from post_attachments f where f.post_id = p.id and ${isForSale(sql, fileId)})`
    return sql`
      select p.id, not p.enable_paywall as is_free,
        p.price_raw = ${String(amountRaw)}::numeric and ${hasFile} as has_price, o.payout_address
      from public_posts p join owners o on o.id = p.owner_id where p.id = ${target.postId}`
  }
  const recipient = sql`
    select o.id, false as is_free, true as has_price, o.payout_address from public_owners o
    where o.id = ${target.recipientId}`
  if (target.postId === null) return recipient
  const post = sql`${recipient} and exists (select from public_posts where id = ${target.postId})`
  return target.commentId === null
    ? post
    : sql`${post} and exists (
        select from public_comments
        where id = ${target.commentId} and post_id = ${target.postId} and deleted_at is null)`
}

/** Says why a claim found no place. */
export const obstacleStatement = (sql: SqlClient.SqlClient) => {
  const { one } = statements(sql, "settlements")
  const bytes = (hex: string) => sql`decode(${hex}, 'hex')`

  return (claim: Claim, platformAddress: NanoAddress | null) => {
    const { block, payTo, quoteHash } = claim
    return one("obstacle", ObstacleRow)`
      select target.id is not null as is_open, coalesce(target.is_free, false) as is_free,
        coalesce(target.has_price and target.payout_address in (${payTo}, case ${platformAddress}::text when ${payTo}
          then target.payout_address end), false) as has_terms,
        exists (select from settlements where state <> 'refused'
          and (block_hash = ${bytes(block.hash)} or quote_hash = ${quoteHash})) as is_known,
        exists (select from settlements where state = 'settling' and previous = ${bytes(block.previous)})
          as is_previous_in_flight
      from (values (1)) always left join (${openTarget(sql, claim)}) target on true`
  }
}
