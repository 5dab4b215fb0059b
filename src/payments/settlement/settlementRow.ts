import { Schema } from "effect"
import { CommentId, OwnerId, PostId, PurchaseId, SettlementId, TipId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey, type NanoAddress, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import type { PaymentTarget } from "./PaymentTarget.ts"

/** States of a settlement (see the README of the wing). */
type SettlementState = "settling" | "settled" | "refused" | "lapsed"

/** One block of the ledger that pays one thing. */
export interface Settlement {
  readonly id: SettlementId
  readonly state: SettlementState
  readonly channel: "x402" | "session" | "claim"
  /** The reason of a refusal, such as `fork`. */
  readonly code: string | null
  /** True for a payment for a Post that its payer already had. It bought nothing. */
  readonly isDuplicate: boolean
  readonly target: PaymentTarget
  /** The owner who is paid: the author of the Post or of the Comment. */
  readonly recipientId: OwnerId
  readonly blockHash: BlockHash
  readonly payerKey: NanoPublicKey
  readonly payTo: NanoAddress
  readonly amountRaw: bigint
  readonly buyerId: OwnerId | null
  readonly purchaseId: PurchaseId | null
  readonly tipId: TipId | null
  readonly createdAt: Date
  readonly settledAt: Date | null
}

/** The block of a claim, as its payer sent it. `work` is null when the payer left it to the service. */
const ClaimedBlock = SignedBlock.pipe(Schema.fieldsAssign({ work: Schema.NullOr(BlockWork) }))

export const SettlementRow = Schema.Struct({
  id: SettlementId,
  kind: Schema.Literals(["purchase", "tip"]),
  channel: Schema.Literals(["x402", "session", "claim"]),
  state: Schema.Literals(["settling", "settled", "refused", "lapsed"]),
  code: Schema.NullOr(Schema.String),
  is_duplicate: Schema.Boolean,
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  recipient_id: OwnerId,
  payload_hash: Schema.NullOr(Schema.Uint8Array),
  receipt_hash: Schema.NullOr(Schema.Uint8Array),
  block_hash: BlockHash,
  previous: BlockHash,
  payer_key: NanoPublicKey,
  pay_to_key: NanoPublicKey,
  pay_to_role: Schema.Literals(["author", "platform"]),
  payout_revision: Schema.NullOr(Schema.Int),
  buyer_id: Schema.NullOr(OwnerId),
  amount_raw: Schema.BigIntFromString,
  late: Schema.Boolean,
  block: Schema.NullOr(ClaimedBlock),
  /** The work that a server made for the service; null until then. */
  made_work: Schema.NullOr(BlockWork),
  created_at: Schema.Date,
  settled_at: Schema.NullOr(Schema.Date),
  attempts: Schema.Int,
  /** The end of the last look; null under a lease, and before the first look. */
  looked_at: Schema.NullOr(Schema.Date),
  /** The time at which the ledger took the block from a worker. */
  sent_at: Schema.NullOr(Schema.Date),
  purchase_id: Schema.NullOr(PurchaseId),
  tip_id: Schema.NullOr(TipId)
})
export type SettlementRow = typeof SettlementRow.Type

/** Columns of `settlements s`. */
export const settlementColumns = `
  s.id, s.kind, s.channel, s.state, s.code, s.duplicate as is_duplicate, s.post_id, s.comment_id, s.recipient_id,
  s.payload_hash, s.receipt_hash, encode(s.block_hash, 'hex') as block_hash, encode(s.previous, 'hex') as previous,
  encode(s.payer_key, 'hex') as payer_key, encode(s.pay_to_key, 'hex') as pay_to_key, s.pay_to_role, s.payout_revision,
  s.buyer_id, s.amount_raw::text as amount_raw, s.late, s.block, s.made_work, s.created_at, s.settled_at, s.attempts,
  s.looked_at, s.sent_at,
  (select id from purchases where settlement_id = s.id) as purchase_id,
  (select id from tips where settlement_id = s.id) as tip_id`

const targetOf = (row: SettlementRow): PaymentTarget =>
  row.kind === "purchase" && row.post_id !== null
    ? { kind: "purchase", postId: row.post_id }
    : { kind: "tip", postId: row.post_id, commentId: row.comment_id, recipientId: row.recipient_id }

export const settlementOf = (row: SettlementRow): Settlement => ({
  id: row.id,
  state: row.state,
  channel: row.channel,
  code: row.code,
  isDuplicate: row.is_duplicate,
  target: targetOf(row),
  recipientId: row.recipient_id,
  blockHash: row.block_hash,
  payerKey: row.payer_key,
  payTo: addressOfPublicKey(row.pay_to_key),
  amountRaw: row.amount_raw,
  buyerId: row.buyer_id,
  purchaseId: row.purchase_id,
  tipId: row.tip_id,
  createdAt: row.created_at,
  settledAt: row.settled_at
})
