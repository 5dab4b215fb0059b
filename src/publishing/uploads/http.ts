import { Effect, Result, type Stream } from "effect"
import { HttpServerRequest, HttpServerResponse, type Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { PayloadTooLarge, Validation } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { CurrentPublisher, type PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { LengthRequired, ScreeningBlocked } from "../../../schemas/publishing/uploads/errors.ts"
import { REQUEST_OVERHEAD_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import type { TargetKind, UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { limiting, setRetryAfter } from "../../platform/rate-limits/http.ts"
import { revisionOf } from "../posts/revision.ts"
import { imageTarget } from "./admission/imageTarget.ts"
import { fileBytesMax } from "./admission/limits.ts"
import { asUncertain, type UploadRequest } from "./admission/uncertain.ts"
import { type FormRules, openForm } from "./admission/uploadForm.ts"
import { isUnfinished } from "./operation/operation.ts"
import { Uploads } from "./Uploads.ts"

type Form = Stream.Stream<Multipart.Part, Multipart.MultipartError>

const LENGTH = /^\d{1,12}$/

/** Reads the length of a request, which holds its file and what surrounds it. */
export const requestBytes = Effect.fnUntraced(function* (kind: TargetKind) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const length = headers["content-length"]
  if (length === undefined || !LENGTH.test(length)) return yield* new LengthRequired()
  const bytes = Number(length)
  if (bytes > fileBytesMax(kind) + REQUEST_OVERHEAD_BYTES_MAX) return yield* new PayloadTooLarge()
  return bytes
})

/** Answers 202 while something will still happen, and 200 afterwards or for a repeat (spec 4.4). */
export const answered = Effect.fnUntraced(function* (receipt: UploadReceipt) {
  const { held, state } = receipt.safety
  if (held) return yield* new ScreeningBlocked(receipt)
  return HttpServerResponse.jsonUnsafe(receipt, {
    status: !receipt.replayed && isUnfinished(state) ? 202 : 200
  })
})

export const requestKeyMissing: FieldError = {
  field: "Idempotency-Key",
  code: "required",
  message: "Send a key of your own for this upload, 1 to 255 characters, and save it before the bytes."
}
export const revisionMissing: FieldError = {
  field: "X-Post-Revision",
  code: "required",
  message: "Send the latest updatedAt of the Post."
}

/** Fails with every error at once. */
export const refuse = (errors: ReadonlyArray<FieldError | undefined>) => {
  const found = errors.filter((error) => error !== undefined)
  return found.length === 0 ? Effect.void : Effect.fail(new Validation({ errors: found }))
}

export const UploadsHttp = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const uploads = yield* Uploads
    const count = yield* limiting

    const admit = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      request: Omit<UploadRequest, "requestBytes">,
      form: Form,
      rules: FormRules
    ) {
      const whole = { ...request, requestBytes: yield* requestBytes(request.target.kind) }
      yield* count("image-upload")
      const receipt = yield* asUncertain(whole)(uploads.admit(publisher, whole, openForm(form, rules))).pipe(
        Effect.tapErrorTag("UploadLimitReached", setRetryAfter)
      )
      return yield* answered(receipt)
    })

    const profileImage = (kind: "avatar" | "header") =>
      Effect.fnUntraced(
        function* (it: {
          readonly headers: { readonly "idempotency-key"?: string }
          readonly payload: Form
        }) {
          const publisher = yield* CurrentPublisher
          const requestKey = it.headers["idempotency-key"]
          yield* refuse([requestKey === undefined ? requestKeyMissing : undefined])
          const target = { kind, id: UploadTargetId.make(publisher.ownerId), key: "" }
          const request = { target, requestKey: requestKey ?? "", revision: undefined }
          return yield* admit(publisher, request, it.payload, { hasIntent: false, refuse: () => undefined })
        },
        // Only a Post has a revision, or may be missing.
        Effect.catchTag(["NotFound", "RevisionConflict"], Effect.die)
      )

    return handlers.handleAll({
      avatar: profileImage("avatar"),
      header: profileImage("header"),
      removeHeader: Effect.fnUntraced(function* () {
        yield* uploads.removeHeader(yield* CurrentPublisher)
        return { headerImageUrl: null }
      }),
      image: Effect.fnUntraced(function* ({ headers, params, payload, query }) {
        const publisher = yield* CurrentPublisher
        const requestKey = headers["idempotency-key"]
        const image = imageTarget(params.postId, query.intent, headers["x-upload-target-key"])
        const revision = yield* revisionOf(headers)
        yield* refuse([
          requestKey === undefined ? requestKeyMissing : undefined,
          Result.isFailure(image) ? image.failure : undefined,
          revision === undefined ? revisionMissing : undefined
        ])
        const { target, ...form } = yield* Effect.orDie(Effect.fromResult(image))
        const request = { target, requestKey: requestKey ?? "", revision }
        return yield* admit(publisher, request, payload, { hasIntent: true, ...form })
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        return { operations: yield* uploads.list(yield* CurrentPublisher, query) }
      }),
      status: Effect.fnUntraced(function* ({ params }) {
        return yield* answered(yield* uploads.status(yield* CurrentPublisher, params.operationId))
      }),
      cancel: Effect.fnUntraced(function* ({ params }) {
        return yield* uploads.cancel(yield* CurrentPublisher, params.operationId)
      }),
      associate: Effect.fnUntraced(function* ({ params }) {
        return yield* answered(yield* uploads.associate(yield* CurrentPublisher, params.operationId))
      })
    })
  })
)
