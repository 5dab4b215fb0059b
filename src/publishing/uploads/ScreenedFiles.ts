import { Context, Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import {
  type ObjectNotFound,
  ObjectStorage,
  type StorageUnavailable
} from "../../platform/ports/ObjectStorage.ts"
import { ScreeningBroke, type ScreenedImage } from "../screening/verdict.ts"
import { publicPath } from "./objectKeys.ts"
import type { LeasedUpload } from "./operation.ts"
import { StagedFiles } from "./StagedFiles.ts"

/** The bytes that screening looks at: those that were received, or the public copy once they are cleaned up. */
export class ScreenedFiles extends Context.Service<
  ScreenedFiles,
  {
    /** Breaks when the bytes are not the ones that were received. */
    readonly read: (
      upload: LeasedUpload
    ) => Effect.Effect<ScreenedImage, ScreeningBroke | ObjectNotFound | StorageUnavailable>
  }
>()("pennypress/publishing/uploads/ScreenedFiles") {
  static readonly layer = Layer.effect(
    ScreenedFiles,
    Effect.gen(function* () {
      const files = yield* StagedFiles
      const storage = yield* ObjectStorage
      const digests = yield* Digest.Digest

      const broke = (message: string) =>
        new ScreeningBroke({ reason: "unsupported or incomplete inspection", cause: new Error(message) })

      return ScreenedFiles.of({
        read: Effect.fn("ScreenedFiles.read")(function* (upload) {
          const { format, sha256 } = upload
          if (format === null || sha256 === null) return yield* broke("Nothing was received")
          // What is known is known by the file that was received.
          const copied = Effect.map(storage.read(publicPath(upload, format)), (bytes) => ({
            bytes,
            sha256,
            format
          }))
          if (upload.staged_bytes === 0) return yield* copied
          const staged = Effect.gen(function* () {
            const bytes = yield* files.read(upload)
            if (sha256 !== (yield* digests.digestHex(Digest.sha256, bytes)))
              return yield* broke("The staged bytes are not those that were received")
            return { bytes, sha256, format }
          })
          // A cleanup may have been on its way when the image was to be screened once more.
          return yield* Effect.catchTag(staged, "ObjectNotFound", () => copied)
        })
      })
    })
  )
}
