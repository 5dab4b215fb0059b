import { Schema } from "effect"
import { CategoryId, PostId } from "../../platform/Ids.ts"
import { PRICE_MAX_RAW, PRICE_MIN_RAW, PRICE_STEP_RAW } from "../../platform/Nano.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { CreationMethod } from "./creation.ts"
import { Schedule } from "./Schedule.ts"

/** An exact price in raw units, as digits: {@link PRICE_MIN_RAW} to {@link PRICE_MAX_RAW}, in steps of {@link PRICE_STEP_RAW}. */
export const PriceRaw = Schema.String.check(
  Schema.isPattern(
    /^(?:[1-9][0-9]{1,8}|[1-8][0-9]{9}|9[0-8][0-9]{8}|99[0-8][0-9]{7}|999[0-8][0-9]{6}|9999000000)0{24}$/u
  )
).annotate({
  identifier: "PriceRaw",
  description: `An exact price in raw: ${PRICE_MIN_RAW} (0.00001 XNO) to ${PRICE_MAX_RAW} (9999 XNO), a multiple of ${PRICE_STEP_RAW}. 1 XNO is 10^30 raw.`
})

export const PostStatus = Schema.Literals(["draft", "published"]).annotate({ identifier: "PostStatus" })
export type PostStatus = typeof PostStatus.Type

const Editability = Schema.Struct({
  editable: Schema.Boolean,
  unsupportedFeatures: Schema.Array(Schema.String)
})

/** The state of a file: `receiving` until all of its bytes are stored. */
export const AttachmentState = Schema.Literals(["receiving", "pending", "ready"])

/** A file that comes with the paid section. */
const Attachment = Schema.Struct({
  id: Schema.String,
  fileName: Schema.String,
  byteSize: Schema.Int,
  state: AttachmentState
})

/**
 * A Post as its author sees it (spec 2.7). `updatedAt` is its revision. `enablePaywall` says whether the paywall is
 * effective, which takes paid content.
 */
export const Post = Schema.Struct({
  id: PostId,
  status: PostStatus,
  title: Schema.String,
  description: Schema.String,
  paidContentMarkdown: Schema.NullOr(Schema.String),
  freeContentMarkdown: Schema.NullOr(Schema.String),
  enablePaywall: Schema.Boolean,
  priceRaw: Schema.NullOr(PriceRaw),
  primaryCategoryId: Schema.NullOr(CategoryId),
  secondaryCategoryId: Schema.NullOr(CategoryId),
  slug: Schema.String,
  url: Schema.NullOr(Schema.String),
  canonicalUrl: Schema.NullOr(Schema.String),
  language: Schema.String,
  commentsEnabled: Schema.Boolean,
  mailReaders: Schema.Boolean.annotate({
    description:
      "False if the author chose that the readers by mail do not get the Post. It counts at the first publication: a Post that is not mailed then is never mailed."
  }),
  ogTitle: Schema.NullOr(Schema.String),
  ogDescription: Schema.NullOr(Schema.String),
  ogImage: Schema.NullOr(Schema.String),
  ogImageEffective: Schema.NullOr(Schema.String),
  contentEditability: Schema.Struct({ free: Editability, paid: Editability }),
  creationMethod: Schema.NullOr(CreationMethod),
  creationDetails: Schema.NullOr(Schema.String),
  creationAttested: Schema.Boolean,
  attachments: Schema.Array(Attachment),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  publishedAt: Schema.NullOr(Timestamp),
  datedAt: Schema.NullOr(Timestamp).annotate({
    description: "The date that an imported Post had elsewhere. Publishing dates the Post so, if it is past."
  }),
  schedule: Schema.NullOr(Schedule).annotate({
    description: "When the draft becomes public by itself; null without such a moment, and once it is public"
  })
}).annotate({ identifier: "Post" })
export type Post = typeof Post.Type

export const PostPage = Schema.Struct({
  data: Schema.Array(Post),
  total: Schema.Int,
  page: Schema.Int,
  perPage: Schema.Int.annotate({
    description:
      "Posts on each page. Smaller than per_page when a page would hold more than 2 MiB of Markdown: ask for the other pages with this per_page."
  })
}).annotate({ identifier: "PostPage" })
export type PostPage = typeof PostPage.Type

/** `stateChanged` is true for the one request that made the Post public. */
export const PublishResult = Schema.Struct({
  id: PostId,
  slug: Schema.String,
  status: Schema.Literal("published"),
  publishResult: Schema.Literals(["published", "no_op_already_published"]),
  stateChanged: Schema.Boolean,
  url: Schema.String,
  publishedAt: Timestamp
}).annotate({ identifier: "PublishResult" })
export type PublishResult = typeof PublishResult.Type

/** The public URL of an unpublished Post is a 404; its buyers keep it. */
export const UnpublishResult = Schema.Struct({
  id: PostId,
  slug: Schema.String,
  status: Schema.Literal("draft"),
  publishResult: Schema.Literals(["unpublished", "no_op_already_draft"]),
  stateChanged: Schema.Boolean,
  url: Schema.Null,
  publishedAt: Schema.Null
}).annotate({ identifier: "UnpublishResult" })
export type UnpublishResult = typeof UnpublishResult.Type
