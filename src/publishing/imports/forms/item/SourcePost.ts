import type { CreationMethod } from "../../../../../schemas/publishing/posts/creation.ts"
import type { EmbeddedPictures } from "../../conversion/html/walk.ts"
import type { Nodes } from "../../conversion/nodes.ts"
import type { Report } from "../../conversion/report.ts"
import type { MadeSection } from "../../conversion/section.ts"
import type {
  ImportKind,
  ImportOptions,
  ImportSite,
  ItemAttachment,
  ItemNative,
  ItemStop
} from "../../ImportedItem.ts"
import type { PictureEntries } from "./pictures.ts"

/** A section: blocks to be written, or Markdown that is a section already. */
export type SourceSection = Nodes | MadeSection

/** A post as a form read it. Texts are without markup, but not yet within limits. Members that the source lacks are empty. */
export interface SourcePost {
  readonly kind: ImportKind
  readonly sourceId: string
  readonly sourcePath: string | null
  readonly sourceUrl: string | null
  readonly authors: ReadonlyArray<string>
  readonly title: string
  readonly slug: string
  readonly status: "draft" | "published" | "scheduled"
  readonly date: string
  readonly description: string
  readonly canonicalUrl: string
  readonly language: string
  readonly tags: ReadonlyArray<string>
  readonly categoryIds?: readonly [number | null, number | null]
  readonly cover: string
  readonly ogTitle: string
  readonly ogDescription: string
  readonly commentsEnabled: boolean | null
  readonly mailReaders?: boolean | null
  readonly access: "free" | "paid"
  readonly free: SourceSection
  readonly paid: SourceSection
  readonly priceXno?: string | null
  readonly creationMethod?: CreationMethod | null
  readonly creationDetails?: string | null
  readonly creationAttested?: boolean
  readonly stop: ItemStop | null
  /** True for our own form: nothing is made of the text, and nothing is taken out of it. */
  readonly isExact?: boolean
  readonly aliases: ReadonlyArray<string>
  readonly attachments?: ReadonlyArray<ItemAttachment>
  readonly native?: ItemNative | null
  /** All of the source that makes the item another one when it changes. */
  readonly hashed: ReadonlyArray<unknown>
  readonly report: Report
  readonly pictures: EmbeddedPictures
}

/** The file around an item. */
export interface ItemContext {
  readonly site: ImportSite
  readonly options: ImportOptions
  readonly now: number
  readonly entries: PictureEntries
  readonly isBetweenFiles: boolean
  /** Names of authors so far. The report tells each of them once, but not the first. */
  readonly authors: Set<string>
}
