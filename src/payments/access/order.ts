import type { OwnerId, PurchaseId, SettlementId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { Payment } from "../x402/readPayment.ts"
import type { AccessRow } from "./accessRow.ts"

/** A payment for a Post, by an account or a wallet alone. */
export interface Order {
  readonly post: AccessRow
  readonly payment: Payment
  /** The file for which the Post is bought. */
  readonly fileId: UploadOperationId | undefined
  readonly buyerId: OwnerId | null
  /** The address by which payments are limited. */
  readonly client: string
}

/** The settled payment by which a payer reads. */
export interface Bought {
  readonly settlementId: SettlementId
  readonly purchaseId: PurchaseId | null
  /** True if the block of this request was sent, in this request or in an earlier one with the same payment. */
  readonly charged: boolean
}

/** Returns the thing that an order pays for. */
export const targetOf = ({ post }: Order) => ({ kind: "purchase", postId: post.id }) as const
