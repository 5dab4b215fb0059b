import { Schema } from "effect"
import { CategoryId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { PostStatus } from "../../../schemas/publishing/posts/Post.ts"

/** A Post with the facts about its files and its owner that the rules of editing and publishing need. */
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
  paywall_requested: Schema.Boolean,
  enable_paywall: Schema.Boolean,
  /** Raw units; null without an effective paywall. */
  price_raw: Schema.NullOr(Schema.String),
  primary_category_id: Schema.NullOr(CategoryId),
  secondary_category_id: Schema.NullOr(CategoryId),
  canonical_url: Schema.NullOr(Schema.String),
  language: Schema.String,
  comments_enabled: Schema.Boolean,
  og_title: Schema.NullOr(Schema.String),
  og_description: Schema.NullOr(Schema.String),
  og_image: Schema.NullOr(Schema.String),
  /** The first image of the free section that could be an OG image. */
  first_image: Schema.NullOr(Schema.String),
  /** The first words of the free section. */
  excerpt: Schema.String,
  /** Codes of the content of each section that Markdown cannot express. */
  free_unsupported: Schema.Array(Schema.String),
  paid_unsupported: Schema.Array(Schema.String),
  creation_method: Schema.NullOr(CreationMethod),
  creation_details: Schema.NullOr(Schema.String),
  creation_attested: Schema.Boolean,
  /** True when the Post has stored files. */
  has_attachments: Schema.Boolean,
  /** True when the bytes of a file have not all arrived. */
  awaits_attachments: Schema.Boolean,
  name: Schema.String,
  handle: Schema.String,
  payout_address: Schema.NullOr(Schema.String)
})
export type PostRow = typeof PostRow.Type

/** The columns of a {@link PostRow}, for `posts p` joined to `owners o`. */
export const postColumns = `
  p.id, p.status, p.slug, p.slug_base,
  wire_time(p.updated_at) as updated_at, wire_time(p.published_at) as published_at,
  p.title, p.description, p.free_content_markdown, p.paid_content_markdown,
  p.paywall_requested or p.enable_paywall as paywall_requested, p.enable_paywall, p.price_raw::text as price_raw,
  p.primary_category_id, p.secondary_category_id, p.canonical_url, p.language, p.comments_enabled,
  p.og_title, p.og_description, p.og_image, p.first_image, p.excerpt, p.free_unsupported, p.paid_unsupported,
  p.creation_method, p.creation_details, p.creation_attested,
  exists (select from post_attachments a where a.post_id = p.id and a.state in ('pending', 'ready')) as has_attachments,
  exists (select from post_attachments a where a.post_id = p.id and a.state = 'receiving') as awaits_attachments,
  o.name, o.handle, o.payout_address`
