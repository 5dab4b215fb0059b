import { Context, Effect, Layer, Metric } from "effect"
import { SecureRandom } from "effect/crypto"
import type { UploadReason } from "../../../../schemas/publishing/uploads/Upload.ts"
import { unavailableDependency } from "../../../platform/sql/unavailable.ts"
import { now } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import { nextAttempt } from "../../../platform/work/nextAttempt.ts"
import { backoffs, type FailureClass, SUSPECT_ATTEMPTS_MAX } from "../../screening/attempts.ts"
import { makeKeptFiles } from "../admission/keptFiles.ts"
import { type Claim, claimUploads } from "../operation/claims.sql.ts"
import { STEP_MILLIS } from "../operation/deadlines.ts"
import { isExhausted, type Operation, retryOf } from "../operation/operation.ts"
import { operationStatements, UPLOADS } from "../operation/operations.sql.ts"
import { makeCleanUp } from "./cleanUp.ts"
import { makePublishCopy } from "./publishCopy.ts"
import { makeScale } from "./scale.ts"
import { makeScreen } from "./screen.ts"
import { makeDecide } from "./verdict.ts"

const steps = Metric.counter("upload_steps_total", {
  description: "Steps of upload operations, by task and outcome",
  incremental: true
})

/** Reason why a step did not end, and how it is tried again. */
interface Failure {
  readonly failure: FailureClass
  readonly reason: UploadReason
  readonly cause: unknown
}

const failing = (failure: FailureClass, reason: UploadReason) => (cause: unknown) =>
  Effect.succeed<Failure>({ failure, reason, cause })

/** The pipeline of uploads: each step of an operation is one task, done under a lease (spec 3.2). */
export class UploadPipeline extends Context.Service<
  UploadPipeline,
  {
    /** Claims operations that are due, shared fairly between owners. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Operation>>
    /** Does the task of a claimed operation. A task that fails is due again later, or fails the image for good. */
    readonly step: (operation: Operation) => Effect.Effect<void>
    /** Makes a claimed operation due at once, for another process. */
    readonly handBack: (operation: Operation) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/pipeline/UploadPipeline") {
  static readonly layer = Layer.effect(
    UploadPipeline,
    Effect.gen(function* () {
      const operations = yield* operationStatements
      const { ring } = (yield* Doorbells).bell(UPLOADS)
      const random = yield* SecureRandom.SecureRandom
      const { cleanUp, removeLeftovers } = yield* makeCleanUp
      const { decide, exhaust } = yield* makeDecide
      const publishCopy = yield* makePublishCopy
      const scale = yield* makeScale
      const screen = yield* makeScreen
      const kept = yield* makeKeptFiles

      const postpone = Effect.fnUntraced(function* (
        operation: Operation,
        { cause, failure, reason }: Failure
      ) {
        yield* Effect.logInfo("An upload is delayed").pipe(
          Effect.annotateLogs({ reason, cause: String(cause) })
        )
        if (isExhausted(operation, failure))
          return yield* operation.next_task === "scale" ? doWithout(operation) : exhaust(operation)
        const retry = retryOf(operation, failure)
        const dueAt = yield* nextAttempt(random, backoffs[retry.failure], retry.inARow)
        yield* operations.apply(operation, { type: "postponed", failure, reason, dueAt })
      })

      /** Leaves a cleared image without smaller copies. */
      const doWithout = (operation: Operation) =>
        operations.apply(operation, { type: "scaled", variants: {} })

      const attempt = (operation: Operation) => {
        switch (operation.next_task) {
          case null:
            return Effect.void
          case "receive":
          case "expire":
            return removeLeftovers(operation)
          case "publish":
            return publishCopy(operation)
          case "clean_up":
            return cleanUp(operation)
          case "scale":
            return scale(operation)
          case "screen":
            return operation.failures >= SUSPECT_ATTEMPTS_MAX
              ? exhaust(operation)
              : screen(operation).pipe(
                  // Bytes come before the row that names them.
                  Effect.tap(({ verdict }) =>
                    verdict === "cleared" ? kept.copyArchive(operation) : Effect.void
                  ),
                  Effect.flatMap((decision) => decide(operation, decision))
                )
        }
      }

      /** Returns the outcome of a step. An unavailable dependency is waited for, and says nothing of the image. */
      const outcomeOf = (operation: Operation): Effect.Effect<"done" | Failure> =>
        attempt(operation).pipe(
          Effect.as("done" as const),
          Effect.timeoutOrElse({
            duration: STEP_MILLIS,
            orElse: () => failing("suspect", "unsupported or incomplete inspection")("The step took too long")
          }),
          Effect.catchTags({
            StorageUnavailable: ({ cause }) => failing("transient", "unavailable storage")(cause),
            ObjectNotFound: failing("suspect", "unavailable storage"),
            ScreeningWaits: ({ cause, reason }) => failing("transient", reason)(cause),
            ScreeningBroke: ({ cause, reason }) => failing("suspect", reason)(cause)
          }),
          Effect.catchDefect((defect) => {
            const dependency = unavailableDependency(defect)
            if (dependency === "database") return failing("transient", "unavailable storage")(defect)
            if (dependency !== undefined) return failing("transient", "unavailable inspection")(defect)
            return Effect.logError("A step of an upload crashed", defect).pipe(
              Effect.andThen(failing("suspect", "unsupported or incomplete inspection")(defect))
            )
          })
        )

      const step = Effect.fn("UploadPipeline.step")(
        function* (operation: Operation) {
          const outcome = yield* outcomeOf(operation)
          const result =
            outcome === "done"
              ? { outcome, reason: "none" }
              : { outcome: outcome.failure, reason: outcome.reason }
          yield* Metric.update(
            Metric.withAttributes(steps, { task: operation.next_task ?? "none", ...result }),
            1
          )
          if (outcome !== "done") yield* postpone(operation, outcome)
          // The next task may be due at once.
          yield* ring
        },
        (stepping, operation) =>
          Effect.annotateLogs(stepping, {
            upload: operation.id,
            task: operation.next_task,
            attempts: operation.attempts
          })
      )

      return UploadPipeline.of({
        claim: yield* claimUploads,
        step,
        handBack: Effect.fn("UploadPipeline.handBack")(function* (operation) {
          yield* operations.apply(operation, { type: "handed_back", at: yield* now })
        })
      })
    })
  )
}
