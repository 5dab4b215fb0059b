import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound, RevisionConflict } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { PostId, UploadOperationId } from "../../platform/Ids.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { MalformedRevision, PaidContentRequired, PaidPostRequired } from "../posts/errors.ts"
import { admissionErrors, describeUpload, idempotencyKey, receipts } from "../uploads/http.ts"
import {
  ARCHIVE_BYTES_MAX,
  ARCHIVE_DIRECTORIES_MAX,
  ARCHIVE_FILES_MAX,
  ARCHIVE_RECORDS_MAX,
  ATTACHMENT_NAME_LENGTH_MAX,
  COMPRESSION_RATIO_MAX,
  ENTRY_DEPTH_MAX,
  ENTRY_NAME_BYTES_MAX,
  POST_ATTACHMENTS_BYTES_MAX,
  POST_ATTACHMENTS_MAX,
  REQUEST_OVERHEAD_BYTES_MAX,
  STAGED_ATTACHMENT_BYTES_MAX,
  UNFINISHED_ATTACHMENTS_MAX,
  UNPACKED_BYTES_FREE,
  UNPACKED_BYTES_MAX
} from "../uploads/limits.ts"
import { UploadOperations } from "../uploads/Upload.ts"

const mebibytes = (bytes: number) => `${bytes / 1024 / 1024} MiB`

/** States the limits of a ZIP, for the description of its upload. */
const archiveLimits = [
  `A ZIP has at most ${mebibytes(ARCHIVE_BYTES_MAX)}.`,
  `A Post has at most ${POST_ATTACHMENTS_MAX} ZIPs with ${mebibytes(POST_ATTACHMENTS_BYTES_MAX)} in total.`,
  `A Profile has at most ${UNFINISHED_ATTACHMENTS_MAX} unfinished ZIPs with ${mebibytes(STAGED_ATTACHMENT_BYTES_MAX)} in total.`,
  `Its name has at most ${ATTACHMENT_NAME_LENGTH_MAX} characters, ends in \`.zip\` in any case, and is unique on the Post.`,
  `It unpacks to at most ${mebibytes(UNPACKED_BYTES_MAX)} and, above ${mebibytes(UNPACKED_BYTES_FREE)}, to at most ${COMPRESSION_RATIO_MAX} times its size.`,
  `It has at most ${ARCHIVE_FILES_MAX} files and ${ARCHIVE_DIRECTORIES_MAX} directories, in at most ${ARCHIVE_RECORDS_MAX} entries. Directories that only names imply count, too.`,
  `Names in it have at most ${ENTRY_NAME_BYTES_MAX} bytes and ${ENTRY_DEPTH_MAX} levels.`
].join(" ")

const archive = Schema.Struct({
  file: Multipart.PersistedFileSchema.annotate({ description: "A ZIP whose name ends in `.zip`" })
}).pipe(
  HttpApiSchema.asMultipartStream({
    maxParts: 16,
    maxFieldSize: 1024,
    // The parser counts the headers of a part with its file.
    maxFileSize: ARCHIVE_BYTES_MAX + REQUEST_OVERHEAD_BYTES_MAX,
    maxTotalSize: ARCHIVE_BYTES_MAX + REQUEST_OVERHEAD_BYTES_MAX
  })
)

/** The answer to taking a file off its Post; the same when it was off already. */
export const AttachmentRemoved = Schema.Struct({
  id: UploadOperationId,
  currentRevision: Schema.NullOr(Timestamp)
}).annotate({ identifier: "AttachmentRemoved" })

const post = { postId: PostId }

/** ZIP files that come with the paid section of a Post, as its author attaches them (spec 4.3.8). */
export class AttachmentsApi extends HttpApiGroup.make("attachments")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/posts/:postId/attachments", {
      params: post,
      success: UploadOperations,
      error: inProblems(NotFound, "not-found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the uploads of ZIPs for a Post",
        description: "Lists the uploads of ZIPs for a Post, newest first."
      })
    ),
    HttpApiEndpoint.delete("remove", "/api/v1/posts/:postId/attachments/:attachmentId", {
      params: { ...post, attachmentId: UploadOperationId },
      success: AttachmentRemoved,
      error: inProblems(NotFound, "not-found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Take a ZIP off a Post",
        description:
          "Takes a ZIP off a Post. Readers who bought the Post or redeemed a gift while the ZIP was on it keep the download. A repeat is safe."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("key"))
  .add(
    HttpApiEndpoint.post("attach", "/api/v1/posts/:postId/attachments", {
      params: post,
      headers: {
        ...idempotencyKey,
        "x-post-revision": Schema.optionalKey(Schema.String),
        "if-match": Schema.optionalKey(Schema.String)
      },
      payload: archive,
      success: receipts,
      error: [
        ...admissionErrors,
        inProblems(NotFound, "not-found"),
        inProblems(RevisionConflict, "revision-conflict"),
        inProblems(PaidPostRequired, "paid-post-required"),
        inProblems(PaidContentRequired, "paid-content-required"),
        inJson(MalformedRevision, "malformed_revision")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Attach a ZIP to a Post",
          description: `Attaches a ZIP to a Post with a paywall and paid text. Its directory is checked immediately. Buyers can download it when screening has cleared it. ${archiveLimits}`
        })
      )
      .annotateMerge(rateLimit("key"))
      .annotate(OpenApi.Transform, describeUpload)
  )
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Attachments",
      description: "ZIP files for the buyers of a Post, screened before anyone can download them"
    })
  ) {}
