import { Effect, type Option, Schema } from "effect"
import { ApiKeyId, CategoryId, KeyId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { AttachmentState, type Post, PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { type Schedule, ScheduleFailure } from "../../../schemas/publishing/posts/Schedule.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"

export const AttachmentRow = Schema.Struct({
  id: Schema.String,
  file_name: Schema.String,
  byte_size: Schema.Int,
  state: AttachmentState
})

/** When a draft becomes public, and the key with which that ends. */
export const ScheduleRow = Schema.Struct({
  publish_at: Timestamp,
  /** The only revision that may go public; null if any may. */
  only_revision: Schema.NullOr(Timestamp),
  failure: Schema.NullOr(ScheduleFailure),
  created_at: Timestamp,
  api_key_id: ApiKeyId,
  key_id: KeyId,
  /** The key of the website ends with the session of a browser, and counts until it is revoked. */
  is_website_key: Schema.Boolean,
  is_key_revoked: Schema.Boolean,
  key_expires_at: Schema.NullOr(Timestamp)
})
export type ScheduleRow = typeof ScheduleRow.Type

/** A Post with its files and the facts about its owner that the rules of editing and publishing need. */
export const PostRow = Schema.Struct({
  id: PostId,
  status: PostStatus,
  slug: Schema.String,
  slug_base: Schema.NullOr(Schema.String),
  /** True once the Post was published for the first time. */
  was_public: Schema.Boolean,
  created_at: Timestamp,
  updated_at: Timestamp,
  published_at: Schema.NullOr(Timestamp),
  /** The date that an imported Post had elsewhere. */
  dated_at: Schema.NullOr(Timestamp),
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
  /** False keeps the first publication from being mailed to readers. */
  mail_readers: Schema.Boolean,
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
  /** The files that come with the paid section, oldest first. */
  attachments: Schema.Array(AttachmentRow),
  name: Schema.String,
  handle: Schema.String,
  payout_address: Schema.NullOr(Schema.String),
  /** True while a moderator keeps the Post from being public. */
  is_withdrawn: Schema.Boolean,
  /** True while pictures of an import are to be admitted. */
  awaits_images: Schema.Boolean,
  schedule: Schema.NullOr(ScheduleRow)
})
export type PostRow = typeof PostRow.Type

/** The files of `posts p`, oldest first. */
export const attachmentsColumn = `
  coalesce((
    select json_agg(file) from (
      select a.id, a.file_name, a.byte_size, a.state from post_attachments a
      where a.post_id = p.id and a.removed_at is null order by a.created_at, a.id) file), '[]'::json) as attachments`

/** The schedule of the draft `posts p`, or null. */
const scheduleColumn = `
  (select json_build_object('publish_at', wire_time(s.publish_at), 'only_revision', wire_time(s.only_revision),
      'failure', s.failure, 'created_at', wire_time(s.created_at), 'api_key_id', s.api_key_id, 'key_id', k.key_id,
      'is_website_key', k.is_website, 'is_key_revoked', k.revoked_at is not null,
      'key_expires_at', wire_time(k.expires_at))
    from scheduled_publications s join api_keys k on k.id = s.api_key_id
    where s.id = p.id and p.status = 'draft') as schedule`

/** The columns of a {@link PostRow}, for `posts p` joined to `owners o`. */
export const postColumns = `
  p.id, p.status, p.slug, p.slug_base, p.first_published_at is not null as was_public,
  wire_time(p.created_at) as created_at, wire_time(p.updated_at) as updated_at, wire_time(p.published_at) as published_at,
  wire_time(p.dated_at) as dated_at,
  p.title, p.description, p.free_content_markdown, p.paid_content_markdown,
  p.paywall_requested, p.enable_paywall, p.price_raw::text as price_raw,
  p.primary_category_id, p.secondary_category_id, p.canonical_url, p.language, p.comments_enabled, p.mail_readers,
  p.og_title, p.og_description, p.og_image, p.first_image, p.excerpt, p.free_unsupported, p.paid_unsupported,
  p.creation_method, p.creation_details, p.creation_attested,
  ${attachmentsColumn}, o.name, o.handle, o.payout_address, p.withdrawn_at is not null as is_withdrawn,
  exists (select from import_items ii where ii.post_id = p.id and ii.task = 'admit') as awaits_images,
  ${scheduleColumn}`

const decode = Schema.decodeUnknownEffect(PostRow)

/** Returns the first row of a write as a Post, or none. A row that is not one is a defect. */
export const decodeFirst = ([first]: ReadonlyArray<unknown>): Effect.Effect<Option.Option<PostRow>> =>
  first === undefined ? Effect.succeedNone : Effect.asSome(Effect.orDie(decode(first)))

const editabilityOf = (unsupportedFeatures: ReadonlyArray<string>) => ({
  editable: unsupportedFeatures.length === 0,
  unsupportedFeatures
})

/** Returns a schedule as its author sees it. */
export const scheduleOf = (row: ScheduleRow): Schedule => ({
  publishAt: row.publish_at,
  state: row.failure === null ? "waiting" : "failed",
  onlyRevision: row.only_revision !== null,
  scheduledBy: row.key_id,
  scheduledAt: row.created_at,
  failure: row.failure
})

/**
 * Returns the Post as its author sees it. `baseUrl` is the origin of its URL. A section can be edited unless another
 * service wrote content into it that Markdown cannot express.
 */
export const postOf = (row: PostRow, baseUrl: string, media: OwnMedia["Service"]): Post => ({
  id: row.id,
  status: row.status,
  title: row.title,
  description: row.description,
  paidContentMarkdown: media.textOf(row.paid_content_markdown),
  freeContentMarkdown: media.textOf(row.free_content_markdown),
  enablePaywall: row.enable_paywall,
  priceRaw: row.price_raw,
  primaryCategoryId: row.primary_category_id,
  secondaryCategoryId: row.secondary_category_id,
  slug: row.slug,
  url: row.status === "published" ? `${baseUrl}/@${row.handle}/${row.slug}` : null,
  canonicalUrl: row.canonical_url,
  language: row.language,
  commentsEnabled: row.comments_enabled,
  mailReaders: row.mail_readers,
  ogTitle: row.og_title,
  ogDescription: row.og_description,
  ogImage: media.urlOf(row.og_image),
  ogImageEffective: media.urlOf(row.og_image ?? row.first_image),
  contentEditability: {
    free: editabilityOf(row.free_unsupported),
    paid: editabilityOf(row.paid_unsupported)
  },
  creationMethod: row.creation_method,
  creationDetails: row.creation_details,
  creationAttested: row.creation_attested,
  attachments: row.attachments.map(({ byte_size, file_name, id, state }) => ({
    id,
    fileName: file_name,
    byteSize: byte_size,
    state
  })),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  publishedAt: row.published_at,
  datedAt: row.dated_at,
  schedule: row.schedule === null ? null : scheduleOf(row.schedule)
})
