import { Context, Effect, Layer } from "effect"
import type { CommentId, OwnerId, PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"

/** The first publication of a Post. */
export interface PublishedNotice {
  readonly postId: PostId
  readonly authorId: OwnerId
  /** False if the author chose that readers by mail do not get it. */
  readonly isMailed: boolean
  readonly at: Date
}

/** Something that an owner has to know about their account. `code` names it for programs. */
export interface AccountIssueNotice {
  readonly ownerId: OwnerId
  readonly code: string
  readonly postId?: PostId
  readonly commentId?: CommentId
  /** The sentence that a moderator wrote for the owner. */
  readonly reason?: string | undefined
  /** Names the cause: a second notice with the same name tells nothing. */
  readonly cause: string
  readonly at: Date
}

/** A sale or a tip that has settled. */
export interface PurchasedNotice {
  readonly kind: "purchase" | "tip"
  readonly recipientId: OwnerId
  /** The account that paid; null for a wallet alone. */
  readonly buyerId: OwnerId | null
  readonly postId: PostId | null
  readonly commentId: CommentId | null
  /** Null for a tip. */
  readonly purchaseId: PurchaseId | null
  readonly amountRaw: bigint
  /** True for money that came after its payment session had expired. */
  readonly late: boolean
  /** Names the cause: a second notice with the same name tells nothing. */
  readonly cause: string
  readonly at: Date
}

/**
 * Tells owners what happens to them. Call it in the transaction of the cause. It writes what must happen after the
 * commit, and workers tell each owner concerned. It decides which owners hear of the cause, and how.
 */
export class Notices extends Context.Service<
  Notices,
  {
    readonly published: (notice: PublishedNotice) => Effect.Effect<void>
    /** These Posts are no longer public: what readers have not got by mail does not leave, also once they are public again. */
    readonly unpublished: (posts: ReadonlyArray<PostId>) => Effect.Effect<void>
    readonly purchased: (notice: PurchasedNotice) => Effect.Effect<void>
    readonly accountIssue: (notice: AccountIssueNotice) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/Notices") {}

/** A service that tells owners nothing, as one without the notifications of engagement. */
export const withoutNotices = Layer.succeed(Notices, {
  published: () => Effect.void,
  unpublished: () => Effect.void,
  purchased: () => Effect.void,
  accountIssue: () => Effect.void
})
