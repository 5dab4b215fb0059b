import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { limiting, setRetryAfter } from "../../platform/rate-limits/http.ts"
import { openForm } from "../uploads/admission/uploadForm.ts"
import { answered, postUploadHeaders, requestBytes } from "../uploads/http.ts"
import { Uploads } from "../uploads/Uploads.ts"

/** The form has the file and nothing else. */
const rules = { hasIntent: false, refuse: () => undefined }

export const AttachmentsHttp = HttpApiBuilder.group(
  Api,
  "attachments",
  Effect.fnUntraced(function* (handlers) {
    const uploads = yield* Uploads
    const count = yield* limiting

    return handlers.handleAll({
      attach: Effect.fnUntraced(
        function* ({ headers, params: { postId }, payload }) {
          const publisher = yield* CurrentPublisher
          const target = { kind: "attachment", id: UploadTargetId.make(postId), key: "" } as const
          const named = yield* postUploadHeaders(headers, Result.succeed(target))
          const bytes = yield* requestBytes("attachment")
          yield* count("image-upload")
          const request = { ...named, requestBytes: bytes }
          return yield* answered(yield* uploads.admit(publisher, request, openForm(payload, rules)))
        },
        Effect.tapErrorTag("UploadLimitReached", setRetryAfter)
      ),
      list: Effect.fnUntraced(function* ({ params: { postId } }) {
        return { operations: yield* uploads.attachments(yield* CurrentPublisher, postId) }
      }),
      remove: Effect.fnUntraced(function* ({ params: { attachmentId, postId } }) {
        const { currentRevision } = yield* uploads.detach(yield* CurrentPublisher, postId, attachmentId)
        return { id: attachmentId, currentRevision }
      })
    })
  })
)
