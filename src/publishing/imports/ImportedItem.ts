import { type Effect, Schema, type Stream } from "effect"
import {
  ImportFailureCode,
  ImportKind,
  type ImportSite,
  SkipCode
} from "../../../schemas/publishing/imports/Import.ts"
import { ReportLine } from "../../../schemas/publishing/imports/Item.ts"
import { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"

export {
  ImportFailureCode,
  ImportKind,
  ImportSite,
  type SkipCode
} from "../../../schemas/publishing/imports/Import.ts"
export { ReportLine, Severity } from "../../../schemas/publishing/imports/Item.ts"

/** Ends the reading of a file. Items before the place stay. The message says to the author what was found. */
export class ImportFailure extends Schema.TaggedError<ImportFailure>()("ImportFailure", {
  code: ImportFailureCode,
  message: Schema.String
}) {}

/** A file within an {@link ImportFile}. Its size is the unpacked one, in bytes. */
export interface ImportEntry {
  readonly name: string
  readonly size: number
}

/**
 * A file that an author sent, opened under the limits of archives. A file that is not an archive has one entry, named as the
 * file. Names are safe, in NFC and with `/`; ignored entries and directories are left out.
 */
export interface ImportFile {
  readonly fileName: string
  readonly isArchive: boolean
  readonly entries: ReadonlyArray<ImportEntry>
  /** Returns the bytes of an entry. Fails with `too_large` beyond this many, and with `damaged` for a broken entry. */
  readonly bytes: (name: string, maxBytes: number) => Effect.Effect<Uint8Array, ImportFailure>
  /** Returns at most this many bytes of the beginning of an entry, and inflates no more of it. */
  readonly head: (name: string, maxBytes: number) => Effect.Effect<Uint8Array, ImportFailure>
}

/** The choices of an author that change what is read. */
export interface ImportOptions {
  /** The form that the file must have. Another one fails as `kind_mismatch`. */
  readonly kind?: ImportKind | undefined
  /** The items that are not skipped. */
  readonly include: ReadonlyArray<SkipCode>
  /** `free` opens what Ghost shows to members and Substack to free subscribers, and nothing else. */
  readonly membersOnly: "paid" | "free"
  /** `old` makes the old URL of a post its canonical one. */
  readonly canonical?: "old" | undefined
  /** Returns true for the ordinal of an item that is not converted: it is here already, or takes too long. */
  readonly leavesOut?: ((ordinal: number) => boolean) | undefined
}

/** The place from which the bytes of a picture come. */
export const ImageSource = Schema.Union([
  /** An entry of the file, by its name. */
  Schema.Struct({ entry: Schema.String }),
  /** An http or https URL. */
  Schema.Struct({ url: Schema.String }),
  /** Bytes that stood in the text, in base64, with the type that they claimed. */
  Schema.Struct({ data: Schema.String, type: Schema.String }),
  /** A path that the archive has no entry for: `image_missing`, unless the address of the old site completes it. */
  Schema.Struct({ missing: Schema.String })
])
export type ImageSource = typeof ImageSource.Type

/** A picture of an item. The same source twice in the text is one picture. At most 500 are in a text. */
export const ItemImage = Schema.Struct({
  /** The address exactly as the Markdown has it. `urlsReplaced` of `conversion` exchanges it. Of a cover: its source. */
  url: Schema.String,
  alt: Schema.String,
  from: ImageSource,
  /** A cover is the explicit card image of the post. A picture of both kinds is listed twice. */
  place: Schema.Literals(["text", "cover"])
})
export type ItemImage = typeof ItemImage.Type

/**
 * A link of an item that may lead to another item. A target is an item with one of these keys among its `aliases`, else the
 * only item with this slug.
 */
export const ItemLink = Schema.Struct({
  /** The address exactly as the Markdown has it. */
  url: Schema.String,
  keys: Schema.Array(Schema.String),
  slug: Schema.NullOr(Schema.String),
  /** The part from `#` on, or nothing. It stays at the end of the new address. */
  fragment: Schema.String,
  /** The address on the site of the file if there is no target; null when the site is unknown. */
  absolute: Schema.NullOr(Schema.String),
  /** The path on the site of the file, such as `/about?x=1`, for an author who names the site later; null without one. */
  path: Schema.NullOr(Schema.String)
})
export type ItemLink = typeof ItemLink.Type

/** A ZIP of our own export that belongs to a post. */
export const ItemAttachment = Schema.Struct({ entry: Schema.String, name: Schema.String })
export type ItemAttachment = typeof ItemAttachment.Type

/** The sections of a post of our own export that Markdown cannot say, as documents in JSON; null for the others. */
export const ItemNative = Schema.Struct({
  free: Schema.NullOr(Schema.String),
  paid: Schema.NullOr(Schema.String)
})
export type ItemNative = typeof ItemNative.Type

/** The content of the draft that an item becomes. Null: the source does not say it. The parser of posts accepts both sections. */
export const ItemDraft = Schema.Struct({
  title: Schema.String,
  description: Schema.String,
  /** Null: to be made of the title. */
  slug: Schema.NullOr(Schema.String),
  canonicalUrl: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  /** The primary and the secondary category; either may be null. */
  categoryIds: Schema.Tuple([Schema.NullOr(Schema.Int), Schema.NullOr(Schema.Int)]),
  ogTitle: Schema.NullOr(Schema.String),
  ogDescription: Schema.NullOr(Schema.String),
  commentsEnabled: Schema.NullOr(Schema.Boolean),
  /** Absent: the source does not say it. */
  mailReaders: Schema.optionalKey(Schema.Boolean),
  /** `paid`: the draft wants a paywall, even if its paid section is empty. */
  accessKind: Schema.Literals(["free", "paid"]),
  freeContent: Schema.String,
  paidContent: Schema.String,
  priceXno: Schema.NullOr(Schema.String),
  creationMethod: Schema.NullOr(CreationMethod),
  creationDetails: Schema.NullOr(Schema.String),
  creationAttested: Schema.Boolean
})
export type ItemDraft = typeof ItemDraft.Type

/** An item that is not offered as a draft. */
export const ItemStop = Schema.Struct({
  outcome: Schema.Literals(["skipped", "refused"]),
  code: Schema.Literals([
    ...SkipCode.literals,
    "html_missing",
    "row_missing",
    "source_too_long",
    "section_too_long",
    "too_complex"
  ])
})
export type ItemStop = typeof ItemStop.Type

/** Something in the file that may become a post. */
export const ImportedItem = Schema.Struct({
  /** Its place in the file, from 0. */
  ordinal: Schema.Int,
  /** Its id in the source, at most 500 characters. Two items may have the same: the last one counts. */
  sourceId: Schema.String,
  /** The entry of the archive from which it comes. */
  sourcePath: Schema.NullOr(Schema.String),
  sourceUrl: Schema.NullOr(Schema.String),
  kind: ImportKind,
  author: Schema.NullOr(Schema.String),
  title: Schema.String,
  slug: Schema.NullOr(Schema.String),
  status: Schema.Literals(["draft", "published", "scheduled"]),
  /** ISO 8601 in UTC. */
  datedAt: Schema.NullOr(Schema.String),
  access: Schema.Literals(["free", "paid"]),
  stop: Schema.NullOr(ItemStop),
  draft: ItemDraft,
  images: Schema.Array(ItemImage),
  links: Schema.Array(ItemLink),
  attachments: Schema.Array(ItemAttachment),
  native: Schema.NullOr(ItemNative),
  /** Keys by which others may link to it: old URLs and paths, as `linkKeys` makes them. */
  aliases: Schema.Array(Schema.String),
  /** Old paths on the site of the source, for redirects. */
  oldPaths: Schema.Array(Schema.String),
  /** At most 200 lines. */
  report: Schema.Array(ReportLine),
  /** Lines beyond these. */
  unreported: Schema.Int,
  /** Hash in hex of the item as it was read, before options, links and pictures. */
  sha256: Schema.String
})
export type ImportedItem = typeof ImportedItem.Type

/** A file whose form is known. Its items come in the order of the file and are the same at each reading. */
export interface ImportReading {
  readonly kind: ImportKind
  readonly site: ImportSite
  /** The number of items; null when it is only known at the end. */
  readonly total: number | null
  /** Ends with a failure after the items before it, if the file is damaged in the middle. */
  readonly items: Stream.Stream<ImportedItem, ImportFailure>
}

/**
 * Recognizes a file and reads its items, without a clock, network or store. `now` is the moment in milliseconds that decides
 * whether a date is in the future. Implemented by `forms/readImport.ts`.
 */
export type ReadImport = (
  file: ImportFile,
  options: ImportOptions,
  now: number
) => Effect.Effect<ImportReading, ImportFailure>
