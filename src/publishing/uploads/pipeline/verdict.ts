import { Effect, Metric } from "effect"
import { Events } from "../../../platform/events/Events.ts"
import { OwnMedia } from "../../../platform/media/OwnMedia.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { unavailableDependency } from "../../../platform/sql/unavailable.ts"
import { now } from "../../../platform/time/now.ts"
import { LeaseLost } from "../../../platform/work/lease.ts"
import { Notices } from "../../posts/Notices.ts"
import { SUSPECT_ATTEMPTS_MAX } from "../../screening/attempts.ts"
import { issueOf, wordOf } from "../operation/issueOf.ts"
import { type Operation, transition } from "../operation/operation.ts"
import { operationStatements } from "../operation/operations.sql.ts"
import { makePlaces } from "../operation/places.ts"
import type { Decision } from "../operation/settlement.ts"
import { isAttachment } from "../operation/target.ts"

const verdicts = Metric.counter("upload_verdicts_total", {
  description: "Files that screening decided on, by verdict and kind",
  incremental: true
})

const exhausted = (operation: Operation): Decision => ({
  verdict: "failed",
  reason: "exhausted attempts",
  detail: `Every attempt to inspect the ${wordOf(operation)} failed. Save it again and upload the new file.`,
  record: { finding: `${SUSPECT_ATTEMPTS_MAX} attempts came to no verdict` }
})

/** Records verdicts, and what follows from them (spec 3.2.6). */
export const makeDecide = Effect.gen(function* () {
  const operations = yield* operationStatements
  const places = yield* makePlaces
  const notices = yield* Notices
  const events = yield* Events
  const { urlOf } = yield* OwnMedia
  const transactions = yield* Transactions

  /** Tells the owner that a file is no longer shown or sold. */
  const tellOwner = (operation: Operation, verdict: string, at: Date) =>
    notices.accountIssue({ ...issueOf(operation, verdict), cause: operation.id, at })

  const record = (operation: Operation, state: Decision["verdict"], at: Date) =>
    events.record({
      ownerId: operation.owner_id,
      type: "upload.decided",
      subjectId: operation.id,
      data: {
        operation: {
          operationId: operation.id,
          targetKind: operation.target_kind,
          postId: issueOf(operation, state).postId ?? null,
          state,
          publicUrl: state === "cleared" ? urlOf(operation.public_url) : null,
          fileName: operation.file_name
        }
      },
      at
    })

  /** Writes a verdict and removes the references in one transaction: readers never see one without the other. */
  const write = Effect.fnUntraced(
    function* (operation: Operation, decision: Decision, keepsReferences: boolean) {
      const removes = decision.verdict !== "cleared" && !keepsReferences
      const clears = decision.verdict === "cleared" && isAttachment(operation)
      if (removes || clears) yield* places.lock(operation)
      const at = yield* now
      if (removes) yield* places.remove(operation, at, true)
      const settlement = transition(operation, { type: "decided", at, decision })
      if (settlement === undefined || !(yield* operations.settle(operation, settlement)))
        return yield* new LeaseLost()
      if (clears) yield* places.clear(operation, at)
      if (!operation.desired) return
      if (decision.verdict !== "cleared") yield* tellOwner(operation, decision.verdict, at)
      yield* record(operation, decision.verdict, at)
    },
    (writing) => transactions.run(writing)
  )

  const decide = Effect.fn("Uploads.decide")(function* (
    operation: Operation,
    decision: Decision,
    keepsReferences = false
  ) {
    const { reason, record, verdict } = decision
    yield* write(operation, decision, keepsReferences).pipe(
      Effect.andThen(
        Metric.update(Metric.withAttributes(verdicts, { verdict, kind: operation.target_kind }), 1)
      ),
      Effect.andThen(
        verdict === "cleared"
          ? Effect.void
          : Effect.logWarning("Screening did not clear a file").pipe(
              Effect.annotateLogs({ verdict, finding: record.finding ?? reason })
            )
      ),
      Effect.catchTag("LeaseLost", () =>
        Effect.logWarning("Lost the lease of a file: another process decides about it")
      )
    )
  })

  return {
    decide: (operation: Operation, decision: Decision) => decide(operation, decision),
    /** Fails an image that ended too many attempts. When its references cannot be removed, they stay and show nothing. */
    exhaust: (operation: Operation) =>
      Effect.catchDefect(decide(operation, exhausted(operation)), (defect) =>
        unavailableDependency(defect) === undefined
          ? Effect.logError("The references to a file could not be removed", defect).pipe(
              Effect.andThen(decide(operation, exhausted(operation), true))
            )
          : Effect.die(defect)
      )
  }
})
