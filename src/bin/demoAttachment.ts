import { Effect, Redacted, Result, Schedule } from "effect"
import { Base64 } from "effect/encoding"
import { type PostId, UploadOperationId } from "../../schemas/platform/Ids.ts"
import type { ApiClient } from "../client/PennypressClient.ts"

/** A ZIP with one text file. */
const ZIP =
  "UEsDBBQAAAAAAAAodV1OLpCYGwAAABsAAAAJAAAAcGVubnkudHh0QSBwZW5ueSBmb3IgeW91ciB0aG91Z2h0cy4KUEsBAhQDFAAAAAAAACh1XU4ukJgbAAAAGwAAAAkAAAAAAAAAAAAAAKSBAAAAAHBlbm55LnR4dFBLBQYAAAAAAQABADcAAABCAAAAAAA="

/** Seconds to wait for the file to be screened. */
const PATIENCE_SECONDS = 5

/** Attaches a ZIP to a Post. Returns its id. */
export const attach = Effect.fnUntraced(function* (
  publisher: ApiClient,
  post: { readonly id: PostId; readonly updatedAt: string },
  key: string
) {
  const form = new FormData()
  const bytes = Result.getOrThrow(Base64.decode(ZIP))
  form.append("file", new Blob([new Uint8Array(bytes)], { type: "application/zip" }), "penny.zip")
  const { safety } = yield* publisher.attachments.attach({
    params: { postId: post.id },
    headers: { "idempotency-key": key, "x-post-revision": post.updatedAt },
    payload: form
  })
  return UploadOperationId.make(safety.operationId)
})

interface Download {
  readonly anybody: ApiClient
  readonly postId: PostId
  readonly attachmentId: UploadOperationId
  readonly receipt: Redacted.Redacted
  readonly print: (line: string) => Effect.Effect<void>
}

/** Downloads a file of a Post by the receipt of its purchase. Without a scanner the file waits for one. */
export const download = ({ anybody, attachmentId, postId, print, receipt }: Download) =>
  anybody.access
    .download({
      params: { postId, attachmentId },
      headers: { "x-purchase-receipt": Redacted.value(receipt) }
    })
    .pipe(
      Effect.retry({
        while: ({ _tag }) => _tag === "AttachmentPending",
        times: PATIENCE_SECONDS,
        schedule: Schedule.spaced("1 second")
      }),
      Effect.flatMap((bytes) => print(`(${bytes.length} bytes of a ZIP)`)),
      Effect.catchTag("AttachmentPending", () =>
        print(
          "(It waits to be screened, because the service has no scanner. `SCANNER=none` turns scanning off.)"
        )
      )
    )
