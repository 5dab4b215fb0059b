import { Context, Effect, Layer } from "effect"
import type { StorageUnavailable } from "../../platform/ports/ObjectStorage.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import type { LeasedUpload } from "./operation.ts"
import { PublicCopies } from "./PublicCopies.ts"
import { isUnfinished } from "./receipt.ts"
import { StagedFiles } from "./StagedFiles.ts"
import { WorkRepo } from "./WorkRepo.ts"

/** For how long an operation waits for bytes that were not sent to their end. */
const RESERVATION_MILLIS = DAY_MILLIS

/** Files that nobody needs any more. Removing is repeated until it is done. */
export class Cleanups extends Context.Service<
  Cleanups,
  {
    /** What is left of bytes that broke off; their operation waits a day for them to be sent again. */
    readonly expire: (upload: LeasedUpload) => Effect.Effect<void, StorageUnavailable>
    /** The staged file of an image that was decided on, and the public copy of one that nobody may be shown. */
    readonly clean: (upload: LeasedUpload) => Effect.Effect<void, StorageUnavailable>
  }
>()("pennypress/publishing/uploads/Cleanups") {
  static readonly layer = Layer.effect(
    Cleanups,
    Effect.gen(function* () {
      const repo = yield* WorkRepo
      const files = yield* StagedFiles
      const copies = yield* PublicCopies

      return Cleanups.of({
        expire: Effect.fn("Cleanups.expire")(function* (upload) {
          yield* files.remove(upload)
          // Its sender may have gone when the copy was made and the receipt was not. Later somebody may send it again.
          if (upload.owed === "receipt") yield* copies.remove(upload, null)
          const expiresAt = later(upload.created_at, RESERVATION_MILLIS)
          const isOver = expiresAt <= (yield* now)
          yield* repo.settle(upload, {
            staged_bytes: 0,
            ...(isOver ? { state: "cancelled", owed: null } : { owed: "expiry", due_at: expiresAt })
          })
        }),
        clean: Effect.fn("Cleanups.clean")(function* (upload) {
          const { format, state } = upload
          yield* files.remove(upload)
          if (!isUnfinished(state) && state !== "cleared") yield* copies.remove(upload, format)
          yield* repo.settle(upload, { owed: null, staged_bytes: 0 })
        })
      })
    })
  )
}
