import { Schema } from "effect"
import { AuthorKind, SocialLink } from "../../accounts/profile/Profile.ts"
import { pagination } from "../../platform/Cursor.ts"
import { CategoryId, OwnerId, PostId } from "../../platform/Ids.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { CreationMethod } from "../posts/creation.ts"
import { PriceRaw } from "../posts/Post.ts"

export const Author = Schema.Struct({
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  avatarUrl: Schema.NullOr(Schema.String),
  authorKind: AuthorKind
}).annotate({ identifier: "Author" })

const summary = {
  id: PostId,
  title: Schema.String,
  description: Schema.String,
  slug: Schema.String,
  url: Schema.String,
  enablePaywall: Schema.Boolean,
  priceRaw: Schema.NullOr(PriceRaw),
  primaryCategoryId: CategoryId,
  secondaryCategoryId: Schema.NullOr(CategoryId),
  language: Schema.String,
  ogImageEffective: Schema.NullOr(Schema.String),
  creationMethod: CreationMethod,
  creationDetails: Schema.NullOr(Schema.String),
  publishedAt: Timestamp,
  updatedAt: Timestamp,
  author: Author,
  counts: Schema.Struct({
    comments: Schema.Int,
    reactions: Schema.Int,
    purchases: Schema.Int,
    tips: Schema.Int
  })
}

/** A published Post in a list. */
export const PostSummary = Schema.Struct(summary).annotate({ identifier: "PostSummary" })
export type PostSummary = typeof PostSummary.Type

/** `freeContentMarkdown` is the whole text of a free Post and the teaser of a paid one. */
export const PublicPost = Schema.Struct({
  ...summary,
  freeContentMarkdown: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PublicPost" })
export type PublicPost = typeof PublicPost.Type

/** The content of a free Post. One statement decides and reads it: a Post that turns paid is never shown (spec 4.8). */
export const PublicContent = Schema.Struct({
  post: PostSummary,
  available: Schema.Boolean,
  reason: Schema.NullOr(Schema.Literal("paid")),
  contentMarkdown: Schema.NullOr(Schema.String)
}).annotate({ identifier: "PublicContent" })
export type PublicContent = typeof PublicContent.Type

/** Largest total of a search or of several filters. */
export const TOTAL_MAX = 1_000

/** Authors that a search finds. */
const authors = Schema.optionalKey(
  Schema.Array(Author).annotate({
    description:
      "Authors whose name or handle has the words of `q`: up to five, on the first page of a search only. An exact handle comes first, then the most followed."
  })
)

export const SummaryPage = Schema.Struct({
  data: Schema.Array(PostSummary),
  authors,
  total: Schema.Int.annotate({
    description: `Number of matching Posts. It is exact for all Posts and for one category, author or kind of authors. Otherwise it counts up to ${TOTAL_MAX}: that number means as many or more.`
  }),
  page: Schema.Int,
  per_page: Schema.Int
}).annotate({ identifier: "SummaryPage" })

export const SummarySlice = Schema.Struct({
  data: Schema.Array(PostSummary),
  authors,
  pagination
}).annotate({ identifier: "SummarySlice" })

export const Summaries = Schema.Union([SummaryPage, SummarySlice])
export type Summaries = typeof Summaries.Type

/** Posts for readers of a Post, the most related one first. */
export const RelatedPosts = Schema.Struct({ data: Schema.Array(PostSummary) }).annotate({
  identifier: "RelatedPosts"
})
export type RelatedPosts = typeof RelatedPosts.Type

const publicProfile = {
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  bio: Schema.NullOr(Schema.String),
  location: Schema.NullOr(Schema.String),
  social_links: Schema.Array(SocialLink),
  avatar_url: Schema.NullOr(Schema.String),
  header_image_url: Schema.NullOr(Schema.String),
  author_kind: AuthorKind,
  tipping: Schema.Struct({
    button_label: Schema.String,
    amounts: Schema.Tuple([Schema.Finite, Schema.Finite, Schema.Finite])
  }),
  pinned_post_id: Schema.NullOr(PostId),
  created_at: Timestamp
}

export const PublicProfile = Schema.Struct(publicProfile).annotate({ identifier: "PublicProfile" })
export type PublicProfile = typeof PublicProfile.Type

export const PublicProfileSummary = Schema.Struct({
  ...publicProfile,
  counts: Schema.Struct({ posts: Schema.Int, followers: Schema.Int, following: Schema.Int })
}).annotate({ identifier: "PublicProfileSummary" })
export type PublicProfileSummary = typeof PublicProfileSummary.Type

export const Category = Schema.Struct({
  id: CategoryId,
  name: Schema.String,
  slug: Schema.String
}).annotate({ identifier: "Category" })

export const Categories = Schema.Struct({ data: Schema.Array(Category) }).annotate({
  identifier: "Categories"
})
export type Categories = typeof Categories.Type

export const CategoryCounts = Schema.Struct({
  data: Schema.Array(Schema.Struct({ ...Category.fields, postCount: Schema.Int }))
}).annotate({ identifier: "CategoryCounts" })
export type CategoryCounts = typeof CategoryCounts.Type

/** A hint: another account may take the handle first. */
export const HandleAvailability = Schema.Struct({ available: Schema.Boolean }).annotate({
  identifier: "HandleAvailability"
})
export type HandleAvailability = typeof HandleAvailability.Type
