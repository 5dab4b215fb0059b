import type { SqlClient, Statement } from "effect/sql"
import type { OwnerId, PaymentSessionId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { type NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import type { LedgerBlock } from "../../platform/ports/NanoLedger.ts"
import type { PaymentTarget } from "./PaymentTarget.ts"
import type { SettlementRow } from "./settlementRow.ts"
import { isPaidOut } from "./usedBlocks.sql.ts"

/** Money that is confirmed on the ledger already, and the thing that it pays. */
export interface ConfirmedPayment {
  readonly channel: "session" | "claim"
  readonly sessionId: PaymentSessionId | null
  readonly target: PaymentTarget
  readonly block: LedgerBlock
  /** The money that came. */
  readonly amountRaw: bigint
  /** The price, or the tip without the tag of its session. */
  readonly baseRaw: bigint
  readonly payTo: NanoAddress
  /** Revision of the owner's payout address; null for the platform's turn. */
  readonly payoutRevision: number | null
  readonly buyerId: OwnerId | null
  readonly late: boolean
  /** The version of the Post that its session offered; null for money that came without an offer, and for tips. */
  readonly version: Uint8Array | null
  readonly receiptHash: Uint8Array | null
  /** True for money that buys nothing, from any payer, such as a second payment of one session. */
  readonly isDuplicate?: boolean
}

export const paidBy = ({
  amountRaw,
  payTo,
  payoutRevision
}: ConfirmedPayment): Pick<SettlementRow, "amount_raw" | "pay_to_key" | "pay_to_role"> => ({
  amount_raw: amountRaw,
  pay_to_key: publicKeyOfAddress(payTo),
  pay_to_role: payoutRevision === null ? "platform" : "author"
})

/**
 * Takes the Post from claims of this identity that are still settling: confirmed money comes first. Such a claim becomes
 * a duplicate if its block is confirmed as well.
 */
export const displaced = (
  sql: SqlClient.SqlClient,
  post: Statement.Fragment,
  identity: Statement.Fragment,
  condition: Statement.Fragment
) => sql`
  update settlements set identity = null
  where kind = 'purchase' and state = 'settling' and post_id = ${post} and identity = ${identity} and ${condition}
  returning id`

/**
 * Inserts a settlement that has ended. It never fails on a rule, as the money is there: a Post that its payer has bought
 * already makes it a duplicate. Inserts nothing for a block that is used. The caller holds the block.
 */
export const endedByInsert = (
  sql: SqlClient.SqlClient,
  payment: ConfirmedPayment,
  id: SettlementId,
  version: Uint8Array | null,
  at: Date
) => {
  const { amountRaw, baseRaw, block, buyerId, channel, isDuplicate = false, target } = payment
  const { pay_to_key, pay_to_role } = paidBy(payment)
  const payer = sql`decode(${block.account}, 'hex')`
  // An anonymous session belongs to its receipt: an exchange pays for all its customers from one wallet.
  const receipt = sql`${payment.receiptHash}::bytea`
  const payerOrNobody = channel === "session" ? receipt : payer
  const identity = buyerId === null ? payerOrNobody : sql`uuid_send(${buyerId}::uuid)`
  const comment = target.kind === "tip" ? target.commentId : null
  const recipient =
    target.kind === "tip"
      ? sql`${target.recipientId}::uuid`
      : sql`(select owner_id from posts where id = ${target.postId})`
  const isTwin =
    target.kind === "purchase"
      ? sql`exists (select from settlements where kind = 'purchase' and post_id = ${target.postId}
          and state = 'settled' and identity = ${identity})
          -- A purchase that was added to an account has another identity, and still opens the text of its browser.
          or exists (select from access_receipts where token_hash = ${receipt} and purchase_id is not null
            and revoked_at is null)`
      : sql`false`
  const isPurchase = target.kind === "purchase" && !isDuplicate
  return sql`
    twin as (select ${isDuplicate} or ${isTwin} as is_there),
    displaced as (${displaced(sql, sql`${target.postId}::uuid`, identity, sql`${isPurchase} and not ${isPaidOut(sql, block.hash)}`)}),
    ended as (
      insert into settlements (id, kind, channel, state, duplicate, post_id, comment_id, recipient_id, receipt_hash,
        session_id, block_hash, previous, payer_key, pay_to_key, pay_to_role, payout_revision, buyer_id, identity,
        amount_raw, base_raw, late, created_at, settled_at, version_sha256)
      select ${id}::uuid, ${target.kind}, ${channel}, 'settled', twin.is_there, ${target.postId}::uuid, ${comment}::uuid,
        ${recipient}, ${receipt}, ${payment.sessionId}::uuid, decode(${block.hash}, 'hex'),
        decode(${block.previous}, 'hex'), ${payer}, decode(${pay_to_key}, 'hex'), ${pay_to_role},
        ${payment.payoutRevision}::integer, ${buyerId}::uuid,
        case when not twin.is_there and ${target.kind === "purchase"} then ${identity} end,
        ${String(amountRaw)}::numeric, ${String(baseRaw)}::numeric, ${payment.late}, ${at}::timestamptz,
        ${at}::timestamptz, ${version}::bytea
      from twin where (select count(*) from displaced) >= 0 and not ${isPaidOut(sql, block.hash)}
      on conflict (block_hash) do nothing
      returning *
    )`
}
