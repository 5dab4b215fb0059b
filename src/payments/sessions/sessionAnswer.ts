import { bytesToHex } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import { Mac } from "effect/crypto"
import type {
  PaymentSession,
  PaymentSessionState
} from "../../../schemas/payments/sessions/PaymentSession.ts"
import { addressOfPublicKey, xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { wireTime } from "../../platform/time/now.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import { lookSeconds } from "./cadence.ts"
import { paymentUri } from "./qr.ts"
import type { SessionRow } from "./sessionRow.ts"

/** Returns the state of a session at a moment: it expires by the clock, and closes once its last look is over. */
const stateOf = ({ expires_at, is_live, state }: SessionRow, at: Date): PaymentSessionState => {
  if (state === "paid") return "paid"
  if (!is_live) return "closed"
  return state === "open" && at >= expires_at ? "expired" : state
}

/** The holder of a session, as far as its answer depends on it. */
export interface Shown {
  readonly at: Date
  /** The CAIP-2 name of the ledger. */
  readonly network: string
  /** The token of the session, when the request has it. */
  readonly token: Redacted.Redacted | undefined
}

const receiptOf = (
  { purchase_id, receipt_hash }: SessionRow,
  sessionToken: Redacted.Redacted | undefined
) => {
  if (sessionToken === undefined || purchase_id === null || receipt_hash === null) return null
  const { token, tokenHash } = receiptTokenOf(sessionToken)
  // The receipt of a browser is not that of the session alone.
  if (!Mac.timingSafeEqual(tokenHash, receipt_hash)) return null
  return { token: Redacted.value(token), purchaseId: purchase_id, expiresAt: null }
}

/** Returns a session as its holder sees it. */
export const sessionOf = (row: SessionRow, { at, network, token }: Shown): PaymentSession => {
  const { created_at: createdAt, expires_at: expiresAt } = row
  const state = stateOf(row, at)
  const isPaid = state === "paid"
  const payTo = addressOfPublicKey(row.pay_to_key)
  return {
    sessionId: row.id,
    kind: row.kind,
    state,
    target: { postId: row.post_id, commentId: row.comment_id, profileId: row.recipient_id },
    network,
    payTo,
    baseAmountRaw: row.base_raw.toString(),
    amountRaw: row.amount_raw.toString(),
    amountXno: xnoOfRaw(row.amount_raw),
    versionSha256: row.version_sha256 === null ? null : bytesToHex(row.version_sha256),
    uri: paymentUri(payTo, row.amount_raw),
    qr: `/api/payment-sessions/${row.id}/qr.svg`,
    createdAt: wireTime(createdAt),
    expiresAt: wireTime(expiresAt),
    lateUntil: wireTime(row.late_until),
    retryAfterSeconds: isPaid || state === "closed" ? 0 : lookSeconds({ createdAt, expiresAt }, at),
    transaction: row.block_hash,
    amountReceivedRaw: row.received_raw?.toString() ?? null,
    late: row.is_late,
    matchedBy: row.matched_by,
    duplicates: row.duplicates,
    receipt: receiptOf(row, token),
    accessUrl: isPaid && row.kind === "purchase" ? `/api/posts/${row.post_id}/access` : null
  }
}
