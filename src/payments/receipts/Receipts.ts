import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { now } from "../../platform/time/now.ts"
import { type NewReceipt, receiptStatements } from "./receipts.sql.ts"

/** Receipts of purchases, and of gifts that were redeemed. */
export class Receipts extends Context.Service<
  Receipts,
  {
    /** Saves the hash of a receipt, in the caller's transaction if there is one. A repeat changes nothing. */
    readonly save: (receipt: NewReceipt) => Effect.Effect<void>
  }
>()("pennypress/payments/receipts/Receipts") {
  static readonly layer = Layer.effect(
    Receipts,
    Effect.gen(function* () {
      const repo = yield* receiptStatements
      const random = yield* SecureRandom.SecureRandom
      return Receipts.of({
        save: Effect.fnUntraced(function* (receipt) {
          yield* repo.insert({ ...receipt, id: yield* random.uuidV7(), at: yield* now })
        })
      })
    })
  )
}
