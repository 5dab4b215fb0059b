import { Effect, Result } from "effect"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { frontMatterIn } from "../content/reading/frontMatter.ts"
import type { SectionReading, WrittenReading } from "../content/reading/sectionReading.ts"
import type { SectionReader } from "../content/SectionReader.ts"
import { markdownErrors } from "./markdownErrors.ts"
import { paywallOf } from "./paywall.ts"
import type { PostRow } from "./postRow.ts"

/** The columns of a Post that follow from its author's edits. */
export type PostContent = Pick<
  PostRow,
  | "title"
  | "description"
  | "free_content_markdown"
  | "paid_content_markdown"
  | "paywall_requested"
  | "enable_paywall"
  | "price_raw"
  | "primary_category_id"
  | "secondary_category_id"
  | "canonical_url"
  | "language"
  | "comments_enabled"
  | "mail_readers"
  | "og_title"
  | "og_description"
  | "og_image"
  | "first_image"
  | "excerpt"
  | "creation_method"
  | "creation_details"
  | "creation_attested"
  | "dated_at"
>

const encoder = new TextEncoder()

/** The texts of a Post that count against the storage quota of its author. */
const COUNTED_TEXTS = [
  "free_content_markdown",
  "paid_content_markdown",
  "title",
  "description",
  "og_title",
  "og_description",
  "creation_details"
] as const

/** Returns the bytes that the texts of a Post take. */
export const textBytesOf = (content: Pick<PostContent, (typeof COUNTED_TEXTS)[number]>): number =>
  COUNTED_TEXTS.reduce((bytes, name) => bytes + encoder.encode(content[name] ?? "").length, 0)

/** The content of a Post before its author's first edit. */
export const emptyContent: PostContent = {
  title: "",
  description: "",
  free_content_markdown: null,
  paid_content_markdown: null,
  paywall_requested: false,
  enable_paywall: false,
  price_raw: null,
  primary_category_id: null,
  secondary_category_id: null,
  canonical_url: null,
  language: "en",
  comments_enabled: true,
  mail_readers: true,
  og_title: null,
  og_description: null,
  og_image: null,
  first_image: null,
  excerpt: "",
  creation_method: null,
  creation_details: null,
  creation_attested: false,
  dated_at: null
}

/** The readings of the sections that a patch writes. */
export interface Readings {
  readonly free: WrittenReading | undefined
  readonly paid: WrittenReading | undefined
  /** True when the paid section holds a native document that Markdown cannot express, even one without text. */
  readonly isPaidNative: boolean
}

/** Reads the sections that a patch writes; `before` is the Post that it changes. */
export const readingsOf = Effect.fnUntraced(function* (
  reader: SectionReader["Service"],
  owner: OwnerId,
  { freeContentMarkdown, paidContentMarkdown }: PostPatch,
  before: { readonly paid_unsupported: ReadonlyArray<string> } = { paid_unsupported: [] }
): Effect.fn.Return<Readings> {
  const readingOf = Effect.fnUntraced(function* (source: string | null | undefined) {
    if (typeof source !== "string") return undefined
    return { ...(yield* reader.read(owner, source)), frontMatter: frontMatterIn(source) }
  })
  return {
    free: yield* readingOf(freeContentMarkdown),
    paid: yield* readingOf(paidContentMarkdown),
    isPaidNative: paidContentMarkdown === undefined && before.paid_unsupported.length > 0
  }
})

/** A section of white space alone is empty, and an empty section is null (spec 2.7). */
const sectionOf = (source: string | null | undefined, current: string | null) => {
  if (source === undefined) return current
  return source === null || source.trim() === "" ? null : source
}

const textOf = (text: string | null | undefined, current: string | null) =>
  text === undefined ? current : text === null || text === "" ? null : text

/** Returns the columns that follow from the free section. */
const freeSectionOf = (current: PostContent, source: string | null | undefined, reading?: SectionReading) => {
  const { excerpt, first_image, free_content_markdown } = current
  if (source === undefined) return { free_content_markdown, first_image, excerpt }
  return {
    free_content_markdown: sectionOf(source, null),
    first_image: reading?.firstImage ?? null,
    excerpt: reading?.excerpt ?? ""
  }
}

/** Returns the content of a Post after a patch, or every error of the patch. */
export const patched = (
  current: PostContent,
  patch: PostPatch,
  readings: Readings,
  { storedOf }: OwnMedia["Service"]
): Result.Result<PostContent, ReadonlyArray<FieldError>> => {
  const paid = sectionOf(patch.paidContentMarkdown, current.paid_content_markdown)
  const paywall = paywallOf(current, patch, paid !== null || readings.isPaidNative)
  const errors = [
    ...markdownErrors("freeContentMarkdown", readings.free),
    ...markdownErrors("paidContentMarkdown", readings.paid),
    ...(Result.isFailure(paywall) ? [paywall.failure] : [])
  ]
  if (errors.length > 0 || Result.isFailure(paywall)) return Result.fail(errors)

  return Result.succeed({
    ...paywall.success,
    ...freeSectionOf(current, patch.freeContentMarkdown, readings.free),
    paid_content_markdown: paid,
    title: patch.title ?? current.title,
    description: patch.description ?? current.description,
    primary_category_id:
      patch.primaryCategoryId === undefined ? current.primary_category_id : patch.primaryCategoryId,
    secondary_category_id:
      patch.secondaryCategoryId === undefined ? current.secondary_category_id : patch.secondaryCategoryId,
    canonical_url: textOf(patch.canonicalUrl, current.canonical_url),
    language: patch.language ?? current.language,
    comments_enabled: patch.commentsEnabled ?? current.comments_enabled,
    mail_readers: patch.mailReaders ?? current.mail_readers,
    og_title: textOf(patch.ogTitle, current.og_title),
    og_description: textOf(patch.ogDescription, current.og_description),
    og_image: storedOf(textOf(patch.ogImage, current.og_image)),
    creation_method: patch.creationMethod === undefined ? current.creation_method : patch.creationMethod,
    creation_details: textOf(patch.creationDetails, current.creation_details),
    creation_attested: patch.creationAttested ?? current.creation_attested,
    dated_at: patch.datedAt === null ? null : current.dated_at
  })
}

/** A section that lost an image, with the reading of the rest. */
export interface SectionWithoutImage {
  readonly markdown: string
  readonly reading: SectionReading
}

/**
 * Returns the content of a Post without the references to an image. Everything else stays, the paywall and the price
 * too, even over a paid section that is empty then (spec 3.2.6).
 */
export const withoutImage = (
  current: PostContent,
  isLost: (url: string) => boolean,
  sections: {
    readonly free?: SectionWithoutImage | undefined
    readonly paid?: SectionWithoutImage | undefined
  }
): PostContent => ({
  ...current,
  ...freeSectionOf(current, sections.free?.markdown, sections.free?.reading),
  paid_content_markdown: sectionOf(sections.paid?.markdown, current.paid_content_markdown),
  og_image: current.og_image !== null && isLost(current.og_image) ? null : current.og_image
})
