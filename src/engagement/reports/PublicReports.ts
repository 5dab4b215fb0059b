import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { type EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { ReportId } from "../../../schemas/platform/Ids.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { publicReportStatements, type TargetRow } from "./publicReports.sql.ts"
import type { PublicTarget } from "./ReportTarget.ts"

/** The time after which the address for an answer to a resolved report is removed. */
const ADDRESS_MILLIS = 180 * DAY_MILLIS

/** A report of a reader without an account. */
export interface PublicReport {
  readonly target: PublicTarget
  /** The address for an answer. It is not verified, and gets no mail of this service. */
  readonly replyTo: EmailAddress
  readonly reason: string
}

/** Reports of readers without an account, in the same queue as all others. The caller limits them by network address. */
export class PublicReports extends Context.Service<
  PublicReports,
  {
    /** Returns a target that every reader sees. Any other one is not found, whether it exists or not. */
    readonly find: (target: PublicTarget) => Effect.Effect<TargetRow, NotFound>
    /**
     * Saves a report. The same text about the same target from the same mailbox counts once. A target that many reports
     * name needs no further one, and the reader does not learn that.
     */
    readonly report: (report: PublicReport) => Effect.Effect<void, NotFound>
    /** Removes the addresses of readers whose reports were resolved 180 days ago. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/engagement/reports/PublicReports") {
  static readonly layer = Layer.effect(
    PublicReports,
    Effect.gen(function* () {
      const reports = yield* publicReportStatements
      const { fingerprintOf } = yield* Idempotency
      const random = yield* SecureRandom.SecureRandom

      const find = Effect.fn("PublicReports.find")(function* (target: PublicTarget) {
        const found = yield* reports.target(target)
        return Option.isSome(found) ? found.value : yield* new NotFound()
      })

      return PublicReports.of({
        find,
        report: Effect.fn("PublicReports.report")(function* ({ reason, replyTo, target }) {
          const found = yield* find(target)
          const id = ReportId.make(yield* random.uuidV7())
          const fingerprint = yield* fingerprintOf({ mailbox: mailboxOf(replyTo), reason })
          const { kind } = target
          yield* reports.insert({ id, kind, target: found, replyTo, reason, fingerprint, at: yield* now })
        }),
        sweep: Effect.flatMap(now, (at) => reports.forget(later(at, -ADDRESS_MILLIS)))
      })
    })
  )
}
