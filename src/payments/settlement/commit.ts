import { Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type PostId, SettlementId } from "../../../schemas/platform/Ids.ts"
import { COUNTERS } from "../../platform/counters/Counters.ts"
import { Events } from "../../platform/events/Events.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import { Notices } from "../../publishing/posts/Notices.ts"
import { Receipts } from "../receipts/Receipts.ts"
import type { ConfirmedPayment } from "./confirmed.sql.ts"
import { countEnd } from "./metrics.ts"
import { type Settlement, settlementOf, type SettlementRow } from "./settlementRow.ts"
import { settlementStatements } from "./settlements.sql.ts"

/** The block belongs to another settlement. */
export class BlockTaken extends Schema.TaggedError<BlockTaken>()("BlockTaken", {}) {}

/** Returns the functions that settle money which is confirmed, each in one transaction with all that follows from it. */
export const makeCommits = Effect.gen(function* () {
  const repo = yield* settlementStatements
  const transactions = yield* Transactions
  const receipts = yield* Receipts
  const random = yield* SecureRandom.SecureRandom
  const { platformFeeBps: feeBps } = yield* Settings
  const { changing } = yield* PublicAnswers
  const counted = (yield* Doorbells).bell(COUNTERS).ringHere
  const notices = yield* Notices
  const events = yield* Events

  const id = random.uuidV7()

  const options = Effect.gen(function* () {
    const ids = { tip: yield* id, allocation: yield* id }
    return { ids, at: yield* now, feeBps }
  })

  /** The Post is locked first, as everywhere. */
  const holdPost = (kind: "purchase" | "tip", post: PostId | null) =>
    kind === "purchase" && post !== null ? repo.holdPost(post) : Effect.void

  /** Saves what goes with a settlement that has ended now, and returns it. */
  const finish = Effect.fnUntraced(function* (row: SettlementRow) {
    const { comment_id, post_id, purchase_id, receipt_hash } = row
    if (purchase_id !== null && receipt_hash !== null && post_id !== null)
      yield* receipts.save({ tokenHash: receipt_hash, postId: post_id, purchaseId: purchase_id })
    // Discussions show who has bought the Post, and the tips to a Comment. Counters end the other answers.
    if (post_id !== null && (purchase_id !== null || comment_id !== null))
      yield* changing([postTags.discussion(post_id)])(Effect.void)
    yield* counted
    if (!row.is_duplicate)
      yield* notices.purchased({
        kind: row.kind,
        recipientId: row.recipient_id,
        buyerId: row.buyer_id,
        postId: post_id,
        commentId: comment_id,
        purchaseId: purchase_id,
        amountRaw: row.amount_raw,
        late: row.late,
        cause: row.id,
        at: row.settled_at ?? row.created_at
      })
    yield* events.record({
      ownerId: row.recipient_id,
      type: row.kind === "tip" ? "tip.settled" : "purchase.settled",
      subjectId: row.id,
      data: {},
      at: row.settled_at ?? row.created_at,
      cause: row.id
    })
    yield* transactions.afterCommit(countEnd(row, "settled"))
    return settlementOf(row)
  })

  return {
    /** Settles a row. Returns it as it is when it has ended already. */
    settle: Effect.fn("Settlements.settle")(
      function* (row: SettlementRow): Effect.fn.Return<Settlement> {
        const at = yield* options
        yield* holdPost(row.kind, row.post_id)
        const ended = yield* repo.settle(row, at)
        const current = yield* repo.find(row.id)
        const found = yield* Effect.orDie(Effect.fromOption(current))
        return Option.isSome(ended) ? yield* finish(found) : settlementOf(found)
      },
      (effect) => transactions.run(effect)
    ),

    /** Gives up on a settlement, and notifies its buyer. Returns false if it has ended meanwhile. */
    lapse: Effect.fn("Settlements.lapse")(
      function* (row: SettlementRow, at: Date, dueAt: Date) {
        if (!(yield* repo.lapse(row.id, at, dueAt))) return
        if (row.buyer_id !== null)
          yield* notices.accountIssue({
            ownerId: row.buyer_id,
            code: "payment_lapsed",
            ...(row.post_id === null ? {} : { postId: row.post_id }),
            cause: row.id,
            at
          })
        yield* transactions.afterCommit(countEnd(row, "lapsed"))
        yield* Effect.logWarning(
          "A payment is unresolved after seven days: run pennypress admin settlements list"
        ).pipe(Effect.annotateLogs({ settlement: row.id }))
      },
      (effect) => transactions.run(effect)
    ),

    /**
     * Settles a payment that is on the ledger already. A block of another settlement fails inside the transaction, so
     * it does not take the Post from a claim.
     */
    settleConfirmed: Effect.fn("Settlements.settleConfirmed")(
      function* (payment: ConfirmedPayment): Effect.fn.Return<Settlement, BlockTaken> {
        const at = yield* options
        const { kind, postId } = payment.target
        yield* holdPost(kind, postId)
        const version =
          kind === "purchase" && payment.version === null
            ? yield* repo.sellVersion(postId, at.at)
            : payment.version
        const made = SettlementId.make(yield* id)
        if (Option.isNone(yield* repo.insertSettled(payment, made, version, at)))
          return yield* new BlockTaken()
        return yield* finish(yield* Effect.orDie(Effect.fromOption(yield* repo.find(made))))
      },
      (effect) => transactions.run(effect)
    )
  }
})
