import { Context, Effect, Layer } from "effect"
import { Finances } from "../../../payments/finance/Finances.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { NOTIFICATION_MAILS } from "../mails/mailsDue.sql.ts"
import { beginOf, type Summary, summaryStatements } from "./summaries.sql.ts"

/** Daily summaries: what others did for an owner from 07:00 UTC to 07:00 UTC, in one notification and one mail. */
export class Summaries extends Context.Service<
  Summaries,
  {
    /** Claims days that ended, each of one owner. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Summary>>
    /**
     * Notifies an owner once of the numbers of their day. A day whose events were all undone, such as a follow that
     * ended, causes no notification.
     */
    readonly notify: (summary: Summary) => Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/summaries/Summaries") {
  static readonly layer = Layer.effect(
    Summaries,
    Effect.gen(function* () {
      const summaries = yield* summaryStatements
      const finances = yield* Finances
      const mailBell = (yield* Doorbells).bell(NOTIFICATION_MAILS)

      return Summaries.of({
        claim: summaries.claim,
        notify: Effect.fn("Summaries.notify")(function* (summary) {
          const sold = yield* finances.sold(summary.owner_id, beginOf(summary), summary.ends_at)
          if (yield* summaries.notify(summary, sold)) yield* mailBell.ring
        })
      })
    })
  )
}
