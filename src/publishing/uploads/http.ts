import { Effect, Result, type Stream } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse, type Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { PayloadTooLargeProblem, ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { CurrentPublisher, type PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  LengthRequired,
  ScreeningBlocked,
  type UploadLimitReached
} from "../../../schemas/publishing/uploads/errors.ts"
import { REQUEST_OVERHEAD_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import type { TargetKind } from "../../../schemas/publishing/uploads/Upload.ts"
import { asProblem, limiting } from "../../platform/rate-limits/http.ts"
import { now } from "../../platform/time/now.ts"
import { revisionOf } from "../posts/revision.ts"
import { Admissions, type AdmittedUpload } from "./Admissions.ts"
import { type FormRules, readForm } from "./imageForm.ts"
import { imageTarget } from "./imageTarget.ts"
import { isUnfinished, receiptOf } from "./receipt.ts"
import { imageBytesMax } from "./StagedFiles.ts"
import { asUncertain } from "./uncertain.ts"
import type { UploadRequest } from "./uploadRequest.ts"
import { Uploads } from "./Uploads.ts"

type Form = Stream.Stream<Multipart.Part, Multipart.MultipartError>

const LENGTH = /^\d{1,12}$/

/** Bytes of the request, which has to say so, and may not have more than its image and what surrounds it. */
const requestBytes = Effect.fnUntraced(function* (kind: TargetKind) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const length = headers["content-length"]
  if (length === undefined || !LENGTH.test(length)) return yield* new LengthRequired({})
  const bytes = Number(length)
  if (bytes > imageBytesMax(kind) + REQUEST_OVERHEAD_BYTES_MAX) return yield* new PayloadTooLargeProblem({})
  return bytes
})

/** 202 while something will still happen; 200 afterwards, and for a repeat (specification 4.4). */
const answered = Effect.fnUntraced(function* ({ replayed, row }: AdmittedUpload) {
  const receipt = receiptOf(row, yield* now, replayed)
  if (row.held) return yield* new ScreeningBlocked(receipt)
  return HttpServerResponse.jsonUnsafe(receipt, { status: !replayed && isUnfinished(row.state) ? 202 : 200 })
})

/** A limit says when to ask again in its header too, as every 429 does. */
const tellRetryAfter = ({ retryAfterSeconds }: UploadLimitReached) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(retryAfterSeconds)))
  )

const invalid = (error: FieldError) => new ValidationProblem({ errors: [error] })

const revisionMissing: FieldError = {
  field: "X-Post-Revision",
  code: "required",
  message: "Expected the latest updatedAt of the Post"
}

export const UploadsHttp = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const admissions = yield* Admissions
    const uploads = yield* Uploads
    const count = yield* limiting

    const admit = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      request: Omit<UploadRequest, "requestBytes">,
      form: Form,
      rules: FormRules
    ) {
      const whole = { ...request, requestBytes: yield* requestBytes(request.target.kind) }
      yield* asProblem(count("image-upload"))
      const admitted = yield* asUncertain(whole)(
        admissions.admit(publisher, whole, readForm(form, rules))
      ).pipe(Effect.tapErrorTag("UploadLimitReached", tellRetryAfter))
      return yield* answered(admitted)
    })

    const profileImage = (kind: "avatar" | "header") =>
      Effect.fnUntraced(
        function* (it: { readonly headers: { readonly "idempotency-key": string }; readonly payload: Form }) {
          const publisher = yield* CurrentPublisher
          const target = { kind, id: UploadTargetId.make(publisher.ownerId), key: "" }
          const request = { target, requestKey: it.headers["idempotency-key"], revision: undefined }
          return yield* admit(publisher, request, it.payload, { hasIntent: false, refuse: () => undefined })
          // Of a Post alone.
        },
        Effect.catchTag(["NotFoundProblem", "RevisionConflict"], Effect.die)
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
        const image = imageTarget(params.postId, query.intent, headers["x-upload-target-key"])
        if (Result.isFailure(image)) return yield* invalid(image.failure)
        const revision = yield* revisionOf(headers)
        if (revision === undefined) return yield* invalid(revisionMissing)
        const { refuse, target } = image.success
        const request = { target, requestKey: headers["idempotency-key"], revision }
        return yield* admit(publisher, request, payload, { hasIntent: true, refuse })
      }),
      list: Effect.fnUntraced(function* ({ query }) {
        const rows = yield* uploads.list(yield* CurrentPublisher, query)
        const at = yield* now
        return { operations: rows.map((row) => receiptOf(row, at, false)) }
      }),
      status: Effect.fnUntraced(function* ({ params }) {
        const row = yield* uploads.reconcile(yield* CurrentPublisher, params.operationId, false)
        return yield* answered({ row, replayed: false })
      }),
      cancel: Effect.fnUntraced(function* ({ params }) {
        const row = yield* uploads.cancel(yield* CurrentPublisher, params.operationId)
        return receiptOf(row, yield* now, false)
      }),
      associate: Effect.fnUntraced(function* ({ params }) {
        const row = yield* uploads.reconcile(yield* CurrentPublisher, params.operationId, true)
        return yield* answered({ row, replayed: false })
      })
    })
  })
)
