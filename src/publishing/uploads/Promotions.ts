import { Context, Effect, Layer, Result } from "effect"
import { mediaTypeOf } from "../../../schemas/publishing/uploads/limits.ts"
import type { ObjectNotFound, StorageUnavailable } from "../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { readContainer } from "../image-formats/container.ts"
import { AssociationsRepo } from "./AssociationsRepo.ts"
import type { LeasedUpload } from "./operation.ts"
import { PublicCopies, type PublicCopy } from "./PublicCopies.ts"
import { StagedFiles } from "./StagedFiles.ts"
import { WorkRepo } from "./WorkRepo.ts"

/** Public copies of images that were received while none could be made. */
export class Promotions extends Context.Service<
  Promotions,
  {
    /** Makes the copy and puts it in its place, as an admission does. */
    readonly promote: (upload: LeasedUpload) => Effect.Effect<void, ObjectNotFound | StorageUnavailable>
  }
>()("pennypress/publishing/uploads/Promotions") {
  static readonly layer = Layer.effect(
    Promotions,
    Effect.gen(function* () {
      const repo = yield* WorkRepo
      const associations = yield* AssociationsRepo
      const files = yield* StagedFiles
      const copies = yield* PublicCopies
      const transactions = yield* Transactions

      const keep = Effect.fnUntraced(
        function* (upload: LeasedUpload, copy: PublicCopy) {
          yield* associations.lockTarget(upload)
          const at = yield* now
          const isOurs = yield* repo.settle(upload, {
            ...copy,
            owed: "screening",
            due_at: at,
            last_error: null,
            retries: 0
          })
          if (isOurs) yield* associations.associate(upload.id, upload.target_kind, { again: false, at })
          else yield* repo.cleanAgain(upload.id, at)
        },
        (keeping) => transactions.run(keeping)
      )

      const promote = Effect.fn("Promotions.promote")(function* (upload: LeasedUpload) {
        if (upload.format === null) return yield* Effect.die(new Error("Nothing was received to promote"))
        const bytes = yield* files.read(upload)
        // It was read when it was received.
        const container = Result.getOrThrow(readContainer(bytes, mediaTypeOf[upload.format]))
        yield* keep(upload, yield* copies.make(upload, bytes, container))
      })

      return Promotions.of({ promote })
    })
  )
}
