import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { DuplicateReport } from "../../../schemas/engagement/reports/errors.ts"
import type { SavedReport } from "../../../schemas/engagement/reports/Report.ts"
import {
  Forbidden,
  IdempotencyConflict,
  NotFound,
  RateLimited
} from "../../../schemas/platform/errors/common.ts"
import { ReportId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { isSameFingerprint } from "../../platform/idempotency/fingerprint.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { quotaUnder, secondsLeft } from "../../platform/rate-limits/countedRows.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, now } from "../../platform/time/now.ts"
import { reportStatements } from "./reports.sql.ts"
import type { ReportTarget } from "./ReportTarget.ts"

/** Maximum number of reports of an account in any 24 hours. */
const PER_DAY = 20

type Refusal = NotFound | Forbidden | IdempotencyConflict | DuplicateReport | RateLimited

/** Reports of readers to the moderators (spec 4.6). */
export class Reports extends Context.Service<
  Reports,
  {
    /**
     * Saves a report of a Post or Comment that every reader sees, once for each Idempotency-Key of its owner. A repeat
     * returns the saved result, and is not counted. Each owner reports a target once.
     */
    readonly report: (
      owner: OwnerAuthority,
      target: ReportTarget,
      reason: string,
      idempotencyKey: string
    ) => Effect.Effect<SavedReport, Refusal>
  }
>()("pennypress/engagement/reports/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const reports = yield* reportStatements
      const transactions = yield* Transactions
      const { fingerprintOf } = yield* Idempotency
      const random = yield* SecureRandom.SecureRandom
      const perDay = quotaUnder(PER_DAY, (yield* Settings).rateLimitFactor)

      return Reports.of({
        report: Effect.fn("Reports.report")(
          function* (owner, target, reason, idempotencyKey) {
            const { ownerId: reporterId } = owner
            const fingerprint = yield* fingerprintOf({ ...target, reason })
            const request = { reporterId, target, idempotencyKey }
            // A concurrent repeat waits here for the first request, and sees its row.
            yield* reports.lock(reporterId)
            const facts = yield* reports.facts(request, perDay)
            const saved = { success: true, status: "open" } as const
            if (facts.earlier_id !== null && facts.earlier_fingerprint !== null) {
              if (!isSameFingerprint(fingerprint, facts.earlier_fingerprint))
                return yield* new IdempotencyConflict()
              return { ...saved, reportId: facts.earlier_id, replayed: true } as const
            }
            const authorId = facts.target_author_id
            if (authorId === null) return yield* new NotFound()
            if (authorId === reporterId) return yield* new Forbidden({ detail: OWN })
            if (facts.is_reported) return yield* new DuplicateReport()
            const at = yield* now
            const retryAfterSeconds = secondsLeft(facts.day_from, DAY_MILLIS, at)
            if (retryAfterSeconds > 0) return yield* new RateLimited({ retryAfterSeconds })
            const id = ReportId.make(yield* random.uuidV7())
            yield* reports.insert({ ...request, id, authorId, reason, fingerprint, at })
            return { ...saved, reportId: id, replayed: false } as const
          },
          (effect) => transactions.run(effect)
        )
      })
    })
  )
}

const OWN = "This is your own: change or delete it instead of reporting it"
