import { Context, Effect, Layer } from "effect"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { now } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { NOTIFICATION_MAILS } from "../mails/mailsDue.sql.ts"
import { type Fanout, FANOUTS, fanoutStatements } from "./fanouts.sql.ts"

/**
 * Number of recipients of one batch. A batch takes a tenth of a second, and locks the rows of its readers no longer.
 */
const BATCH = 5_000

/** Maximum number of Comments on one Post that one fan-out announces. More would make a batch slow. */
const MERGED_MAX = 100

/** Notifies many owners of a cause, in batches. */
export class Fanouts extends Context.Service<
  Fanouts,
  {
    /** Claims fan-outs that are due, oldest first. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Fanout>>
    /**
     * Notifies the next batch of recipients. One transaction writes its notifications and its position, under the
     * lease: a process that dies or loses its lease leaves no part of a batch behind. Fan-outs take turns after each
     * batch. The first batch takes over waiting fan-outs of the same discussion, so that its readers are notified at
     * once.
     */
    readonly step: (fanout: Fanout) => Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/fanout/Fanouts") {
  static readonly layer = Layer.effect(
    Fanouts,
    Effect.gen(function* () {
      const fanouts = yield* fanoutStatements
      const transactions = yield* Transactions
      const doorbells = yield* Doorbells
      const bell = doorbells.bell(FANOUTS)
      const mailBell = doorbells.bell(NOTIFICATION_MAILS)

      const step = Effect.fn("Fanouts.step")(function* (fanout: Fanout) {
        yield* fanouts.hold(fanout)
        const isDiscussion = fanout.type === "commented_post_activity"
        if (isDiscussion && fanout.position === null) yield* fanouts.merge(fanout, MERGED_MAX - 1)
        const { considered, last, mailed } = yield* fanouts.notifyNext(fanout, BATCH)
        if (mailed > 0) yield* mailBell.ring
        if (last === null || considered < BATCH) return yield* fanouts.complete(fanout)
        yield* fanouts.advance(fanout, last, yield* now)
        yield* bell.ring
      })

      return Fanouts.of({ claim: fanouts.claim, step: (fanout) => transactions.run(step(fanout)) })
    })
  )
}
