import { Context, Effect, Layer, Metric, Schema } from "effect"
import type { UploadReason } from "../../../schemas/publishing/uploads/Upload.ts"
import type { ObjectNotFound, StorageUnavailable } from "../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { unavailableDependency } from "../../platform/sql/unavailable.ts"
import { now } from "../../platform/time/now.ts"
import { SUSPECT_ATTEMPTS_MAX } from "../screening/retryDelay.ts"
import { Screening } from "../screening/Screening.ts"
import type { ScreeningBroke, ScreeningVerdict, ScreeningWaits } from "../screening/verdict.ts"
import { AssociationsRepo } from "./AssociationsRepo.ts"
import type { LeasedUpload } from "./operation.ts"
import { ScreenedFiles } from "./ScreenedFiles.ts"
import { Withdrawals } from "./Withdrawals.ts"
import { type Settlement, WorkRepo } from "./WorkRepo.ts"

const verdicts = Metric.counter("upload_verdicts_total", {
  description: "Images that screening decided on, by verdict and kind",
  incremental: true
})

/** Somebody else has the lease by now: what was begun is undone. */
class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** What is decided of an image, and the words for its author. */
interface Decision {
  readonly verdict: "cleared" | "rejected" | "failed"
  readonly reason: UploadReason | null
  readonly record: Partial<ScreeningVerdict>
  /** True when what refers to the image cannot be removed: nobody is shown it all the same. */
  readonly keepsReferences?: boolean
}

/** Screens images, and does what follows from a verdict (specification 3.2). */
export class Verdicts extends Context.Service<
  Verdicts,
  {
    readonly screen: (
      upload: LeasedUpload
    ) => Effect.Effect<void, ScreeningWaits | ScreeningBroke | ObjectNotFound | StorageUnavailable>
    /** Fails an image that ended too many attempts. */
    readonly exhaust: (upload: LeasedUpload) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/Verdicts") {
  static readonly layer = Layer.effect(
    Verdicts,
    Effect.gen(function* () {
      const repo = yield* WorkRepo
      const associations = yield* AssociationsRepo
      const withdrawals = yield* Withdrawals
      const files = yield* ScreenedFiles
      const screening = yield* Screening
      const transactions = yield* Transactions

      /** Nothing that readers see refers to the image any more (specification 3.2.6). */
      const removeReferences = (upload: LeasedUpload, at: Date) =>
        Effect.andThen(associations.lockTarget(upload), withdrawals.withdraw(upload, at))

      /** The verdict and what follows from it are one: no reader sees one without the other. */
      const decide = Effect.fn("Verdicts.decide")(function* (upload: LeasedUpload, decision: Decision) {
        const { reason, record, verdict } = decision
        const kind = upload.target_kind
        yield* Effect.gen(function* () {
          const at = yield* now
          if (verdict !== "cleared" && decision.keepsReferences !== true) yield* removeReferences(upload, at)
          const settlement: Settlement = {
            ...record,
            state: verdict,
            verdict,
            decided_at: at,
            owed: "cleanup",
            due_at: at,
            last_error: reason,
            retries: 0
          }
          if (!(yield* repo.settle(upload, settlement))) return yield* new LeaseLost()
        }).pipe(
          transactions.run,
          Effect.andThen(Metric.update(Metric.withAttributes(verdicts, { verdict, kind }), 1)),
          Effect.andThen(
            verdict === "cleared"
              ? Effect.void
              : Effect.logWarning("An image was decided against").pipe(
                  Effect.annotateLogs({ verdict, finding: record.finding ?? reason })
                )
          ),
          Effect.catchTag("LeaseLost", () =>
            Effect.logWarning("The lease of an image was lost; its verdict is another's")
          )
        )
      })

      return Verdicts.of({
        screen: Effect.fn("Verdicts.screen")(function* (upload) {
          const image = yield* files.read(upload)
          const verdict = yield* screening.screen(image)
          const reason = verdict.verdict === "failed" ? "unsupported or incomplete inspection" : null
          yield* decide(upload, { verdict: verdict.verdict, reason, record: verdict })
        }),
        exhaust: Effect.fn("Verdicts.exhaust")(function* (upload) {
          const exhausted: Decision = {
            verdict: "failed",
            reason: "exhausted attempts",
            record: { finding: `${SUSPECT_ATTEMPTS_MAX} attempts came to no verdict` }
          }
          yield* Effect.catchDefect(decide(upload, exhausted), (defect) =>
            unavailableDependency(defect) === undefined
              ? Effect.logError("What refers to an image could not be removed", defect).pipe(
                  Effect.andThen(decide(upload, { ...exhausted, keepsReferences: true }))
                )
              : Effect.die(defect)
          )
        })
      })
    })
  )
}
