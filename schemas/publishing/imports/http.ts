import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { bodyKibibytesMax, bodyValuesMax } from "../../platform/BodyBytesMax.ts"
import { NotFound, PayloadTooLarge, Unavailable, Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { IdempotencyKey } from "../../platform/IdempotencyKey.ts"
import { ImportId, ImportItemId } from "../../platform/Ids.ts"
import { describeLimited } from "../../platform/openapi.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { PublishingKey } from "../../platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { IdempotencyMismatch } from "../posts/errors.ts"
import { LengthRequired } from "../uploads/errors.ts"
import { ImportInProgress, ImportOffset, ImportStateRefused } from "./errors.ts"
import {
  ApplyRequest,
  GhostRedirects,
  Import,
  ImportPage,
  ImportRequest,
  ImportsQuery,
  PublishItemsRequest,
  Redirects,
  RedirectsFormat,
  UndoResult
} from "./Import.ts"
import { ItemPage, ItemsQuery, ItemWithDraft } from "./Item.ts"
import { IMPORT_ITEMS_APPLIED_MAX } from "./limits.ts"

const params = { importId: ImportId }

/** Present on the answer of a repeated request that changed nothing. */
const replayed = { "x-idempotency-replay": Schema.optionalKey(Schema.Literal("true")) }

const idempotent = { "idempotency-key": IdempotencyKey }

const csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

const text = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))

/** Fits the ids of all items that one request may name. */
const namingItems = Context.merge(bodyKibibytesMax(512), bodyValuesMax(IMPORT_ITEMS_APPLIED_MAX + 100))

const notFound = inProblems(NotFound, "not-found")
const refusedState = inProblems(ImportStateRefused, "import-state")
const invalid = inProblems(Validation, "validation")
const mismatch = inProblems(IdempotencyMismatch, "idempotency-mismatch")

/** Imports of an author: a file of posts from another platform, read, reviewed, and made drafts of. */
export class ImportsApi extends HttpApiGroup.make("imports")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/imports", {
      query: ImportsQuery.fields,
      success: ImportPage,
      error: invalid
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List your imports",
        description: "Lists the imports of the account, newest first."
      })
    ),
    HttpApiEndpoint.put("sendFile", "/api/v1/imports/:importId/file", {
      params,
      headers: {
        "content-range": Schema.optionalKey(
          Schema.String.annotate({ description: "`bytes a-b/total` of a piece; absent for the whole file" })
        )
      },
      payload: HttpApiSchema.StreamUint8Array(),
      success: Import,
      error: [
        notFound,
        refusedState,
        invalid,
        inProblems(ImportOffset, "import-offset"),
        inProblems(LengthRequired, "length-required"),
        inProblems(PayloadTooLarge, "payload-too-large"),
        inProblems(Unavailable, "dependency-unavailable")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send the file of an import",
        description:
          "Stores the bytes of the file, whole or in pieces in their order. After a lost connection, `received` says where to go on. The last byte starts the reading. Needs a Content-Length."
      })
    ),
    HttpApiEndpoint.get("read", "/api/v1/imports/:importId", {
      params,
      success: Import,
      error: notFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read an import",
        description:
          "Returns an import. While it works, `retryAfterSeconds` says when to look again, and `progress` how far it is."
      })
    ),
    HttpApiEndpoint.get("items", "/api/v1/imports/:importId/items", {
      params,
      query: ItemsQuery.fields,
      success: ItemPage,
      error: [notFound, invalid]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the items of an import",
        description:
          "Lists what the file has, in its order. The report of each item says what is kept, said otherwise or lost."
      })
    ),
    HttpApiEndpoint.get("item", "/api/v1/imports/:importId/items/:itemId", {
      params: { ...params, itemId: ImportItemId },
      success: ItemWithDraft,
      error: notFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read an item of an import",
        description:
          "Returns an item with the draft that it becomes. Pictures and links are those of the source."
      })
    ),
    HttpApiEndpoint.get("report", "/api/v1/imports/:importId/report.csv", {
      params,
      success: csv,
      error: notFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Download the report of an import",
        description: "Returns each line of each report as CSV."
      })
    ),
    HttpApiEndpoint.post("cancel", "/api/v1/imports/:importId/cancel", {
      params,
      success: Import,
      error: [notFound, refusedState]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Cancel an import",
        description: "Ends an import at the next item. Drafts that it made stay."
      })
    ),
    HttpApiEndpoint.post("undo", "/api/v1/imports/:importId/undo", {
      params,
      success: UndoResult,
      error: [notFound, refusedState]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Undo an import",
        description:
          "Deletes the drafts that the import made, unless they were changed, published, bought or tipped since. Their items are `new` again."
      })
    ),
    HttpApiEndpoint.delete("remove", "/api/v1/imports/:importId", {
      params,
      success: HttpApiSchema.NoContent,
      error: [notFound, inProblems(ImportInProgress, "import-in-progress")]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete an import",
          description:
            "Deletes an import with its file and its items. Its drafts stay, and a later import still knows their sources."
        })
      )
      .annotate(AllowedWhileRestricted, true),
    HttpApiEndpoint.get("redirects", "/api/v1/imports/:importId/redirects", {
      params,
      query: { format: Schema.optionalKey(RedirectsFormat) },
      success: [Redirects, GhostRedirects, csv, text],
      error: notFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List redirects of the old addresses",
        description:
          "Returns the old path and the new URL of each item that has a Post. The forms are CSV, JSON, the `redirects.json` of Ghost and lines for Apache."
      })
    ),
    HttpApiEndpoint.post("apply", "/api/v1/imports/:importId/apply", {
      params,
      headers: idempotent,
      payload: ApplyRequest,
      success: HttpApiSchema.WithHeaders(Import.pipe(HttpApiSchema.status(202)), replayed),
      error: [notFound, refusedState, invalid, mismatch]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Make drafts of items",
          description:
            "Makes drafts of items, or brings those up to date that an earlier import made. An item that has its draft is tried again for what failed, such as pictures. Repeat it with the same Idempotency-Key to get the same import."
        })
      )
      .annotateMerge(namingItems),
    HttpApiEndpoint.post("publish", "/api/v1/imports/:importId/publish", {
      params,
      headers: idempotent,
      payload: PublishItemsRequest,
      success: HttpApiSchema.WithHeaders(Import.pipe(HttpApiSchema.status(202)), replayed),
      error: [notFound, refusedState, invalid, mismatch]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Publish items",
          description:
            "Publishes the drafts of items, each with the checks of publishing. The members fill what an item lacks and replace nothing. The report of an item says what stands in the way."
        })
      )
      .annotateMerge(namingItems)
  )
  .annotateEndpointsMerge(rateLimit("key"))
  .add(
    // The handler counts it as `import` of the account; a repeat begins nothing and is not counted.
    HttpApiEndpoint.post("begin", "/api/v1/imports", {
      headers: idempotent,
      payload: ImportRequest,
      success: HttpApiSchema.WithHeaders(Import.pipe(HttpApiSchema.status(201)), replayed),
      error: [
        mismatch,
        inProblems(ImportInProgress, "import-in-progress"),
        inProblems(PayloadTooLarge, "payload-too-large"),
        inProblems(Unavailable, "dependency-unavailable")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Begin an import",
          description:
            "Begins the import of a file from Substack, Ghost, Medium or WordPress, of Markdown, or of an export. Send the file next. An account has one import under way at a time, and begins at most 10 a day."
        })
      )
      .annotate(OpenApi.Transform, describeLimited)
  )
  .middleware(ProblemRateLimits)
  .middleware(PublishingKey)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Imports",
      description: "Bring posts from other platforms, with their pictures, dates, slugs and links"
    })
  ) {}
