import { Effect, Option } from "effect"
import { BlockUnconfirmed } from "../../../schemas/payments/finance/errors.ts"
import { AlreadyOwned, BlockAlreadyUsed, ClaimMismatch } from "../../../schemas/payments/purchases/errors.ts"
import { LedgerAway, PaymentsDisabled } from "../../../schemas/payments/x402/errors.ts"
import { Forbidden, NotFound } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { type LedgerBlock, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { purchaseStatements, type SaleRow } from "./purchases.sql.ts"

/** The maximum age of a payment that can be claimed. */
const CLAIMED_WITHIN_MILLIS = 30 * DAY_MILLIS

/** Seconds until the ledger usually has confirmed a block that was just sent. */
const CONFIRMED_AFTER_SECONDS = 2

/** Returns the refusal of a block that may still be confirmed, or reach the ledger. */
export const unconfirmed = () => new BlockUnconfirmed({ retryAfterSeconds: CONFIRMED_AFTER_SECONDS })

/** Returns the address of the author that a block pays; undefined for a block that does not pay the Post. */
const paidAddress = ({ addresses, price_raw, wallet }: SaleRow, block: LedgerBlock, since: Date) => {
  const isPayment =
    block.subtype === "send" &&
    block.account === wallet &&
    price_raw !== null &&
    block.amountRaw >= price_raw &&
    (block.ledgerTime === null || block.ledgerTime >= since)
  const link = block.link.toLowerCase()
  return isPayment ? addresses.find(({ address }) => publicKeyOfAddress(address) === link) : undefined
}

/**
 * Makes the function that claims a payment that was sent outside the flow: a block that the login wallet of the account
 * sent to a current or former address of the Post's author. The ledger confirms it, and the claim is settled at once.
 */
export const makeClaimBlock = Effect.gen(function* () {
  const repo = yield* purchaseStatements
  const settlements = yield* Settlements
  const ledger = yield* NanoLedger

  return Effect.fnUntraced(function* (owner: OwnerAuthority, postId: PostId, hash: BlockHash) {
    const { method, ownerId } = owner
    if (method !== "nano")
      return yield* new Forbidden({ detail: "Sign in with the wallet that paid, then claim the payment" })
    if (ledger.kind === "off") return yield* new PaymentsDisabled()
    const sale = Option.getOrUndefined(yield* repo.sale(ownerId, postId))
    if (sale === undefined) return yield* new NotFound()
    if (sale.is_owned) return yield* new AlreadyOwned()
    const block = yield* Effect.mapError(ledger.block(hash), () => new LedgerAway())
    const since = later(yield* now, -CLAIMED_WITHIN_MILLIS)
    if (Option.isNone(block)) return yield* unconfirmed()
    const paid = paidAddress(sale, block.value, since)
    if (paid === undefined) return yield* new ClaimMismatch()
    if (!block.value.isConfirmed) return yield* unconfirmed()
    const settled = yield* settlements
      .settleConfirmed({
        channel: "claim",
        sessionId: null,
        target: { kind: "purchase", postId },
        block: block.value,
        amountRaw: block.value.amountRaw,
        baseRaw: sale.price_raw ?? block.value.amountRaw,
        payTo: paid.address,
        payoutRevision: paid.revision,
        buyerId: ownerId,
        late: false,
        version: null,
        receiptHash: null
      })
      .pipe(Effect.mapError(() => new BlockAlreadyUsed()))
    // The account bought the Post at this moment, so the block is recorded as a duplicate, for a refund.
    return settled.purchaseId ?? (yield* new AlreadyOwned())
  })
})
