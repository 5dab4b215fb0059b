import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { RefundBlockUsed, RefundMismatch } from "../../../schemas/payments/finance/errors.ts"
import type { BlockUnconfirmed } from "../../../schemas/payments/finance/errors.ts"
import type { Sale } from "../../../schemas/payments/finance/Sale.ts"
import { LedgerAway } from "../../../schemas/payments/x402/errors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Events } from "../../platform/events/Events.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { type LedgerBlock, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { unconfirmed } from "../purchases/claimBlock.ts"
import { financeStatements } from "./finances.sql.ts"
import type { ReceivedRow } from "./received.sql.ts"
import { saleOf } from "./receivedPayment.ts"
import { refundStatements } from "./refunds.sql.ts"

/**
 * Refunds of sales. The service holds no money, so it cannot send refunds. An author sends one from their own wallet,
 * and records the block here. The buyer keeps access.
 */
export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Records a block of the ledger as a refund of a sale. It must be a confirmed send to the payer, not older than the
     * sale, and of at most the remaining amount. A repeat with the same block gets the same answer.
     */
    readonly record: (
      owner: OwnerAuthority,
      sale: SettlementId,
      block: BlockHash
    ) => Effect.Effect<Sale, NotFound | RefundBlockUsed | BlockUnconfirmed | RefundMismatch | LedgerAway>
  }
>()("pennypress/payments/finance/Refunds") {
  static readonly layer = Layer.effect(
    Refunds,
    Effect.gen(function* () {
      const finances = yield* financeStatements
      const refunds = yield* refundStatements
      const media = yield* OwnMedia
      const ledger = yield* NanoLedger
      const random = yield* SecureRandom.SecureRandom
      const transactions = yield* Transactions
      const events = yield* Events

      const find = Effect.fnUntraced(function* (owner: OwnerAuthority, id: SettlementId) {
        const row = yield* finances.sale(owner.ownerId, id)
        return Option.isSome(row) ? row.value : yield* new NotFound()
      })

      return Refunds.of({
        record: Effect.fn("Refunds.record")(function* (owner, sale, hash) {
          const row = yield* find(owner, sale)
          const block = yield* Effect.mapError(ledger.block(hash), () => new LedgerAway())
          if (Option.isNone(block)) return yield* unconfirmed()
          if (!isRefundOf(row, block.value)) return yield* new RefundMismatch()
          if (!block.value.isConfirmed) return yield* unconfirmed()
          const refund = {
            id: yield* random.uuidV7(),
            saleId: row.id,
            owner: owner.ownerId,
            amountRaw: block.value.amountRaw,
            block: hash,
            at: yield* now
          }
          const save = Effect.gen(function* () {
            yield* refunds.lock(row.id, hash)
            const saved = yield* refunds.save(refund)
            if (saved.is_saved)
              yield* events.record({
                ownerId: refund.owner,
                type: "purchase.refunded",
                subjectId: row.id,
                data: {},
                at: refund.at,
                cause: refund.id
              })
            return saved
          })
          const { earlier_id, is_saved, is_used } = yield* transactions.run(save)
          if (is_used || (earlier_id !== null && earlier_id !== row.id)) return yield* new RefundBlockUsed()
          if (!is_saved && earlier_id === null) return yield* new RefundMismatch()
          return saleOf(yield* find(owner, row.id), media)
        })
      })
    })
  )
}

/** Returns true for a send to the payer that is not older than the sale. Its amount is checked later. */
const isRefundOf = (row: ReceivedRow, { amountRaw, ledgerTime, link, subtype }: LedgerBlock) =>
  subtype === "send" &&
  amountRaw > 0n &&
  link === row.payer_key.toUpperCase() &&
  (ledgerTime === null || ledgerTime.getTime() >= secondOf(row.confirmed_at))

/** Nodes know the time of a block to the second. */
const secondOf = (moment: string) => Math.floor(Date.parse(moment) / 1000) * 1000
