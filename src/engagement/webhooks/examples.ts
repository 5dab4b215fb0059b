import type { EventType } from "../../../schemas/platform/EventType.ts"

/** The types that a test has an example of. */
export type ExampleType = Exclude<EventType, "webhook.test">

const POST = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"
const COMMENT = "0190f3c2-8a2f-7d31-8c11-5b7e9f1a2c3d"
const TIME = "2026-11-26T09:00:00.000000Z"
/** 0.25 XNO. */
const AMOUNT = "250000000000000000000000000000"
const PAYER = "nano_1111111111111111111111111111111111111111111111111111hifc8npp"

const author = {
  id: "0190f3c2-6f0d-7b21-a1b0-1d2e3f4a5b6c",
  name: "Mara Lindqvist",
  handle: "mara",
  avatarUrl: null,
  authorKind: "human"
}

const post = {
  id: POST,
  title: "On pennies",
  description: "A penny for your thoughts",
  slug: "on-pennies",
  url: "https://press.example/@mara/on-pennies",
  enablePaywall: true,
  priceRaw: AMOUNT,
  primaryCategoryId: 1,
  secondaryCategoryId: null,
  language: "en",
  ogImageEffective: null,
  creationMethod: "human_written",
  creationDetails: null,
  publishedAt: TIME,
  updatedAt: TIME,
  author,
  counts: { comments: 0, reactions: 0, purchases: 0, tips: 0 }
}

const payment = {
  id: "0190f3c2-9b3c-7e42-9d22-6c8fa02b3d4e",
  amountReceivedRaw: AMOUNT,
  allocations: [{ role: "author", amountRaw: AMOUNT, address: PAYER, payoutRevision: 1, state: "settled" }],
  payer: PAYER,
  buyer: null,
  channel: "x402",
  matchedBy: null,
  transaction: "0".repeat(64),
  late: false,
  confirmedAt: TIME
}

const sale = {
  ...payment,
  purchaseId: "0190f3c2-ac4d-7f53-8e33-7d9ab13c4e5f",
  duplicate: false,
  postId: POST,
  title: post.title,
  priceRaw: AMOUNT,
  versionSha256: null,
  refundedRaw: "0"
}

const subscriber = { id: "0190f3c2-bd5e-7064-9f44-8eabc24d5f60", source: "form", endedBy: null }

/** The `data` of an event of each type. */
export const examples = {
  "post.published": { post, isFirst: true, isScheduled: false },
  "post.updated": { post, changed: ["title"] },
  "post.unpublished": {
    post: { id: POST, slug: post.slug, title: post.title, formerUrl: post.url },
    by: "author"
  },
  "post.schedule_failed": {
    post: { id: POST, title: post.title },
    publishAt: TIME,
    reason: "publication_incomplete",
    errors: [{ field: "description", code: "required", message: "Write a description" }]
  },
  "comment.created": {
    comment: {
      id: COMMENT,
      postId: POST,
      content: "Well said.",
      parentCommentId: null,
      replyTargetCommentId: null,
      threadRootId: COMMENT,
      depth: 0,
      createdAt: TIME,
      deletedAt: null,
      deletedByRole: null,
      author,
      hasPurchased: true,
      reactions: { counts: { thumbs_up: 0, heart: 0, fire: 0, clap: 0 }, total: 0, viewerReaction: null },
      replyCount: 0,
      tipAmountRaw: "0"
    },
    post: { id: POST, url: post.url }
  },
  "comment.deleted": {
    comment: { id: COMMENT, postId: POST, threadRootId: COMMENT },
    by: "author"
  },
  "follow.created": {
    follower: {
      id: author.id,
      name: author.name,
      handle: author.handle,
      avatar_url: null,
      author_kind: "human",
      followed_at: TIME
    }
  },
  "purchase.settled": { sale },
  "purchase.refunded": { sale: { ...sale, refundedRaw: AMOUNT } },
  "tip.settled": { tip: { ...payment, postId: POST, commentId: null, title: post.title } },
  "gift.redeemed": {
    gift: {
      id: "0190f3c2-ce6f-7175-8a55-9fbcd35e6071",
      postId: POST,
      label: "For the reading circle",
      maxRedemptions: 10,
      redemptions: 1,
      expiresAt: null,
      revokedAt: null,
      accessEndedAt: null,
      state: "active",
      createdAt: TIME
    }
  },
  "upload.decided": {
    operation: {
      operationId: "0190f3c2-df70-7286-9b66-a0cde46f7182",
      targetKind: "inline",
      postId: POST,
      state: "cleared",
      publicUrl: "https://press.example/media/0190f3c2-df70-7286-9b66-a0cde46f7182.webp",
      fileName: null
    }
  },
  "subscriber.confirmed": { subscriber },
  "subscriber.ended": { subscriber: { ...subscriber, endedBy: "reader" } }
} as const satisfies Readonly<Record<ExampleType, object>>
