import { Schema } from "effect"
import {
  CommentId,
  OwnerId,
  PaymentSessionId,
  PostId,
  PurchaseId,
  SettlementId
} from "../../../schemas/platform/Ids.ts"
import { NanoPublicKey, RawAmount } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import type { LiveSession } from "./matching.ts"

/** A payment session as it is stored. `is_live` ends when its amount is free for another one. */
export const SessionRow = Schema.Struct({
  id: PaymentSessionId,
  kind: Schema.Literals(["purchase", "tip"]),
  post_id: Schema.NullOr(PostId),
  comment_id: Schema.NullOr(CommentId),
  recipient_id: OwnerId,
  buyer_id: Schema.NullOr(OwnerId),
  intent: Schema.Uint8Array,
  token_hash: Schema.Uint8Array,
  receipt_hash: Schema.NullOr(Schema.Uint8Array),
  pay_to_key: NanoPublicKey,
  payout_revision: Schema.NullOr(Schema.Int),
  base_raw: RawAmount,
  amount_raw: RawAmount,
  version_sha256: Schema.NullOr(Schema.Uint8Array),
  state: Schema.Literals(["open", "seen", "paid", "cancelled"]),
  is_live: Schema.Boolean,
  created_at: Schema.Date,
  expires_at: Schema.Date,
  cancelled_at: Schema.NullOr(Schema.Date),
  late_until: Schema.Date,
  waited_until: Schema.NullOr(Schema.Date),
  said_sent_at: Schema.NullOr(Schema.Date),
  said_payer: Schema.NullOr(NanoPublicKey),
  seen_hash: Schema.NullOr(BlockHash),
  block_hash: Schema.NullOr(BlockHash),
  received_raw: Schema.NullOr(RawAmount),
  matched_by: Schema.NullOr(Schema.Literals(["exact", "base"])),
  is_late: Schema.Boolean,
  settlement_id: Schema.NullOr(SettlementId),
  duplicates: Schema.Array(BlockHash),
  purchase_id: Schema.NullOr(PurchaseId)
})
export type SessionRow = typeof SessionRow.Type

/** Returns a session as payments are compared with it. */
export const liveSessionOf = (row: SessionRow): LiveSession & { readonly row: SessionRow } => ({
  id: row.id,
  baseRaw: row.base_raw,
  amountRaw: row.amount_raw,
  createdAt: row.created_at,
  endsAt: row.cancelled_at !== null && row.cancelled_at < row.expires_at ? row.cancelled_at : row.expires_at,
  lateUntil: row.late_until,
  waitedUntil: row.waited_until,
  saidSentAt: row.said_sent_at,
  isExactOnly: row.kind === "purchase" && row.buyer_id === null,
  saidPayer: row.said_payer,
  paidBy: row.block_hash,
  seenBlock: row.seen_hash,
  duplicates: row.duplicates,
  row
})
