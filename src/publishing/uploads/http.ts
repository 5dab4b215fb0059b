import { Effect, Result, Schema, type Stream } from "effect"
import { HttpServerRequest, HttpServerResponse, type Multipart } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { PayloadTooLarge, Validation } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { fieldErrorsOf } from "../../../schemas/platform/errors/fieldErrors.ts"
import { IdempotencyKey } from "../../../schemas/platform/IdempotencyKey.ts"
import { UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { MalformedRevision } from "../../../schemas/publishing/posts/errors.ts"
import { LengthRequired, ScreeningBlocked } from "../../../schemas/publishing/uploads/errors.ts"
import { REQUEST_OVERHEAD_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import type { TargetKind, UploadReceipt } from "../../../schemas/publishing/uploads/Upload.ts"
import { limiting, setRetryAfter } from "../../platform/rate-limits/http.ts"
import { requiredRevision, type RevisionHeaders } from "../posts/revision.ts"
import { imageTarget } from "./admission/imageTarget.ts"
import { fileBytesMax } from "./admission/limits.ts"
import { openForm } from "./admission/uploadForm.ts"
import { isUnfinished } from "./operation/operation.ts"
import { Uploads } from "./Uploads.ts"

type Form = Stream.Stream<Multipart.Part, Multipart.MultipartError>

const LENGTH = /^\d{1,12}$/

/** Reads the length of a request, which holds its file and what surrounds it. */
const requestBytes = Effect.fnUntraced(function* (kind: TargetKind) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const length = headers["content-length"]
  if (length === undefined || !LENGTH.test(length)) return yield* new LengthRequired()
  const bytes = Number(length)
  if (bytes > fileBytesMax(kind) + REQUEST_OVERHEAD_BYTES_MAX) return yield* new PayloadTooLarge()
  return bytes
})

/** Answers 202 while something will still happen, and 200 afterwards or for a repeat (spec 4.4). */
const answered = Effect.fnUntraced(function* (receipt: UploadReceipt) {
  const { held, state } = receipt.safety
  if (held) return yield* new ScreeningBlocked(receipt)
  return HttpServerResponse.jsonUnsafe(receipt, {
    status: !receipt.replayed && isUnfinished(state) ? 202 : 200
  })
})

const KEY = "Idempotency-Key"

const keyMissing: FieldError = {
  field: KEY,
  code: "required",
  message: "Send a key of your own for this upload, 1 to 255 characters, and save it before the bytes."
}
const revisionMissing: FieldError = {
  field: "X-Post-Revision",
  code: "required",
  message: "Send the latest updatedAt of the Post."
}

interface KeyHeader {
  readonly "idempotency-key"?: string | undefined
}

const decodeKey = Schema.decodeUnknownResult(Schema.Struct({ [KEY]: IdempotencyKey }), { errors: "all" })

const keyOf = ({ "idempotency-key": key }: KeyHeader): Result.Result<string, ReadonlyArray<FieldError>> =>
  key === undefined
    ? Result.fail([keyMissing])
    : Result.mapBoth(decodeKey({ [KEY]: key }), {
        onFailure: ({ issue }) => fieldErrorsOf(issue, "headers").errors,
        onSuccess: (headers) => headers[KEY]
      })

const errorOf = (read: Result.Result<unknown, FieldError>) => (Result.isFailure(read) ? [read.failure] : [])

/** Returns the key of an upload. */
const requestKeyOf = (headers: KeyHeader): Effect.Effect<string, Validation> =>
  Effect.mapError(Effect.fromResult(keyOf(headers)), (errors) => new Validation({ errors }))

/**
 * Returns the key of an upload for a Post, and the revision that the Post must have. Fails with all errors together, also
 * with that of its `target`. A wrong revision decides the family of the answer (spec 4.3.9).
 */
const postUploadHeaders = <A>(
  headers: KeyHeader & RevisionHeaders,
  target: Result.Result<A, FieldError>
): Effect.Effect<
  { readonly requestKey: string; readonly revision: string; readonly target: A },
  Validation | MalformedRevision
> => {
  const requestKey = keyOf(headers)
  const required = requiredRevision(headers)
  const revision = Result.flatMap(required, (it) =>
    it === undefined ? Result.fail(revisionMissing) : Result.succeed(it)
  )
  if (Result.isSuccess(requestKey) && Result.isSuccess(target) && Result.isSuccess(revision))
    return Effect.succeed({
      requestKey: requestKey.success,
      revision: revision.success,
      target: target.success
    })
  const errors = [
    ...Result.match(requestKey, { onFailure: (it) => it, onSuccess: () => [] }),
    ...errorOf(target),
    ...errorOf(revision)
  ]
  return Effect.fail(
    Result.isFailure(required) ? new MalformedRevision({ errors }) : new Validation({ errors })
  )
}

/** A form has the file and nothing else, unless it is that of an image for a Post. */
const ONE_FILE = { hasIntent: false, refuse: () => undefined }

/** Errors of `Uploads.admit` that an image never has: only a ZIP needs paid text and a paywall. */
const ATTACHMENT_REFUSALS = ["PaidContentRequired", "PaidPostRequired"] as const

/** Uploads of images. */
export const UploadsHttp = HttpApiBuilder.group(
  Api,
  "uploads",
  Effect.fnUntraced(function* (handlers) {
    const uploads = yield* Uploads
    const count = yield* limiting

    const profileImage = (kind: "avatar" | "header") =>
      Effect.fnUntraced(
        function* ({
          headers,
          payload
        }: {
          readonly headers: { readonly "idempotency-key"?: string }
          readonly payload: Form
        }) {
          const publisher = yield* CurrentPublisher
          const requestKey = yield* requestKeyOf(headers)
          const target = { kind, id: UploadTargetId.make(publisher.ownerId), key: "" }
          const bytes = yield* requestBytes(kind)
          yield* count("image-upload")
          const request = { target, requestKey, revision: undefined, requestBytes: bytes }
          const form = openForm(payload, ONE_FILE)
          return yield* answered(yield* uploads.admit(publisher, request, form))
        },
        Effect.tapErrorTag("UploadLimitReached", setRetryAfter),
        // Only a Post has a revision, or may be missing.
        Effect.catchTag(["NotFound", "RevisionConflict", ...ATTACHMENT_REFUSALS], Effect.die)
      )

    return handlers.handleAll({
      avatar: profileImage("avatar"),
      header: profileImage("header"),
      removeHeader: Effect.fnUntraced(function* () {
        yield* uploads.removeHeader(yield* CurrentPublisher)
        return { headerImageUrl: null }
      }),
      image: Effect.fnUntraced(
        function* ({ headers, params, payload, query }) {
          const publisher = yield* CurrentPublisher
          const image = imageTarget(params.postId, query.intent, headers["x-upload-target-key"])
          const named = yield* postUploadHeaders(headers, image)
          const { refuse, target } = named.target
          const bytes = yield* requestBytes(target.kind)
          yield* count("image-upload")
          const request = { ...named, target, requestBytes: bytes }
          const form = openForm(payload, { hasIntent: true, refuse })
          return yield* answered(yield* uploads.admit(publisher, request, form))
        },
        Effect.tapErrorTag("UploadLimitReached", setRetryAfter),
        Effect.catchTag(ATTACHMENT_REFUSALS, Effect.die)
      ),
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

/** Uploads of ZIPs for the buyers of a Post. */
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
          const form = openForm(payload, ONE_FILE)
          return yield* answered(yield* uploads.admit(publisher, request, form))
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
