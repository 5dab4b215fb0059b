import { Effect } from "effect"
import { NotFound, PayloadTooLarge, Validation } from "../../../schemas/platform/errors/common.ts"
import { CurrentPublisher, type PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { REQUEST_OVERHEAD_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { fileBytesMax } from "../../publishing/uploads/admission/limits.ts"
import type { UploadTarget } from "../../publishing/uploads/operation/target.ts"
import { Uploads } from "../../publishing/uploads/Uploads.ts"
import type { FileForm } from "./fileForm.ts"
import { fileRefusalOf } from "./refusals.ts"

/** The place of a file, and the name of the form that sends it. */
interface TakenFile {
  readonly target: UploadTarget
  /** The Idempotency-Key that was made with the form: the same form takes its file once. */
  readonly requestKey: string
  /** Revision that the Post must have; undefined for a place that has none, or that any revision has. */
  readonly revision?: string | undefined
}

/**
 * Makes the function that takes the file of a form by the admission of the API: the same rules and limits, with the refusals
 * in words for people.
 */
export const makeTakeFile = Effect.gen(function* () {
  const uploads = yield* Uploads
  const count = yield* limiting

  const admitted = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    { requestKey, revision, target }: TakenFile,
    { bytes, file }: Pick<FileForm, "bytes" | "file">
  ) {
    if (file === undefined)
      return yield* new Validation({ errors: [{ field: "file", code: "required", message: "Send a file" }] })
    if (bytes > fileBytesMax(target.kind) + REQUEST_OVERHEAD_BYTES_MAX) return yield* new PayloadTooLarge()
    if (target.kind === "avatar")
      yield* Effect.provideService(count("avatar-upload"), CurrentPublisher, publisher)
    yield* count("image-upload")
    const request = { target, requestKey, revision, requestBytes: bytes }
    return yield* uploads.admit(publisher, request, Effect.succeed(file))
  })

  return (publisher: PublisherAuthority, taken: TakenFile, form: Pick<FileForm, "bytes" | "file">) =>
    Effect.mapError(admitted(publisher, taken, form), (error) =>
      error instanceof NotFound ? error : fileRefusalOf(taken.target.kind, error)
    )
})
