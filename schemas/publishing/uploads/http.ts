import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound, PayloadTooLarge, RevisionConflict, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { UncheckedIdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { PostId, UploadOperationId } from "../../platform/Ids.ts"
import { describeLimited } from "../../platform/openapi.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import { MalformedRevision } from "../posts/errors.ts"
import { StorageQuotaReached } from "../storage/errors.ts"
import {
  LengthRequired,
  MalformedMultipart,
  ScreeningBlocked,
  UploadConflict,
  UploadFailed,
  UploadLimitReached,
  UploadUnavailable
} from "./errors.ts"
import { INLINE_IMAGE_BYTES_MAX, REQUEST_OVERHEAD_BYTES_MAX, TARGET_IMAGE_BYTES_MAX } from "./limits.ts"
import { OperationsQuery } from "./OperationsQuery.ts"
import { HeaderRemoved, UploadOperations, UploadReceipt } from "./Upload.ts"

/** The use of an image of a Post: in its text or as its OG image (spec 4.4). */
export const ImageIntent = Schema.Literals(["content", "og"])
export type ImageIntent = typeof ImageIntent.Type

const file = Multipart.PersistedFileSchema.annotate({ description: "A PNG, JPEG, WebP or GIF" })

/** Sets the limits of the largest image; the service applies the limit of each kind. */
const streamed = (fileBytesMax: number) =>
  HttpApiSchema.asMultipartStream({
    maxParts: 16,
    maxFieldSize: 1024,
    // The parser counts the headers of a part with its file.
    maxFileSize: fileBytesMax + REQUEST_OVERHEAD_BYTES_MAX,
    maxTotalSize: fileBytesMax + REQUEST_OVERHEAD_BYTES_MAX
  })

const postImage = Schema.Struct({ file, intent: Schema.optionalKey(ImageIntent) }).pipe(
  streamed(INLINE_IMAGE_BYTES_MAX)
)
const profileImage = Schema.Struct({ file }).pipe(streamed(TARGET_IMAGE_BYTES_MAX))

/** The key of an upload, which is required. The service reports a missing or wrong key together with all other errors. */
export const idempotencyKey = { "idempotency-key": Schema.optionalKey(UncheckedIdempotencyKey) }

/** The headers that every upload with them requires, although the service reports them together with all other errors. */
const REQUIRED = new Set(["idempotency-key", "x-post-revision"])

/** Documents the limits of an upload and marks the headers that it requires. They come first. */
export const describeUpload: typeof describeLimited = (operation) => {
  const parameters = operation["parameters"] as ReadonlyArray<{ readonly name: string }>
  const required = parameters.filter(({ name }) => REQUIRED.has(name))
  const others = parameters.filter(({ name }) => !REQUIRED.has(name))
  const marked = required.map((it) => Object.assign({}, it, { required: true }))
  return describeLimited({ ...operation, parameters: [...marked, ...others] })
}

/** Answers 202 while the upload is receiving, queued or checking; 200 afterwards and for replays (spec 4.4). */
export const receipts = [UploadReceipt, UploadReceipt.pipe(HttpApiSchema.status(202))] as const

export const admissionErrors = [
  inProblems(MalformedMultipart, "malformed-multipart"),
  inProblems(LengthRequired, "length-required"),
  inProblems(PayloadTooLarge, "payload-too-large"),
  inProblems(Validation, "validation"),
  inProblems(UploadConflict, "upload-conflict"),
  inProblems(UploadLimitReached, "upload-limit-reached"),
  inProblems(StorageQuotaReached, "storage-quota-reached"),
  inProblems(ScreeningBlocked, "screening-blocked"),
  inProblems(UploadUnavailable, "dependency-unavailable"),
  inProblems(UploadFailed, "internal-error")
] as const

const operation = { operationId: UploadOperationId }

/** Uploads of images for Posts and Profiles, and the state of each upload. */
export class UploadsApi extends HttpApiGroup.make("uploads")
  .add(
    HttpApiEndpoint.delete("removeHeader", "/api/v1/profile/header", {
      success: HeaderRemoved
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Take the header image off the Profile",
        description: "Removes the header image from the Profile. A repeat is safe."
      })
    ),
    HttpApiEndpoint.get("list", "/api/v1/upload-operations", {
      query: OperationsQuery.fields,
      success: UploadOperations,
      error: [inProblems(NotFound, "not-found"), inProblems(Validation, "validation")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List or recover upload operations",
        description:
          "Lists the upload operations of a Post or of the Profile. With requestKey, targetKind and targetId it finds one request."
      })
    ),
    HttpApiEndpoint.get("status", "/api/v1/upload-operations/:operationId", {
      params: operation,
      success: receipts,
      error: [inProblems(NotFound, "not-found"), inProblems(ScreeningBlocked, "screening-blocked")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Reconcile an upload operation",
        description: "Returns the state of an upload, and completes steps that are waiting."
      })
    ),
    HttpApiEndpoint.delete("cancel", "/api/v1/upload-operations/:operationId", {
      params: operation,
      success: UploadReceipt,
      error: inProblems(NotFound, "not-found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Cancel an upload operation",
        description: "Withdraws an image: its public copy is removed, even if screening clears it."
      })
    ),
    HttpApiEndpoint.post("associate", "/api/v1/upload-operations/:operationId/associate", {
      params: operation,
      success: receipts,
      error: [inProblems(NotFound, "not-found"), inProblems(ScreeningBlocked, "screening-blocked")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Put an uploaded image in its place",
        description: "Puts a received image in its place, if this is possible."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("key"))
  .add(
    HttpApiEndpoint.post("header", "/api/v1/profile/header", {
      headers: idempotencyKey,
      payload: profileImage,
      success: receipts,
      error: admissionErrors
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Upload the header image",
          description: "Uploads the header image of the Profile and replaces the current one."
        })
      )
      .annotateMerge(rateLimit("key"))
      .annotate(OpenApi.Transform, describeUpload),
    HttpApiEndpoint.post("image", "/api/v1/posts/:postId/images", {
      params: { postId: PostId },
      query: { intent: Schema.optionalKey(ImageIntent) },
      headers: {
        ...idempotencyKey,
        "x-upload-target-key": Schema.optionalKey(Schema.String),
        "x-post-revision": Schema.optionalKey(Schema.String),
        "if-match": Schema.optionalKey(Schema.String)
      },
      payload: postImage,
      success: receipts,
      error: [
        ...admissionErrors,
        inProblems(NotFound, "not-found"),
        inProblems(RevisionConflict, "revision-conflict"),
        inJson(MalformedRevision, "malformed_revision")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Upload an image of a Post",
          description:
            "Uploads an image for the text of a Post, or its Open Graph image. It is public immediately; screening follows in the background."
        })
      )
      .annotateMerge(rateLimit("key"))
      .annotate(OpenApi.Transform, describeUpload),
    HttpApiEndpoint.post("avatar", "/api/v1/profile/avatar", {
      headers: idempotencyKey,
      payload: profileImage,
      success: receipts,
      error: admissionErrors
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Upload the avatar",
          description: "Uploads the avatar of the Profile and replaces the current one."
        })
      )
      .annotateMerge(rateLimit("avatar-upload"))
      .annotate(OpenApi.Transform, describeUpload)
  )
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Images",
      description: "Uploads of images, public immediately and screened in the background"
    })
  ) {}
