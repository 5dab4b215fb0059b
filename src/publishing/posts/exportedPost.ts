import type { PostId } from "../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import type { ExportedPostRow } from "./exportedPosts.sql.ts"

/** A Post as the files of an export have it. Pictures in its texts have their names in the export. */
export interface ExportedPost {
  readonly id: PostId
  readonly title: string
  /** The time of publication, or that of a draft, if it has one. */
  readonly date: Timestamp | null
  readonly lastmod: Timestamp
  readonly slug: string
  readonly description: string
  readonly isDraft: boolean
  readonly language: string
  /** The names of its categories, the primary one first. */
  readonly categories: ReadonlyArray<string>
  readonly canonicalUrl: string | null
  /** The card image that its author chose. */
  readonly image: string | null
  readonly isPaid: boolean
  readonly priceXno: string | null
  readonly creationMethod: CreationMethod | null
  readonly creationDetails: string | null
  readonly creationAttested: boolean
  readonly commentsEnabled: boolean
  readonly mailReaders: boolean
  readonly ogTitle: string | null
  readonly ogDescription: string | null
  /** The primary and the secondary category. */
  readonly categoryIds: readonly [number | null, number | null]
  readonly free: string | null
  readonly paid: string | null
}

/** Gives pictures their names in an export. */
export interface PictureNames {
  /** Returns a text with these names in place of the addresses of pictures. */
  readonly inText: (text: string) => string
  /** Returns the name of the picture at an address as it is stored, or its URL. */
  readonly of: (stored: string) => string
}

/** Returns a Post of its author as the files of an export have it. */
export const exportedPostOf = (row: ExportedPostRow, { inText, of }: PictureNames): ExportedPost => ({
  id: row.id,
  title: row.title,
  date: row.date,
  lastmod: row.updated_at,
  slug: row.slug,
  description: row.description,
  isDraft: row.status === "draft",
  language: row.language,
  categories: row.categories,
  canonicalUrl: row.canonical_url,
  image: row.og_image === null ? null : of(row.og_image),
  isPaid: row.enable_paywall,
  priceXno: row.price_raw === null ? null : xnoOfRaw(BigInt(row.price_raw)),
  creationMethod: row.creation_method,
  creationDetails: row.creation_details,
  creationAttested: row.creation_attested,
  commentsEnabled: row.comments_enabled,
  mailReaders: row.mail_readers,
  ogTitle: row.og_title,
  ogDescription: row.og_description,
  categoryIds: [row.primary_category_id, row.secondary_category_id],
  free: row.free_content_markdown === null ? null : inText(row.free_content_markdown),
  paid: row.paid_content_markdown === null ? null : inText(row.paid_content_markdown)
})

/** Characters that JSON leaves as they are, and that YAML forbids, takes for the end of a line or for a mark at the beginning. */
// oxlint-disable-next-line no-control-regex
const UNPRINTED = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/gu

/** Returns a string as JSON that every reader of YAML takes for the same string. */
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(UNPRINTED, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Returns the member of a text, or none for null and for an empty text. */
const textLine = (name: string, text: string | null): ReadonlyArray<string> =>
  text === null || text === "" ? [] : [`${name}: ${quoted(text)}`]

const bareLine = (name: string, value: string | boolean | null): ReadonlyArray<string> =>
  value === null ? [] : [`${name}: ${value}`]

/** The members that only this service reads. */
const ownLines = (post: ExportedPost): ReadonlyArray<string> => [
  ...textLine("id", post.id),
  ...bareLine("access", post.isPaid ? "paid" : "free"),
  ...textLine("priceXno", post.priceXno),
  ...bareLine("creationMethod", post.creationMethod),
  ...textLine("creationDetails", post.creationDetails),
  ...bareLine("creationAttested", post.creationAttested),
  ...bareLine("commentsEnabled", post.commentsEnabled),
  ...bareLine("mailReaders", post.mailReaders ? null : false),
  ...textLine("ogTitle", post.ogTitle),
  ...textLine("ogDescription", post.ogDescription),
  ...(post.categoryIds.every((id) => id === null)
    ? []
    : [`categoryIds: [${post.categoryIds.map(String).join(", ")}]`])
]

/**
 * Returns the front matter of a Post in YAML, as Hugo, Jekyll and Astro read it. Strings are in the quotes of JSON, so that a
 * title `yes` stays a string. A member without a value is absent.
 */
export const frontMatterOf = (post: ExportedPost): string =>
  [
    "---",
    ...textLine("title", post.title),
    ...bareLine("date", post.date),
    ...bareLine("lastmod", post.lastmod),
    ...textLine("slug", post.slug),
    ...textLine("description", post.description),
    ...bareLine("draft", post.isDraft),
    ...textLine("lang", post.language),
    ...(post.categories.length === 0 ? [] : [`categories: [${post.categories.map(quoted).join(", ")}]`]),
    ...textLine("canonicalUrl", post.canonicalUrl),
    ...textLine("image", post.image),
    ...bareLine("render_with_liquid", false),
    "pennypress:",
    ...ownLines(post).map((line) => `  ${line}`),
    "---",
    ""
  ].join("\n")

/** Returns the file of a Post: its front matter, an empty line, the free section as it was sent, and the end of a line. */
export const postFileOf = (post: ExportedPost): string => `${frontMatterOf(post)}\n${post.free ?? ""}\n`

/** Returns the file of the paid section of a Post: as it was sent, and the end of a line. None without one. */
export const paidFileOf = ({ paid }: ExportedPost): string | undefined =>
  paid === null || paid === "" ? undefined : `${paid}\n`

/** Returns the path of the file of a Post within an export. Its slug has no characters that a file system minds. */
export const postPathOf = ({
  date,
  isDraft,
  slug
}: Pick<ExportedPost, "date" | "isDraft" | "slug">): string =>
  isDraft || date === null ? `drafts/${slug}.md` : `posts/${date.slice(0, 10)}-${slug}.md`

/** Returns the path of the file of the paid section of a Post. */
export const paidPathOf = ({ slug }: Pick<ExportedPost, "slug">): string => `paid/${slug}.md`
