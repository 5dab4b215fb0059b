import { Result, Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { CategoryId, ImportId, ImportItemId, PostId } from "../../platform/Ids.ts"
import { parsePriceXno, priceMessage } from "../../platform/Nano.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { atMost, HttpUrl, visibleLine } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { CreationMethod } from "../posts/creation.ts"
import { CreationDetails, Language } from "../posts/PostDraft.ts"
import {
  IMPORT_FILE_BYTES_MAX,
  IMPORT_FILE_NAME_MAX,
  IMPORT_ITEMS_APPLIED_MAX,
  IMPORTS_DEFAULT,
  IMPORTS_MAX
} from "./limits.ts"

/** The forms of files that an import reads. */
export const ImportKind = Schema.Literals([
  "pennypress",
  "markdown",
  "ghost",
  "wordpress",
  "substack",
  "medium"
]).annotate({ identifier: "ImportKind" })
export type ImportKind = typeof ImportKind.Type

/** The reason why a whole file cannot be read, or not beyond a place. */
export const ImportFailureCode = Schema.Literals([
  "unknown_form",
  "kind_mismatch",
  "empty",
  "damaged",
  "encrypted",
  "unsafe_archive",
  "too_large",
  "too_many",
  "too_deep",
  "doctype"
]).annotate({ identifier: "ImportFailureCode" })
export type ImportFailureCode = typeof ImportFailureCode.Type

/** The items that an import skips unless its author includes them. */
export const SkipCode = Schema.Literals(["page", "response", "other_type", "trashed", "empty"])
export type SkipCode = typeof SkipCode.Type

/**
 * The state of an import. It waits for its file, reads it, waits for the review of its author, and makes drafts or publishes
 * them as long as it is applying.
 */
export const ImportState = Schema.Literals([
  "awaiting_file",
  "reading",
  "review",
  "applying",
  "done",
  "failed",
  "cancelled"
]).annotate({ identifier: "ImportState" })
export type ImportState = typeof ImportState.Type

/** Choices that change what an import reads. */
export const ImportOptions = Schema.Struct({
  include: Schema.optionalKey(
    Schema.Array(SkipCode)
      .check(Schema.isMaxLength(5))
      .annotate({ description: "Brings items that are skipped otherwise" })
  ),
  membersOnly: Schema.optionalKey(
    Schema.Literals(["paid", "free"]).annotate({
      description:
        "`free` opens what Ghost shows to members and Substack to free subscribers. Everything else from behind a wall stays paid."
    })
  ),
  canonical: Schema.optionalKey(
    Schema.Literal("old").annotate({ description: "Makes the old address of each post its canonical URL" })
  )
}).annotate({ identifier: "ImportOptions" })
export type ImportOptions = typeof ImportOptions.Type

/** Begins an import. */
export const ImportRequest = Schema.Struct({
  fileName: visibleLine(IMPORT_FILE_NAME_MAX),
  byteSize: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: IMPORT_FILE_BYTES_MAX })),
  kind: Schema.optionalKey(ImportKind),
  options: Schema.optionalKey(ImportOptions)
}).annotate({ identifier: "ImportRequest" })
export type ImportRequest = typeof ImportRequest.Type

const Count = Schema.Int

/** The numbers of items by what became of them, and of those whose report has such a line. */
export const ImportCounts = Schema.Struct({
  items: Count,
  new: Count,
  update: Count,
  unchanged: Count,
  conflict: Count,
  skipped: Count,
  refused: Count,
  lost: Count,
  changed: Count
})
export type ImportCounts = typeof ImportCounts.Type

/** The pictures that the items name. */
export const ImportImages = Schema.Struct({
  inArchive: Count,
  remote: Count,
  hosts: Schema.Array(Schema.Struct({ host: Schema.String, count: Count })),
  admitted: Count,
  failed: Count
})
export type ImportImages = typeof ImportImages.Type

/** The site that a file comes from, as far as it says so. */
export const ImportSite = Schema.Struct({
  title: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String)
})
export type ImportSite = typeof ImportSite.Type

/** An import as its author sees it. */
export const Import = Schema.Struct({
  id: ImportId,
  state: ImportState,
  kind: Schema.NullOr(ImportKind).annotate({ description: "Null until the file is recognized" }),
  fileName: Schema.String,
  byteSize: Schema.Int,
  received: Schema.Int.annotate({ description: "Bytes that are stored: the offset of the next piece" }),
  sha256: Schema.NullOr(Schema.String).annotate({
    description: "SHA-256 of the whole file in hex, once it was read"
  }),
  options: ImportOptions,
  site: ImportSite,
  counts: ImportCounts,
  images: ImportImages,
  progress: Schema.Struct({
    phase: Schema.Literals(["file", "reading", "apply", "publish"]),
    done: Schema.Int,
    total: Schema.NullOr(Schema.Int)
  }).annotate({ description: "Bytes of the file, then items" }),
  error: Schema.NullOr(
    Schema.Struct({ code: ImportFailureCode, message: Schema.String, at: Timestamp })
  ).annotate({ description: "The reason why the file was not read, or only up to a place" }),
  createdAt: Timestamp,
  readAt: Schema.NullOr(Timestamp),
  finishedAt: Schema.NullOr(Timestamp),
  expiresAt: Timestamp.annotate({
    description: "The import is removed then, unless something happens to it before"
  }),
  retryAfterSeconds: Schema.optionalKey(Schema.Int).annotate({
    description: "Present while the import works: look again after this time"
  })
}).annotate({ identifier: "Import" })
export type Import = typeof Import.Type

/** The query of a list of imports. An empty cursor begins it. */
export const ImportsQuery = Schema.Struct({
  limit: Schema.optionalKey(queryInteger({ minimum: 1, maximum: IMPORTS_MAX, default: IMPORTS_DEFAULT })),
  cursor: Schema.optionalKey(Cursor)
})
export type ImportsQuery = typeof ImportsQuery.Type

export const ImportPage = Schema.Struct({ data: Schema.Array(Import), pagination }).annotate({
  identifier: "ImportPage"
})
export type ImportPage = typeof ImportPage.Type

const ItemIds = Schema.Array(ImportItemId).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(IMPORT_ITEMS_APPLIED_MAX)
)

const Price = Schema.String.check(
  atMost(80),
  // One sentence now, and not one for each item.
  Schema.makeFilter((text: string) => {
    const price = parsePriceXno(text)
    return Result.isSuccess(price) || priceMessage(price.failure)
  })
).annotate({
  description: "A price in XNO for the walled items that have none of their own"
})

/** Makes drafts of items. */
export const ApplyRequest = Schema.Struct({
  items: Schema.Union([Schema.Literal("all"), ItemIds]).annotate({
    description:
      "`all` takes each new item and each update, and conflicts with `onConflict` `replace`: the first 10,000. Published Posts, and items whose Post was deleted here, need their ids."
  }),
  onConflict: Schema.optionalKey(Schema.Literals(["keep", "replace"])),
  language: Schema.optionalKey(Language),
  primaryCategoryId: Schema.optionalKey(CategoryId),
  priceXno: Schema.optionalKey(Price),
  siteUrl: Schema.optionalKey(
    HttpUrl.annotate({ description: "The address of the old site, which completes its links" })
  ),
  fetchImages: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ImportApplyRequest" })
export type ApplyRequest = typeof ApplyRequest.Type

/** Publishes items that have a draft. Members fill what an item lacks, and replace nothing. */
export const PublishItemsRequest = Schema.Struct({
  items: ItemIds,
  creationMethod: CreationMethod,
  creationAttested: Schema.Literal(true),
  creationDetails: Schema.optionalKey(CreationDetails),
  primaryCategoryId: Schema.optionalKey(CategoryId),
  priceXno: Schema.optionalKey(Price)
}).annotate({ identifier: "ImportPublishRequest" })
export type PublishItemsRequest = typeof PublishItemsRequest.Type

/** The answer to an undo: the numbers of drafts that it deleted, and that it kept because something happened to them. */
export const UndoResult = Schema.Struct({ deleted: Schema.Int, kept: Schema.Int }).annotate({
  identifier: "ImportUndoResult"
})
export type UndoResult = typeof UndoResult.Type

/** The forms of a list of redirects. */
export const RedirectsFormat = Schema.Literals(["csv", "json", "ghost", "apache"])
export type RedirectsFormat = typeof RedirectsFormat.Type

/** The old path of an item and the URL of its Post. */
export const Redirect = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  postId: PostId,
  public: Schema.Boolean.annotate({ description: "False while the Post is a draft" })
}).annotate({ identifier: "ImportRedirect" })
export type Redirect = typeof Redirect.Type

export const Redirects = Schema.Struct({ data: Schema.Array(Redirect) }).annotate({
  identifier: "ImportRedirects"
})

/** The same as Ghost reads it, as `redirects.json`. */
export const GhostRedirects = Schema.Array(
  Schema.Struct({ from: Schema.String, to: Schema.String, permanent: Schema.Boolean })
)
