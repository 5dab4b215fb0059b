import { Option, Redacted } from "effect"
import type { PostAccess } from "../../../schemas/payments/access/Access.ts"
import type { SettlementResponse } from "../../../schemas/payments/x402/SettlementResponse.ts"
import type { PurchaseId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import type { ReceiptToken } from "../receipts/receiptToken.ts"
import type { AccessRow, PaidRow } from "./accessRow.ts"

/** The row of a Post that the caller is entitled to read. */
export type EntitledRow = AccessRow & { readonly via: NonNullable<AccessRow["via"]> }

export const isEntitled = (row: AccessRow): row is EntitledRow => row.via !== null

/** The answer to a request that carried a payment. */
export interface Proof {
  /** The payment by which the caller reads; null for one who reads without any. */
  readonly paid: PaidRow | null
  /** True if the block of this request is the one that paid. */
  readonly charged: boolean
  readonly receipt: Option.Option<ReceiptToken>
}

/** The service as its answers name it. */
export interface Place {
  readonly baseUrl: string
  readonly network: string
}

/** Reports the payment to its payer. For a caller who reads without a payment, it says that nothing was sent. */
const settlementOf = ({ charged, paid }: Proof, network: string): SettlementResponse => ({
  success: true,
  transaction: paid?.block_hash ?? "",
  network,
  ...(paid === null ? {} : { payer: addressOfPublicKey(paid.payer_key) }),
  amount: paid?.amount_raw ?? "0",
  charged
})

const receiptOf = (token: Redacted.Redacted, purchaseId: PurchaseId | null) => ({
  token: Redacted.value(token),
  purchaseId,
  expiresAt: null
})

/**
 * Returns the answer to a caller who may read. `proof` is undefined for a request without a payment. `gift` is the receipt
 * of a gift that this request, or an earlier one with the same key, redeemed.
 */
export const postAccessOf = (
  row: EntitledRow,
  { baseUrl, network }: Place,
  proof: Proof | undefined,
  gift: Option.Option<ReceiptToken> = Option.none()
): PostAccess => {
  const receipt = Option.orElse(proof === undefined ? Option.none() : proof.receipt, () => gift)
  return {
    post: {
      id: row.id,
      slug: row.slug,
      title: row.shown_title,
      url: row.is_public ? `${baseUrl}/@${row.handle}/${row.slug}` : null,
      version: row.version,
      versionSha256:
        row.version === "purchased" ? (row.sold_sha256 ?? row.current_sha256) : row.current_sha256,
      content: { free: row.free_text, paid: row.paid_text },
      attachments: row.files.map((file) => ({ ...file, url: `/api/posts/${row.id}/attachments/${file.id}` }))
    },
    access: {
      via: row.via,
      purchaseId: row.purchase?.purchase_id ?? null,
      versionSha256: row.sold_sha256,
      charged: proof?.charged ?? false
    },
    settlement: proof === undefined ? null : settlementOf(proof, network),
    receipt: Option.isNone(receipt) ? null : receiptOf(receipt.value.token, proof?.paid?.purchase_id ?? null)
  }
}
