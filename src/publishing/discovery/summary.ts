import type { CategoryId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type {
  PostSummary,
  PublicContent,
  PublicPost
} from "../../../schemas/publishing/discovery/Discovery.ts"
import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { authorColumns, authorOf, type AuthorRow } from "../../accounts/owners/authorRow.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"

/** The row of a published Post in a list, as `summaryColumns` selects it. */
export interface SummaryRow extends AuthorRow {
  readonly id: PostId
  readonly title: string
  readonly description: string
  readonly slug: string
  readonly enable_paywall: boolean
  readonly price_raw: string | null
  readonly primary_category_id: CategoryId
  readonly secondary_category_id: CategoryId | null
  readonly language: string
  readonly og_image: string | null
  readonly creation_method: CreationMethod
  readonly creation_details: string | null
  readonly published_at: Timestamp
  readonly updated_at: Timestamp
  readonly comment_count: number
  readonly reaction_count: number
  readonly purchase_count: number
  readonly tip_count: number
}

/** Columns of a summary, for `posts p` joined to `owners o` and to `post_counts n`. */
export const summaryColumns = `
  p.id, p.title, p.description, p.slug, p.enable_paywall, p.price_raw::text as price_raw,
  p.primary_category_id, p.secondary_category_id, p.language, coalesce(p.og_image, p.first_image) as og_image,
  p.creation_method, p.creation_details, wire_time(p.published_at) as published_at,
  wire_time(p.updated_at) as updated_at, n.comments as comment_count, n.reactions as reaction_count,
  n.purchases as purchase_count, n.tips as tip_count,
  ${authorColumns("author", "o")}`

/** The row of a published Post with the text that everyone may read. */
export interface PublicPostRow extends SummaryRow {
  readonly public_text: string | null
}

/** The text of a free Post, and the teaser of a paid one. */
export const publicText = `case when p.enable_paywall then p.free_content_markdown
  else nullif(concat_ws(E'\\n\\n', p.free_content_markdown, p.paid_content_markdown), '') end`

/** Returns the summary of a published Post. `baseUrl` is the origin of its URL. */
export const summaryOf = (row: SummaryRow, baseUrl: string, media: OwnMedia["Service"]): PostSummary => ({
  id: row.id,
  title: row.title,
  description: row.description,
  slug: row.slug,
  url: `${baseUrl}/@${row.author_handle}/${row.slug}`,
  enablePaywall: row.enable_paywall,
  priceRaw: row.price_raw,
  primaryCategoryId: row.primary_category_id,
  secondaryCategoryId: row.secondary_category_id,
  language: row.language,
  ogImageEffective: media.urlOf(row.og_image),
  creationMethod: row.creation_method,
  creationDetails: row.creation_details,
  publishedAt: row.published_at,
  updatedAt: row.updated_at,
  author: authorOf(row, media),
  counts: {
    comments: row.comment_count,
    reactions: row.reaction_count,
    purchases: row.purchase_count,
    tips: row.tip_count
  }
})

export const publicPostOf = (
  row: PublicPostRow,
  baseUrl: string,
  media: OwnMedia["Service"]
): PublicPost => ({
  ...summaryOf(row, baseUrl, media),
  freeContentMarkdown: media.publicTextOf(row.public_text)
})

/** Returns the content of a free Post, or the reason why a paid one is not shown (spec 4.8). */
export const publicContentOf = (
  row: PublicPostRow,
  baseUrl: string,
  media: OwnMedia["Service"]
): PublicContent => ({
  post: summaryOf(row, baseUrl, media),
  available: !row.enable_paywall,
  reason: row.enable_paywall ? "paid" : null,
  contentMarkdown: row.enable_paywall ? null : media.publicTextOf(row.public_text ?? "")
})
