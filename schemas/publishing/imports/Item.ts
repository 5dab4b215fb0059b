import { Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { ImportItemId, PostId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { PostDraft } from "../posts/PostDraft.ts"
import { ImportKind } from "./Import.ts"
import { IMPORT_ITEMS_DEFAULT, IMPORT_ITEMS_MAX } from "./limits.ts"

/** `stop`: not imported. `lost`: not in the text. `changed`: said otherwise, complete. `note`: a guess or a decision. */
export const Severity = Schema.Literals(["stop", "lost", "changed", "note"]).annotate({
  identifier: "ImportSeverity"
})
export type Severity = typeof Severity.Type

/** The fate of an item: before it is applied, and after that. */
export const ItemOutcome = Schema.Literals([
  "new",
  "update",
  "unchanged",
  "conflict",
  "skipped",
  "refused",
  "created",
  "updated",
  "kept",
  "failed"
]).annotate({ identifier: "ImportOutcome" })
export type ItemOutcome = typeof ItemOutcome.Type

/**
 * A place where a draft differs from its source. Lines and columns count from 1 in the Markdown of the section, or are null.
 * Excerpts of text that stood behind a wall are only in lines of the section `paid`.
 */
export const ReportLine = Schema.Struct({
  severity: Severity,
  code: Schema.String,
  section: Schema.Literals(["free", "paid", "meta"]),
  /** The place in the file, of the block that the line is about. It is known of blocks of Markdown that are written again. */
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int),
  /** At most 120 characters of the source. */
  excerpt: Schema.String,
  message: Schema.String
}).annotate({ identifier: "ImportReportLine" })
export type ReportLine = typeof ReportLine.Type

export const SourceStatus = Schema.Literals(["draft", "published", "scheduled"])
export type SourceStatus = typeof SourceStatus.Type

const itemFields = {
  id: ImportItemId,
  ordinal: Schema.Int,
  sourceId: Schema.String,
  sourcePath: Schema.NullOr(Schema.String),
  sourceUrl: Schema.NullOr(Schema.String),
  kind: ImportKind,
  author: Schema.NullOr(Schema.String),
  title: Schema.String,
  slug: Schema.NullOr(Schema.String),
  status: SourceStatus,
  datedAt: Schema.NullOr(Timestamp),
  access: Schema.Literals(["free", "paid"]),
  outcome: ItemOutcome,
  postId: Schema.NullOr(PostId),
  revision: Schema.NullOr(Timestamp),
  images: Schema.Struct({ total: Schema.Int, admitted: Schema.Int, failed: Schema.Int }),
  report: Schema.Array(ReportLine)
}

/** Something in a file that may become a Post, or has become one. */
export const Item = Schema.Struct(itemFields).annotate({ identifier: "ImportItem" })
export type Item = typeof Item.Type

/** An item with the draft that it becomes, as `POST /api/v1/posts` takes it. Pictures and links are those of the source. */
export const ItemWithDraft = Schema.Struct({ ...itemFields, draft: PostDraft }).annotate({
  identifier: "ImportItemWithDraft"
})
export type ItemWithDraft = typeof ItemWithDraft.Type

/** The query of a list of items. An empty cursor begins it. */
export const ItemsQuery = Schema.Struct({
  outcome: Schema.optionalKey(ItemOutcome),
  severity: Schema.optionalKey(Severity),
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: IMPORT_ITEMS_MAX, default: IMPORT_ITEMS_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
})
export type ItemsQuery = typeof ItemsQuery.Type

export const ItemPage = Schema.Struct({ data: Schema.Array(Item), pagination }).annotate({
  identifier: "ImportItemPage"
})
export type ItemPage = typeof ItemPage.Type
