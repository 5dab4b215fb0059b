import { type Result, Schema } from "effect"
import { ImportId, ImportItemId, PostId, UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { ImportKind } from "../../../../schemas/publishing/imports/Import.ts"
import {
  type Item,
  ItemOutcome,
  ReportLine,
  SourceStatus
} from "../../../../schemas/publishing/imports/Item.ts"
import { PostDraft } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { fileFormats } from "../../../../schemas/publishing/uploads/limits.ts"
import {
  type ImportedItem,
  ItemAttachment,
  ItemDraft,
  ItemImage,
  ItemLink,
  ItemNative
} from "../ImportedItem.ts"

/** The facts about an item that lists show. */
export const ItemMeta = Schema.Struct({
  sourceId: Schema.String,
  sourcePath: Schema.NullOr(Schema.String),
  sourceUrl: Schema.NullOr(Schema.String),
  kind: ImportKind,
  author: Schema.NullOr(Schema.String),
  title: Schema.String,
  status: SourceStatus,
  datedAt: Schema.NullOr(Timestamp),
  access: Schema.Literals(["free", "paid"]),
  images: Schema.Int,
  oldPaths: Schema.Array(Schema.String)
})
export type ItemMeta = typeof ItemMeta.Type

/** The draft of an item as it was read, with the addresses in it that change when it is applied. */
export const ItemContent = Schema.Struct({
  draft: ItemDraft,
  images: Schema.Array(ItemImage),
  links: Schema.Array(ItemLink),
  attachments: Schema.Array(ItemAttachment),
  native: Schema.NullOr(ItemNative)
})
export type ItemContent = typeof ItemContent.Type

/**
 * A picture or an attachment of an item. A picture is collected once its bytes are in the store, an attachment at once, as its
 * bytes stay in the file of the import. Both are admitted once they are uploads of the Post.
 */
export const Picture = Schema.Struct({
  /** Its place among the pictures of the item, and after these its attachments. */
  index: Schema.Int,
  /** The id that its upload gets. */
  operationId: UploadOperationId,
  state: Schema.Literals(["collected", "admitted", "failed"]),
  format: Schema.NullOr(Schema.Literals(fileFormats)),
  bytes: Schema.Int,
  /** The code of the line of the report about a picture that failed. */
  code: Schema.NullOr(Schema.String)
})
export type Picture = typeof Picture.Type

const Meta = Schema.fromJsonString(ItemMeta)
const Report = Schema.fromJsonString(Schema.Array(ReportLine))
const Pictures = Schema.fromJsonString(Schema.Array(Picture))

/** An item as lists have it. */
export const ItemRow = Schema.Struct({
  id: ImportItemId,
  ordinal: Schema.Int,
  outcome: ItemOutcome,
  slug: Schema.NullOr(Schema.String),
  meta: Meta,
  pictures: Pictures,
  report: Report,
  post_id: Schema.NullOr(PostId),
  revision: Schema.NullOr(Timestamp)
})
export type ItemRow = typeof ItemRow.Type

export const itemColumns = `
  i.id, i.ordinal, i.outcome, i.slug, i.meta::text as meta, i.pictures::text as pictures, i.report::text as report,
  i.post_id, wire_time(i.revision) as revision`

/** An item with its draft. */
export const WholeItemRow = Schema.Struct({
  ...ItemRow.fields,
  import_id: ImportId,
  source_key: Schema.String,
  sha256: Schema.String,
  /** The hash of the draft as the import left it, but for its files; null without a draft. */
  draft_sha256: Schema.NullOr(Schema.String),
  task: Schema.NullOr(Schema.Literals(["apply", "admit", "publish"])),
  /** Attempts at the task that did not end. */
  attempts: Schema.Int,
  content: Schema.fromJsonString(ItemContent)
})
export type WholeItemRow = typeof WholeItemRow.Type

/** A draft as the import left it. */
export type LeftDraft = Pick<WholeItemRow, "revision" | "draft_sha256">

export const wholeItemColumns = `${itemColumns}, i.import_id, i.source_key, i.sha256, i.draft_sha256, i.task, i.attempts, i.content::text as content`

/** Returns an item as its author sees it. */
export const itemOf = ({ meta, pictures, ...row }: ItemRow): Item => {
  const { images, oldPaths: _, ...members } = meta
  const count = (state: Picture["state"]) =>
    pictures.filter((it) => it.state === state && it.format !== "zip").length
  return {
    id: row.id,
    ordinal: row.ordinal,
    ...members,
    slug: row.slug,
    outcome: row.outcome,
    postId: row.post_id,
    revision: row.revision,
    images: { total: images, admitted: count("admitted"), failed: count("failed") },
    report: row.report
  }
}

/** Choices of an author that fill what an item lacks. */
export interface DraftChoices {
  readonly language?: string
  readonly primaryCategoryId?: number
  readonly priceXno?: string
}

const decodeDraft = Schema.decodeUnknownResult(PostDraft, { errors: "all", onExcessProperty: "error" })

const given = <A extends object>(members: A) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined))

/**
 * Returns the draft of an item, as the operation that creates Posts takes it. Text from behind a wall wants a paywall, with
 * the price of the item, or else the one that is chosen.
 */
export const draftOf = (
  draft: ItemDraft,
  slug: string | null,
  choices: DraftChoices = {}
): Result.Result<PostDraft, Schema.SchemaError> => {
  const [primary, secondary] = draft.categoryIds
  const isPaid = draft.accessKind === "paid"
  return decodeDraft({
    title: draft.title,
    description: draft.description,
    freeContentMarkdown: draft.freeContent === "" ? null : draft.freeContent,
    paidContentMarkdown: draft.paidContent === "" ? null : draft.paidContent,
    enablePaywall: isPaid,
    creationAttested: draft.creationAttested,
    ...given({
      priceXno: isPaid ? (draft.priceXno ?? choices.priceXno) : null,
      primaryCategoryId: primary ?? choices.primaryCategoryId,
      secondaryCategoryId: secondary,
      slug,
      canonicalUrl: draft.canonicalUrl,
      language: draft.language ?? choices.language,
      commentsEnabled: draft.commentsEnabled,
      mailReaders: draft.mailReaders,
      ogTitle: draft.ogTitle,
      ogDescription: draft.ogDescription,
      creationMethod: draft.creationMethod,
      creationDetails: draft.creationDetails
    })
  })
}

/** Returns the key of a source: the form of its file, and its id in it. */
export const sourceKeyOf = ({ kind, sourceId }: Pick<ImportedItem, "kind" | "sourceId">): string =>
  `${kind}:${sourceId}`
