import { Context, Effect, Layer, Option } from "effect"
import { NotFoundProblem } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/Problem.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  IdempotencyMismatch,
  ProfileIncomplete,
  PublicationIncomplete
} from "../../../schemas/publishing/posts/errors.ts"
import type { PublishResult, UnpublishResult } from "../../../schemas/publishing/posts/Post.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { Idempotency, type IdempotencyScope } from "../../platform/idempotency/Idempotency.ts"
import type { JsonText } from "../../platform/sql/JsonText.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import type { PostContent } from "./content.ts"
import type { PostRow } from "./postRow.ts"
import { PostsRepo } from "./PostsRepo.ts"
import { missingOfPost, missingOfProfile, type PublishedState } from "./publication.ts"
import { PublicationsRepo } from "./PublicationsRepo.ts"

/** For how long an Idempotency-Key names one publication. */
const PUBLICATION_KEY_MILLIS = DAY_MILLIS

/** Why a Post cannot be public. */
export type PublicationRefusal = ProfileIncomplete | PublicationIncomplete

/** The answer to a publication; `replayed` when it is that of an earlier request. */
export interface Published<Answer> {
  readonly answer: JsonText<Answer>
  readonly replayed: boolean
}

/** Making Posts public and drafts again, with everything that changes beside them (specification 3.1). */
export class Publications extends Context.Service<
  Publications,
  {
    /** What keeps content from being public: the Profile first, then everything of the Post. */
    readonly check: (content: PostContent, state: PublishedState) => Effect.Effect<void, PublicationRefusal>
    /** Follows an edit that left a Post public. */
    readonly edited: (
      publisher: PublisherAuthority,
      before: PostRow,
      after: PostContent
    ) => Effect.Effect<void>
    readonly publish: (
      publisher: PublisherAuthority,
      id: PostId,
      idempotencyKey: string
    ) => Effect.Effect<Published<PublishResult>, NotFoundProblem | IdempotencyMismatch | PublicationRefusal>
    readonly unpublish: (
      publisher: PublisherAuthority,
      id: PostId,
      idempotencyKey: string | undefined
    ) => Effect.Effect<Published<UnpublishResult>, NotFoundProblem | IdempotencyMismatch>
  }
>()("pennypress/publishing/posts/Publications") {
  static readonly layer = Layer.effect(
    Publications,
    Effect.gen(function* () {
      const posts = yield* PostsRepo
      const repo = yield* PublicationsRepo
      const idempotency = yield* Idempotency
      const profiles = yield* Profiles
      const transactions = yield* Transactions
      const baseUrl = yield* PublicBaseUrl

      const check = Effect.fnUntraced(function* (content: PostContent, state: PublishedState) {
        const profile = missingOfProfile(state)
        if (profile.length > 0) return yield* new ProfileIncomplete({ errors: profile })
        const post = missingOfPost(content, state)
        if (post.length > 0) return yield* new PublicationIncomplete({ errors: post })
      })

      const lock = Effect.fnUntraced(function* (publisher: PublisherAuthority, id: PostId) {
        const row = yield* posts.lock(publisher.ownerId, id)
        if (Option.isNone(row)) return yield* new NotFoundProblem({})
        return row.value
      })

      /** Runs `change` in one transaction, once for every name; a repeat is answered with what was kept. */
      const once = <Answer, E>(
        publisher: PublisherAuthority,
        id: PostId,
        named: { readonly scope: IdempotencyScope; readonly idempotencyKey: string | undefined },
        change: (at: Date) => Effect.Effect<Answer, E>
      ) =>
        Effect.gen(function* () {
          const at = yield* now
          const { idempotencyKey, scope } = named
          if (idempotencyKey === undefined)
            return { answer: { text: JSON.stringify(yield* change(at)) }, replayed: false }
          const request = { scope, scopeId: publisher.apiKeyId, idempotencyKey }
          const earlier = yield* idempotency.claim({
            ...request,
            intent: { postId: id },
            resourceId: id,
            at,
            expiresAt: later(at, PUBLICATION_KEY_MILLIS)
          })
          if (Option.isSome(earlier)) {
            const { response, sameIntent } = earlier.value
            if (!sameIntent || response === null) return yield* new IdempotencyMismatch({})
            return { answer: { text: response }, replayed: true }
          }
          const text = JSON.stringify(yield* change(at))
          yield* idempotency.keepResponse(request, text)
          return { answer: { text }, replayed: false }
        }).pipe(transactions.run)

      const publish = Effect.fn("Publications.publish")(
        (publisher: PublisherAuthority, id: PostId, idempotencyKey: string) =>
          once(
            publisher,
            id,
            { scope: "post_publication", idempotencyKey },
            Effect.fnUntraced(function* (at): Effect.fn.Return<
              PublishResult,
              NotFoundProblem | PublicationRefusal
            > {
              const row = yield* lock(publisher, id)
              const answer = {
                id,
                slug: row.slug,
                status: "published",
                url: `${baseUrl}/@${row.handle}/${row.slug}`
              } as const
              if (row.published_at !== null) {
                const publishResult = "no_op_already_published"
                return { ...answer, publishResult, stateChanged: false, publishedAt: row.published_at }
              }
              yield* check(row, row)
              const publishedAt = yield* repo.publish(id, at)
              yield* repo.addToOwner(publisher.ownerId, row.creation_method === "autonomous_agent")
              yield* repo.moveCategories(undefined, row)
              return { ...answer, publishResult: "published", stateChanged: true, publishedAt }
            })
          )
      )

      const unpublish = Effect.fn("Publications.unpublish")(
        (publisher: PublisherAuthority, id: PostId, idempotencyKey: string | undefined) =>
          once(
            publisher,
            id,
            { scope: "post_unpublication", idempotencyKey },
            Effect.fnUntraced(function* (at): Effect.fn.Return<UnpublishResult, NotFoundProblem> {
              const row = yield* lock(publisher, id)
              const answer = { id, slug: row.slug, status: "draft", url: null, publishedAt: null } as const
              if (row.status === "draft")
                return { ...answer, publishResult: "no_op_already_draft", stateChanged: false }
              yield* repo.unpublish(id, at)
              yield* repo.removeFromOwner(publisher.ownerId, id)
              yield* repo.moveCategories(row, undefined)
              return { ...answer, publishResult: "unpublished", stateChanged: true }
            })
          )
      )

      return Publications.of({
        check,
        edited: Effect.fnUntraced(function* (publisher, before, after) {
          // The owner before the categories, as everywhere: two writes in one order never wait for each other.
          if (after.creation_method === "autonomous_agent") yield* profiles.declareAgent(publisher)
          yield* repo.moveCategories(before, after)
        }),
        publish,
        unpublish
      })
    })
  )
}
