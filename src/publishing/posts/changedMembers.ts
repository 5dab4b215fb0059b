import type { PostContent } from "./content.ts"

/** The columns that readers or buyers get something of, with the names of their members. */
const members = {
  title: "title",
  description: "description",
  slug: "slug",
  free_content_markdown: "freeContentMarkdown",
  paid_content_markdown: "paidContentMarkdown",
  enable_paywall: "enablePaywall",
  price_raw: "priceRaw",
  primary_category_id: "primaryCategoryId",
  secondary_category_id: "secondaryCategoryId",
  canonical_url: "canonicalUrl",
  language: "language",
  comments_enabled: "commentsEnabled",
  og_title: "ogTitle",
  og_description: "ogDescription",
  og_image: "ogImage",
  creation_method: "creationMethod",
  creation_details: "creationDetails"
} as const

type Compared = Pick<PostContent & { readonly slug: string }, keyof typeof members>

const columns = Object.keys(members) as ReadonlyArray<keyof typeof members>

/** Returns the names of the members of a Post that an edit changes. */
export const changedMembers = (before: Compared, after: Compared): ReadonlyArray<string> =>
  columns.filter((column) => before[column] !== after[column]).map((column) => members[column])
