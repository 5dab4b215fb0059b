import { Effect, Redacted } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { StateStore } from "../ports/StateStore.ts"
import { Sessions } from "../service/Sessions.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { receiptOf } from "../state/purchases.sql.ts"

/** The header that gives access without a session. */
type Proof = { readonly "x-purchase-receipt"?: string }

/** Answers of a service that refuses a receipt, after which the session may still work. */
const REFUSED: ReadonlySet<string> = new Set(["receipt-invalid", "not-found"])

/**
 * Makes the function that reads purchases of the selected identity: with the receipt of the purchase, which outlives
 * every session, otherwise with the session.
 */
export const makeAsBuyer = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions

  const receiptFor = (postId: string) =>
    store.read((tx) => Effect.succeed(receiptOf(tx, readIdentity(tx)?.ownerId ?? "", postId)))

  return {
    /** Returns true for a Post that was bought here. */
    hasReceipt: (postId: string) => Effect.map(receiptFor(postId), (receipt) => receipt !== null),

    asBuyer: Effect.fnUntraced(function* <A, E, R>(
      postId: string,
      send: (proof: Proof) => Effect.Effect<A, E, R>
    ): Effect.fn.Return<A, ToolFailure, R> {
      const receipt = yield* receiptFor(postId)
      const bySession = sessions.asOwner(send({}))
      if (receipt === null) return yield* bySession
      return yield* toFailure(send({ "x-purchase-receipt": Redacted.value(receipt) })).pipe(
        Effect.catchIf(
          ({ code }) => REFUSED.has(code),
          () => bySession
        )
      )
    })
  }
})
