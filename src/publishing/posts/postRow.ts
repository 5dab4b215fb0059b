import { Schema } from "effect"
import { CategoryId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { PostStatus } from "../../../schemas/publishing/posts/Post.ts"

/** A Post with what its rules need of its files and of its owner. */
export const PostRow = Schema.Struct({
  id: PostId,
  status: PostStatus,
  slug: Schema.String,
  slug_base: Schema.NullOr(Schema.String),
  updated_at: Timestamp,
  published_at: Schema.NullOr(Timestamp),
  title: Schema.String,
  description: Schema.String,
  free_content_markdown: Schema.NullOr(Schema.String),
  paid_content_markdown: Schema.NullOr(Schema.String),
  enable_paywall: Schema.Boolean,
  price_raw: Schema.NullOr(Schema.String),
  primary_category_id: Schema.NullOr(CategoryId),
  secondary_category_id: Schema.NullOr(CategoryId),
  canonical_url: Schema.NullOr(Schema.String),
  language: Schema.String,
  comments_enabled: Schema.Boolean,
  og_title: Schema.NullOr(Schema.String),
  og_description: Schema.NullOr(Schema.String),
  og_image: Schema.NullOr(Schema.String),
  first_image: Schema.NullOr(Schema.String),
  excerpt: Schema.String,
  free_unsupported: Schema.Array(Schema.String),
  paid_unsupported: Schema.Array(Schema.String),
  creation_method: Schema.NullOr(CreationMethod),
  creation_details: Schema.NullOr(Schema.String),
  creation_attested: Schema.Boolean,
  /** Whether there are files that are stored. */
  has_attachments: Schema.Boolean,
  /** Whether there are files whose bytes are not all there. */
  awaits_attachments: Schema.Boolean,
  name: Schema.String,
  handle: Schema.String,
  payout_address: Schema.NullOr(Schema.String)
})
export type PostRow = typeof PostRow.Type
