import { Context, Effect, Layer, Option } from "effect"
import { AccountRestricted, type NotFound } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { PostWithdrawn } from "../../../schemas/publishing/posts/errors.ts"
import { PublishResult, UnpublishResult } from "../../../schemas/publishing/posts/Post.ts"
import { AuthorKinds } from "../../accounts/owners/AuthorKinds.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"
import { wireTime } from "../../platform/time/now.ts"
import { checkPublication, type PublicationRefusal } from "./completeness.ts"
import { Notices } from "./Notices.ts"
import { type Decision, type KeyRefusal, makeOncePerKey, Outdated, type Published } from "./oncePerKey.ts"
import { publicationStatements } from "./publications.sql.ts"
import { makeAddingForReaders, makeUpdatingReaders } from "./updatingReaders.ts"

/** The reasons that keep a draft from being published. */
type PublishRefusal = PublicationRefusal | PostWithdrawn | AccountRestricted

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
      const publications = yield* publicationStatements
      const notices = yield* Notices
      const authorKinds = yield* AuthorKinds
      const baseUrl = yield* PublicBaseUrl
      const { changing } = yield* PublicAnswers
      const updatingReaders = yield* makeUpdatingReaders
      const addingForReaders = yield* makeAddingForReaders
      const once = yield* makeOncePerKey

      /** Surrounds the change. The owner's Profile counts public Posts. */
      const removing = (id: PostId, owner: OwnerId) => {
        const shown = changing([tags.profile(owner)])
        const updated = updatingReaders(id)
        return <A, E, R>(write: Effect.Effect<A, E, R>) => shown(updated(write))
      }

      const publish = (publisher: PublisherAuthority, id: PostId, idempotencyKey: string) =>
        once(
          {
            publisher,
            id,
            scope: "post_publication",
            idempotencyKey,
            answer: PublishResult,
            spent: ({ publishedAt }, row) =>
              row.published_at === publishedAt
                ? undefined
                : "This key published the Post, which was unpublished since: send a new key"
          },
          Effect.fnUntraced(function* (post, at): Effect.fn.Return<
            Decision<PublishResult, AccountRestricted>,
            PublishRefusal
          > {
            const { handle, published_at, slug } = post
            const { ownerId } = publisher
            const answer = { id, slug, status: "published", url: `${baseUrl}/@${handle}/${slug}` } as const
            if (published_at !== null) {
              const publishResult = "no_op_already_published"
              return {
                answer: { ...answer, publishResult, stateChanged: false, publishedAt: published_at },
                save: publications.keep
              }
            }
            if (post.is_withdrawn) return yield* new PostWithdrawn()
            yield* checkPublication(post, post)
            return {
              answer: {
                ...answer,
                publishResult: "published",
                stateChanged: true,
                publishedAt: wireTime(at)
              },
              save: Effect.fnUntraced(function* (claim) {
                const change = publications.publish({ ownerId, post, claim, at })
                const published = yield* addingForReaders({ ...post, published_at }, ownerId)(change)
                if (Option.isNone(published)) return false
                if (!published.value.is_current) return yield* new Outdated()
                // The account was restricted since its key was checked.
                if (!published.value.is_counted) return yield* new AccountRestricted()
                if (published.value.is_labelled) yield* authorKinds.changed(ownerId, "agent")
                if (published.value.is_first) yield* notices.published({ postId: id, authorId: ownerId, at })
                return true
              })
            }
          })
        ).pipe(Effect.withSpan("Publishing.publish"))

      const unpublish = (publisher: PublisherAuthority, id: PostId, idempotencyKey: string | undefined) =>
        once(
          {
            publisher,
            id,
            scope: "post_unpublication",
            idempotencyKey,
            answer: UnpublishResult,
            spent: (_answer, row) =>
              row.status === "draft"
                ? undefined
                : "This key unpublished the Post, which was published since: send a new key"
          },
          Effect.fnUntraced(function* (post, at): Effect.fn.Return<Decision<UnpublishResult, never>> {
            const { ownerId } = publisher
            const answer = { id, slug: post.slug, status: "draft", url: null, publishedAt: null } as const
            if (post.status === "draft") {
              const publishResult = "no_op_already_draft"
              return {
                answer: { ...answer, publishResult, stateChanged: false },
                save: (claim) =>
                  post.is_withdrawn
                    ? current(publications.stayDraft({ ownerId, post, claim, at }))
                    : publications.keep(claim)
              }
            }
            return {
              answer: { ...answer, publishResult: "unpublished", stateChanged: true },
              save: (claim) =>
                removing(post.id, ownerId)(current(publications.unpublish({ ownerId, post, claim, at })))
            }
          })
        ).pipe(Effect.withSpan("Publishing.unpublish"))

      return Publishing.of({ publish, unpublish })
    })
  )
}

/** Returns false when another request has the key. Fails when the Post has changed. */
const current = Effect.fnUntraced(function* (
  change: Effect.Effect<Option.Option<{ readonly is_current: boolean }>>
) {
  const changed = yield* change
  if (Option.isNone(changed)) return false
  return changed.value.is_current || (yield* new Outdated())
})
