import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { now } from "../../platform/time/now.ts"
import { type NewReceipt, receiptStatements } from "./receipts.sql.ts"
import type { ReceiptToken } from "./receiptToken.ts"

/** Receipts of purchases, and of gifts that were redeemed. */
export class Receipts extends Context.Service<
  Receipts,
  {
    /** Saves the hash of a receipt, in the caller's transaction if there is one. A repeat changes nothing. */
    readonly save: (receipt: NewReceipt) => Effect.Effect<void>
    /** Makes a receipt of a Post open what another one opens. Changes nothing if that one is not valid. */
    readonly copy: (postId: PostId, of: Redacted.Redacted, to: ReceiptToken) => Effect.Effect<void>
    /** Returns true for a receipt of a Post that was saved. What it opened may have ended since. */
    readonly has: (postId: PostId, receipt: Redacted.Redacted) => Effect.Effect<boolean>
    /** Returns true for a receipt of a Post that opens it now: the access of its gift, if it is of one, has not ended. */
    readonly opens: (postId: PostId, receipt: Redacted.Redacted) => Effect.Effect<boolean>
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
        }),
        copy: Effect.fn("Receipts.copy")(function* (postId, of, { tokenHash }) {
          yield* repo.copy({ id: yield* random.uuidV7(), postId, of: hashOf(of), tokenHash, at: yield* now })
        }),
        has: (postId, receipt) => Effect.map(repo.find(postId, hashOf(receipt)), Option.isSome),
        opens: (postId, receipt) => Effect.map(repo.findOpen(postId, hashOf(receipt)), Option.isSome)
      })
    })
  )
}
