import { Context, Effect, Layer, Option } from "effect"
import { NotFound, type Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  type ContentNotEditable,
  FinancialHistoryRetained,
  type IdempotencyMismatch,
  PostHasPurchases,
  PostPublished,
  type ResourceGone,
  type SlugTaken
} from "../../../schemas/publishing/posts/errors.ts"
import type { Post, PostPage, PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import type { PostDraft, PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { StorageQuotaReached } from "../../../schemas/publishing/storage/errors.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import type { RateLimitExceeded, Quota } from "../../platform/rate-limits/RateLimits.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { type Created, makeCreatePost } from "./createPost.ts"
import type { EditRefusal } from "./editPost.ts"
import { listPosts } from "./listPosts.sql.ts"
import { makePatchPost } from "./patchPost.ts"
import { PostFinance } from "./PostFinance.ts"
import { PostImages } from "./PostImages.ts"
import { postOf } from "./postRow.ts"
import { postStatements } from "./posts.sql.ts"

/** Maximum number of concurrent reads of whole sections. Each may hold several megabytes until its answer is made. */
const SECTIONS_AT_ONCE = 4

/**
 * Maximum number of concurrent lists of own Posts. Each may hold the sections of a whole page, several times over:
 * about 20 MB.
 */
const LISTS_AT_ONCE = 1

/** The lifecycle of Posts for the Publishing key of their author (spec 3.1, 4.3). */
export class Posts extends Context.Service<
  Posts,
  {
    /**
     * Creates a draft, once for each Idempotency-Key. A repeat is answered before the limit, the categories and the slug
     * are checked (spec 4.3.6). `onCounted` gets the state of the limit when the request was counted.
     */
    readonly create: (
      publisher: PublisherAuthority,
      draft: PostDraft,
      idempotencyKey: string | undefined,
      onCounted?: (quota: Quota) => Effect.Effect<void>
    ) => Effect.Effect<
      Created,
      Validation | IdempotencyMismatch | ResourceGone | RateLimitExceeded | SlugTaken | StorageQuotaReached
    >
    /** Lists own Posts, newest first, or those with a schedule, the next first. Shortens all pages if a page of `per_page` Posts would be too large. */
    readonly list: (
      publisher: PublisherAuthority,
      query: {
        readonly status?: PostStatus
        readonly scheduled?: boolean
        readonly page?: number
        readonly per_page?: number
      }
    ) => Effect.Effect<PostPage>
    readonly read: (publisher: PublisherAuthority, id: PostId) => Effect.Effect<Post, NotFound>
    /**
     * Changes the members that a patch names, when the Post has `revision` or the request requires none. With
     * `isNamedByTitle`, a slug that was made from an earlier title follows the new one until the first publication.
     */
    readonly update: (
      publisher: PublisherAuthority,
      id: PostId,
      patch: PostPatch,
      revision: string | undefined,
      isNamedByTitle?: boolean
    ) => Effect.Effect<Post, NotFound | PostPublished | ContentNotEditable | EditRefusal>
    /** Returns true for a draft whose language its author chose on the website. */
    readonly isLanguageChosen: (
      publisher: PublisherAuthority,
      post: Pick<Post, "id" | "status">
    ) => Effect.Effect<boolean>
    /** Remembers that the author chose the language of a draft, or lets it follow the text. */
    readonly chooseLanguage: (
      publisher: PublisherAuthority,
      id: PostId,
      isChosen: boolean
    ) => Effect.Effect<void>
    /** Removes a draft, unless payments refer to it; a published Post is unpublished first. */
    readonly remove: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<void, NotFound | PostPublished | PostHasPurchases | FinancialHistoryRetained>
  }
>()("pennypress/publishing/posts/Posts") {
  static readonly layer = Layer.effect(
    Posts,
    Effect.gen(function* () {
      const posts = yield* postStatements
      const list = yield* listPosts
      const images = yield* PostImages
      const finance = yield* PostFinance
      const transactions = yield* Transactions
      const create = yield* makeCreatePost
      const update = yield* makePatchPost
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia
      const sections = fewAtOnce(SECTIONS_AT_ONCE)
      const lists = fewAtOnce(LISTS_AT_ONCE)

      const remove = Effect.fn("Posts.remove")(
        function* (publisher: PublisherAuthority, id: PostId) {
          const row = yield* posts.lock(publisher.ownerId, id)
          if (Option.isNone(row)) return yield* new NotFound()
          if (row.value.status === "published") return yield* new PostPublished()
          // Read under the lock, so that no payment comes in between.
          const retained = yield* finance.retained(id)
          if (retained === "purchases") return yield* new PostHasPurchases()
          if (retained === "history") return yield* new FinancialHistoryRetained()
          yield* finance.release(id)
          // The Post is deleted first. Its deletion waits for reservations that hold it, so that none is missed.
          yield* posts.remove(id)
          yield* images.release(id)
        },
        (effect) => transactions.run(effect)
      )

      return Posts.of({
        create,
        list: Effect.fn("Posts.list")(function* (
          publisher,
          { page = 1, per_page = 20, scheduled: isScheduled = false, status }
        ) {
          const query = { status, isScheduled, page, perPage: per_page }
          const { perPage, rows, total } = yield* lists(publisher.ownerId)(list(publisher.ownerId, query))
          return { data: rows.map((row) => postOf(row, baseUrl, media)), total, page, perPage }
        }),
        read: Effect.fn("Posts.read")(function* (publisher, id) {
          const post = yield* sections(publisher.ownerId)(posts.find(publisher.ownerId, id))
          if (Option.isNone(post)) return yield* new NotFound()
          return postOf(post.value, baseUrl, media)
        }),
        update: (publisher, id, patch, revision, isNamedByTitle) =>
          update(publisher, id, patch, revision, { isNamedByTitle }),
        isLanguageChosen: Effect.fn("Posts.isLanguageChosen")(({ ownerId }, { id, status }) =>
          status === "draft" ? posts.isLanguageChosen(ownerId, id) : Effect.succeed(false)
        ),
        chooseLanguage: Effect.fn("Posts.chooseLanguage")(({ ownerId }, id, isChosen) =>
          posts.chooseLanguage(ownerId, id, isChosen)
        ),
        remove
      })
    })
  )
}
