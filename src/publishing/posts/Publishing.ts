import { Context, Effect, Layer, type Option, type Schema } from "effect"
import { AccountRestricted, NotFound } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  IdempotencyKeySpent,
  IdempotencyMismatch,
  PostWithdrawn
} from "../../../schemas/publishing/posts/errors.ts"
import { PublishResult, UnpublishResult } from "../../../schemas/publishing/posts/Post.ts"
import { Owners } from "../../accounts/owners/Owners.ts"
import { Idempotency, type IdempotencyScope } from "../../platform/idempotency/Idempotency.ts"
import { Notices } from "../../platform/notices/Notices.ts"
import { DAY_MILLIS } from "../../platform/time/now.ts"
import { makeChangingPost } from "./changingPost.ts"
import { checkPublication, type PublicationRefusal } from "./completeness.ts"
import type { PostRow } from "./postRow.ts"
import { PostsRepo } from "./PostsRepo.ts"

/** The time for which an Idempotency-Key names one request to publish or unpublish. */
const PUBLICATION_KEY_MILLIS = DAY_MILLIS

/** The answer to a request; `replayed` when it is the answer of an earlier request with the same key. */
export interface Published<Answer> {
  readonly value: Answer
  readonly replayed: boolean
}

/** The reasons that keep a draft from being published. */
type PublishRefusal = PublicationRefusal | PostWithdrawn | AccountRestricted

type KeyRefusal = IdempotencyMismatch | IdempotencyKeySpent

/** Publishes and unpublishes Posts, with everything that changes with them (spec 3.1). */
export class Publishing extends Context.Service<
  Publishing,
  {
    /**
     * Publishes a draft; a public Post stays as it is. A repeat with the same key gets the same answer while it is
     * true, and fails with `IdempotencyKeySpent` once the Post was unpublished.
     */
    readonly publish: (
      publisher: PublisherAuthority,
      id: PostId,
      idempotencyKey: string
    ) => Effect.Effect<Published<PublishResult>, NotFound | KeyRefusal | PublishRefusal>
    /**
     * Makes a public Post a draft; a draft stays as it is. A repeat with the same key gets the same answer while it is
     * true, and fails with `IdempotencyKeySpent` once the Post was published again.
     */
    readonly unpublish: (
      publisher: PublisherAuthority,
      id: PostId,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Published<UnpublishResult>, NotFound | KeyRefusal>
  }
>()("pennypress/publishing/posts/Publishing") {
  static readonly layer = Layer.effect(
    Publishing,
    Effect.gen(function* () {
      const posts = yield* PostsRepo
      const idempotency = yield* Idempotency
      const owners = yield* Owners
      const notices = yield* Notices
      const baseUrl = yield* PublicBaseUrl
      const changing = yield* makeChangingPost

      const found = (row: Option.Option<PostRow>) =>
        Effect.mapError(Effect.fromOption(row), () => new NotFound())

      /** Runs `change` once for each key, and checks that a kept answer is still true. */
      const once = Effect.fnUntraced(function* <Answer, E>(
        publisher: PublisherAuthority,
        id: PostId,
        request: {
          readonly scope: IdempotencyScope
          readonly idempotencyKey: string | undefined
          readonly answer: Schema.Codec<Answer, unknown>
          /** Returns the reason for which a kept answer became false, or undefined while it is true. */
          readonly spent: (answer: Answer, row: PostRow) => string | undefined
        },
        change: (row: PostRow, at: Date) => Effect.Effect<Answer, E>
      ): Effect.fn.Return<Published<Answer>, E | NotFound | KeyRefusal> {
        const { answer, idempotencyKey, scope, spent } = request
        const { replayed, value } = yield* idempotency
          .once(
            {
              scope,
              scopeId: publisher.apiKeyId,
              idempotencyKey,
              intent: { postId: id },
              resourceId: id,
              lifetimeMillis: PUBLICATION_KEY_MILLIS,
              keep: (it: Answer) => it,
              kept: answer
            },
            Effect.fnUntraced(function* (at) {
              return yield* change(yield* found(yield* posts.lock(publisher.ownerId, id)), at)
            })
          )
          .pipe(Effect.catchTag("IntentChanged", () => Effect.fail(new IdempotencyMismatch())))
        if (!replayed) return { value, replayed }
        const detail = spent(value, yield* found(yield* posts.find(publisher.ownerId, id)))
        if (detail !== undefined) return yield* new IdempotencyKeySpent({ detail })
        return { value, replayed }
      })

      const publish = (publisher: PublisherAuthority, id: PostId, idempotencyKey: string) =>
        once(
          publisher,
          id,
          {
            scope: "post_publication",
            idempotencyKey,
            answer: PublishResult,
            spent: ({ publishedAt }, row) =>
              row.published_at === publishedAt
                ? undefined
                : "This key published the Post, which was unpublished since: send a new key"
          },
          Effect.fnUntraced(function* (row, at): Effect.fn.Return<PublishResult, PublishRefusal> {
            const { handle, slug } = row
            const answer = { id, slug, status: "published", url: `${baseUrl}/@${handle}/${slug}` } as const
            if (row.published_at !== null) {
              const publishResult = "no_op_already_published"
              return { ...answer, publishResult, stateChanged: false, publishedAt: row.published_at }
            }
            if (row.is_withdrawn) return yield* new PostWithdrawn()
            yield* checkPublication(row, row)
            const isAgentWork = row.creation_method === "autonomous_agent"
            // The owner before the counts, as everywhere: writes that lock in one order never deadlock.
            const isAdded = yield* owners.addPublishedPosts(publisher.ownerId, 1, { isAgentWork })
            // The account was restricted since its key was checked.
            if (!isAdded) return yield* new AccountRestricted()
            const { is_first, published_at: publishedAt } = yield* changing(id)(posts.publish(row, at))
            if (is_first) yield* notices.published({ postId: id, authorId: publisher.ownerId, at })
            return { ...answer, publishResult: "published", stateChanged: true, publishedAt }
          })
        ).pipe(Effect.withSpan("Publishing.publish"))

      const unpublish = (publisher: PublisherAuthority, id: PostId, idempotencyKey: string | undefined) =>
        once(
          publisher,
          id,
          {
            scope: "post_unpublication",
            idempotencyKey,
            answer: UnpublishResult,
            spent: (_answer, row) =>
              row.status === "draft"
                ? undefined
                : "This key unpublished the Post, which was published since: send a new key"
          },
          Effect.fnUntraced(function* (row, at): Effect.fn.Return<UnpublishResult> {
            const answer = { id, slug: row.slug, status: "draft", url: null, publishedAt: null } as const
            if (row.status === "draft") {
              if (row.is_withdrawn) yield* posts.stayDraft(id)
              return { ...answer, publishResult: "no_op_already_draft", stateChanged: false }
            }
            yield* owners.removePublishedPosts(publisher.ownerId, [id])
            yield* changing(id)(posts.unpublish(row, at))
            return { ...answer, publishResult: "unpublished", stateChanged: true }
          })
        ).pipe(Effect.withSpan("Publishing.unpublish"))

      return Publishing.of({ publish, unpublish })
    })
  )
}
