import { type Cause, Context, Effect, Layer, Metric } from "effect"
import { SecureRandom } from "effect/crypto"
import type { UploadReason } from "../../../schemas/publishing/uploads/Upload.ts"
import { unavailableDependency } from "../../platform/sql/unavailable.ts"
import { later, now } from "../../platform/time/now.ts"
import { gracefully } from "../../platform/work/gracefully.ts"
import { type FailureClass, retryDelayMillis, SUSPECT_ATTEMPTS_MAX } from "../screening/retryDelay.ts"
import { Cleanups } from "./Cleanups.ts"
import type { LeasedUpload, Owed } from "./operation.ts"
import { Promotions } from "./Promotions.ts"
import { Verdicts } from "./Verdicts.ts"
import { WorkRepo } from "./WorkRepo.ts"

/** For how long an operation that is taken is nobody else's. */
const LEASE_MILLIS = 120_000
/** How long one step of an operation may take: it ends before the lease does. */
const STEP_MILLIS = 90_000
/** How long a step that runs may go on when the service stops. */
const STOPPING_MILLIS = 5_000

const steps = Metric.counter("upload_steps_total", {
  description: "Steps of upload operations, by what was owed and what came of it",
  incremental: true
})

/** Why a step did not end, and how it is tried again. */
interface Failure {
  readonly failure: FailureClass
  readonly reason: UploadReason
  readonly cause: unknown
}

/** Steps on the way to a verdict; the others only remove files. */
const decides: ReadonlySet<Owed> = new Set<Owed>(["promotion", "screening"])

const failing = (failure: FailureClass, reason: UploadReason, cause: unknown): Failure => ({
  failure,
  reason,
  cause
})

/** Work on upload operations: each is taken under a lease, and its next step is done (specification 3.2). */
export class UploadWork extends Context.Service<
  UploadWork,
  {
    /** Takes operations that are due, `limit` at most. */
    readonly take: (limit: number) => Effect.Effect<ReadonlyArray<LeasedUpload>>
    /** Does the next step of one. Never fails: a step that did not end is due again later, or has failed for good. */
    readonly step: (upload: LeasedUpload) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/UploadWork") {
  static readonly layer = Layer.effect(
    UploadWork,
    Effect.gen(function* () {
      const repo = yield* WorkRepo
      const cleanups = yield* Cleanups
      const promotions = yield* Promotions
      const verdicts = yield* Verdicts
      const random = yield* SecureRandom.SecureRandom

      /** Up to a fifth earlier, so that operations which failed together come apart. */
      const retryAt = Effect.fnUntraced(function* (failure: FailureClass, failures: number) {
        const delay = retryDelayMillis(failure, failures)
        return later(yield* now, -(yield* random.intBetween(0, delay / 5)) + delay)
      })

      const retry = Effect.fnUntraced(function* (upload: LeasedUpload, { cause, failure, reason }: Failure) {
        // Whatever ends a cleanup says nothing of the image, which may have been cleared.
        const isTransient = failure === "transient" || !decides.has(upload.owed)
        const retries = upload.retries + (isTransient ? 1 : 0)
        const failures = upload.failures + (isTransient ? 0 : 1)
        yield* Effect.logInfo("An upload has to wait").pipe(
          Effect.annotateLogs({ reason, cause: String(cause) })
        )
        if (!isTransient && failures >= SUSPECT_ATTEMPTS_MAX) return yield* verdicts.exhaust(upload)
        yield* repo.settle(upload, {
          ...(upload.owed === "screening" ? { state: "queued" as const } : {}),
          // What nobody is shown any more has its reason already.
          ...(upload.owed === "cleanup" ? {} : { last_error: reason }),
          due_at: yield* retryAt(isTransient ? "transient" : failure, isTransient ? retries : failures),
          retries,
          failures
        })
      })

      const attempt = (upload: LeasedUpload) => {
        switch (upload.owed) {
          case "receipt":
          case "expiry":
            return cleanups.expire(upload)
          case "promotion":
            return promotions.promote(upload)
          case "cleanup":
            return cleanups.clean(upload)
          case "screening":
            return upload.failures >= SUSPECT_ATTEMPTS_MAX
              ? verdicts.exhaust(upload)
              : verdicts.screen(upload)
        }
      }

      /** What came of a step. What it needs and did not get is waited for, and says nothing of the image. */
      const outcomeOf = (upload: LeasedUpload): Effect.Effect<"done" | Failure> =>
        attempt(upload).pipe(
          Effect.as("done" as const),
          Effect.timeoutOrElse({
            duration: STEP_MILLIS,
            orElse: () =>
              Effect.succeed(
                failing("suspect", "unsupported or incomplete inspection", "The step took too long")
              )
          }),
          Effect.catchTags({
            StorageUnavailable: (error) =>
              Effect.succeed(failing("transient", "unavailable storage", error.cause)),
            ObjectNotFound: (error) => Effect.succeed(failing("suspect", "unavailable storage", error)),
            ScreeningWaits: ({ cause, reason }) => Effect.succeed(failing("transient", reason, cause)),
            ScreeningBroke: ({ cause, reason }) => Effect.succeed(failing("suspect", reason, cause))
          }),
          Effect.catchDefect((defect) => {
            const dependency = unavailableDependency(defect)
            if (dependency === "database")
              return Effect.succeed(failing("transient", "unavailable storage", defect))
            if (dependency !== undefined)
              return Effect.succeed(failing("transient", "unavailable inspection", defect))
            return Effect.logError("A step of an upload died", defect).pipe(
              Effect.as(failing("suspect", "unsupported or incomplete inspection", defect))
            )
          })
        )

      const giveBack = Effect.fnUntraced(function* (upload: LeasedUpload) {
        yield* repo.settle(upload, {
          ...(upload.owed === "screening" ? { state: "queued" as const } : {}),
          due_at: yield* now
        })
      })

      const step = Effect.fn("UploadWork.step")(
        function* (upload: LeasedUpload) {
          const outcome = yield* outcomeOf(upload)
          const done = outcome === "done"
          yield* Metric.update(
            Metric.withAttributes(steps, {
              owed: upload.owed,
              outcome: done ? "done" : outcome.failure,
              reason: done ? "none" : outcome.reason
            }),
            1
          )
          if (!done) yield* retry(upload, outcome)
        },
        (stepping, upload) =>
          stepping.pipe(
            gracefully(STOPPING_MILLIS),
            Effect.onInterrupt(() => Effect.timeoutOption(giveBack(upload), STOPPING_MILLIS)),
            Effect.catchCause((cause: Cause.Cause<never>) =>
              Effect.logWarning("An upload waits for the end of its lease", cause)
            ),
            Effect.annotateLogs({ upload: upload.id, owed: upload.owed, attempts: upload.attempts })
          )
      )

      return UploadWork.of({
        take: Effect.fn("UploadWork.take")(function* (limit) {
          const at = yield* now
          return yield* repo.takeDue({ at, leaseUntil: later(at, LEASE_MILLIS), limit })
        }),
        step
      })
    })
  )
}
