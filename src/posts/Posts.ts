import { Context, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { NotFoundProblem, RevisionConflict } from "../../schemas/errors/common.ts"
import { ValidationProblem } from "../../schemas/errors/families.ts"
import { PostId } from "../../schemas/Ids.ts"
import { IdempotencyMismatch, PostPublished, ResourceGone, SlugTaken } from "../../schemas/posts/errors.ts"
import type { Post, PostPage, PostStatus } from "../../schemas/posts/Post.ts"
import type { PostDraft, PostPatch } from "../../schemas/posts/PostDraft.ts"
import type { PublisherAuthority } from "../../schemas/security/authorities.ts"
import type { IdempotencyClaim } from "../idempotency/claim.ts"
import { fingerprintOf } from "../idempotency/fingerprint.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import { type RateLimitExceeded, RateLimits, type Standing } from "../rate-limits/RateLimits.ts"
import type { JsonText } from "../sql/JsonText.ts"
import { Transactions } from "../sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../time/now.ts"
import { emptyContent, patched, type PostContent } from "./content.ts"
import type { PostRefusal } from "./postRefusal.ts"
import type { PostRow } from "./postRow.ts"
import { PostsRepo } from "./PostsRepo.ts"
import { Publications, type PublicationRefusal } from "./Publications.ts"
import { SLUG_FALLBACK, slugBaseOfTitle, type WantedSlug, withFreeSlug } from "./slug.ts"

/** For how long an Idempotency-Key names one creation (specification 8). */
const CREATION_KEY_MILLIS = DAY_MILLIS

const CREATION_LIMIT = "post-creation"

/** A created Post; `replayed` when an earlier request created it, which no limit counts. */
export interface Created {
  readonly post: JsonText<Post>
  readonly replayed: boolean
}

/** The lifecycle of Posts for the Publishing key of their author (specification 3.1, 4.3). */
export class Posts extends Context.Service<
  Posts,
  {
    /**
     * Creates a draft, once for every Idempotency-Key; a repeat is answered before the limit, categories and slug are
     * checked (specification 4.3.6). Whoever it is counted for is told what is left by `onCounted`, whatever comes of it.
     */
    readonly create: (
      publisher: PublisherAuthority,
      draft: PostDraft,
      idempotencyKey: string | undefined,
      onCounted?: (standing: Standing) => Effect.Effect<void>
    ) => Effect.Effect<
      Created,
      ValidationProblem | IdempotencyMismatch | ResourceGone | RateLimitExceeded | SlugTaken
    >
    readonly list: (
      publisher: PublisherAuthority,
      query: { readonly status?: PostStatus; readonly page?: number; readonly per_page?: number }
    ) => Effect.Effect<JsonText<PostPage>>
    readonly read: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<JsonText<Post>, NotFoundProblem>
    /** Changes what the patch names, when the Post has `revision` or none is required. */
    readonly update: (
      publisher: PublisherAuthority,
      id: PostId,
      patch: PostPatch,
      revision: string | undefined
    ) => Effect.Effect<
      JsonText<Post>,
      NotFoundProblem | ValidationProblem | RevisionConflict | SlugTaken | PostPublished | PublicationRefusal
    >
    /** Removes a draft for good; a published Post is unpublished first. */
    readonly remove: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<void, NotFoundProblem | PostPublished>
  }
>()("pennypress/posts/Posts") {
  static readonly layer = Layer.effect(
    Posts,
    Effect.gen(function* () {
      const repo = yield* PostsRepo
      const publications = yield* Publications
      const idempotency = yield* Idempotency
      const rateLimits = yield* RateLimits
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom

      const find = Effect.fnUntraced(function* (publisher: PublisherAuthority, id: PostId) {
        const row = yield* repo.find(publisher.ownerId, id)
        if (Option.isNone(row)) return yield* new NotFoundProblem({})
        return row.value
      })

      /** What the database refused, in the contract's order: categories are checked before the slug. */
      const refused = Effect.fnUntraced(function* (refusal: PostRefusal, content: PostContent) {
        const unknown = yield* repo.unknownCategories(content)
        if (refusal._tag === "SlugTaken" && unknown.length === 0) {
          const message = "Another Post of yours has this slug"
          return yield* new SlugTaken({ errors: [{ field: "slug", code: "taken", message }] })
        }
        const fields = unknown.length === 0 && refusal._tag === "NoSuchCategory" ? [refusal.field] : unknown
        const message = "There is no such category"
        return yield* new ValidationProblem({
          errors: fields.map((field) => ({ field, code: "invalid", message }))
        })
      })

      const replay = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        idempotencyKey: string,
        draft: PostDraft
      ) {
        const request = { scope: "post_creation", scopeId: publisher.apiKeyId, idempotencyKey } as const
        const earlier = yield* idempotency.earlier({ ...request, intent: draft })
        if (Option.isNone(earlier) || !earlier.value.sameIntent) return yield* new IdempotencyMismatch({})
        const post = yield* repo.read(publisher.ownerId, earlier.value.resourceId)
        if (Option.isNone(post)) return yield* new ResourceGone({})
        return { post: post.value, replayed: true }
      })

      /**
       * Counts a creation. That it is a repeat is known only when its statement has run, so one is counted and given
       * back then; where nothing is left to count with, the name of the request is looked for first.
       */
      const counted = Effect.fnUntraced(function* (
        { apiKeyId }: PublisherAuthority,
        claim: IdempotencyClaim | undefined
      ) {
        const consumed = yield* Effect.result(rateLimits.consume(CREATION_LIMIT, apiKeyId))
        if (Result.isSuccess(consumed)) return consumed.success
        const isRepeat = claim !== undefined && (yield* idempotency.isTaken(claim, claim.at))
        return isRepeat ? Option.none<Standing>() : yield* consumed.failure
      })

      const create = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        draft: PostDraft,
        idempotencyKey: string | undefined,
        onCounted: (standing: Standing) => Effect.Effect<void> = () => Effect.void
      ) {
        const content = yield* contentOf(draft)
        const at = yield* now
        const id = PostId.make(yield* random.uuidV7())
        const claim =
          idempotencyKey === undefined
            ? undefined
            : {
                scope: "post_creation" as const,
                scopeId: publisher.apiKeyId,
                idempotencyKey,
                fingerprint: fingerprintOf(draft),
                resourceId: id,
                at,
                expiresAt: later(at, CREATION_KEY_MILLIS)
              }
        const standing = yield* counted(publisher, claim)
        if (Option.isSome(standing)) yield* onCounted(standing.value)
        const post = { id, owner_id: publisher.ownerId, content, at }
        const slug =
          draft.slug === undefined ? { base: slugBaseOfTitle(content.title) } : { chosen: draft.slug }
        const created = yield* withFreeSlug(slug, id, (slug, tried) =>
          repo.insert({ ...post, slug, tried }, claim)
        ).pipe(Effect.catch((refusal) => refused(refusal, content)))
        if (Option.isSome(created)) return { post: created.value, replayed: false }
        if (Option.isSome(standing)) yield* rateLimits.giveBack(CREATION_LIMIT, publisher.apiKeyId)
        return yield* replay(publisher, idempotencyKey ?? "", draft)
      })

      const update = Effect.fn("Posts.update")(function* (
        publisher: PublisherAuthority,
        id: PostId,
        patch: PostPatch,
        revision: string | undefined
      ) {
        const row = yield* find(publisher, id)
        if (revision !== undefined && !isSameMoment(revision, row.updated_at))
          return yield* new RevisionConflict({})
        const changed = patched(row, patch)
        if (Result.isFailure(changed)) return yield* new ValidationProblem({ errors: changed.failure })
        const content = changed.success
        const isPublic = row.status === "published"
        if (isPublic && patch.slug !== undefined && patch.slug !== row.slug)
          return yield* new PostPublished({})
        if (isPublic) yield* publications.check(content, row)

        const change = { id, ownerId: publisher.ownerId, revision: row.updated_at, content, at: yield* now }
        const written = yield* withFreeSlug(newSlug(row, patch, content), id, (slug, tried) =>
          repo.update({ ...change, slug, tried })
        ).pipe(
          Effect.tap((updated) =>
            isPublic && Option.isSome(updated) ? publications.edited(publisher, row, content) : Effect.void
          ),
          (write) => (isPublic ? transactions.run(write) : write),
          Effect.catch((refusal) => refused(refusal, content))
        )
        // Somebody else was faster: what this change was computed from is no more.
        if (Option.isNone(written)) return yield* new RevisionConflict({})
        return written.value
      })

      return Posts.of({
        create,
        list: (publisher, { page = 1, per_page = 20, status }) =>
          repo.list(publisher.ownerId, { status, page, perPage: per_page }),
        read: Effect.fn("Posts.read")(function* (publisher, id) {
          const post = yield* repo.read(publisher.ownerId, id)
          if (Option.isNone(post)) return yield* new NotFoundProblem({})
          return post.value
        }),
        update,
        remove: Effect.fn("Posts.remove")(function* (publisher, id) {
          if (yield* repo.removeDraft(publisher.ownerId, id)) return
          yield* find(publisher, id)
          return yield* new PostPublished({})
        })
      })
    })
  )
}

/** The content of a new Post: at least one section, and nothing that a Post cannot have. */
const contentOf = Effect.fnUntraced(function* (draft: PostDraft) {
  if (typeof draft.freeContentMarkdown !== "string" && typeof draft.paidContentMarkdown !== "string") {
    const message = "Send freeContentMarkdown, paidContentMarkdown or both"
    return yield* new ValidationProblem({
      errors: [{ field: "freeContentMarkdown", code: "required", message }]
    })
  }
  const content = patched(emptyContent, draft)
  if (Result.isFailure(content)) return yield* new ValidationProblem({ errors: content.failure })
  return content.success
})

/** A draft that was saved without a title takes its slug from the first one that it gets. */
const newSlug = (row: PostRow, patch: PostPatch, content: PostContent): WantedSlug | undefined => {
  if (patch.slug !== undefined) return patch.slug === row.slug ? undefined : { chosen: patch.slug }
  const base = slugBaseOfTitle(content.title)
  return row.status === "draft" && row.slug_base === SLUG_FALLBACK && base !== SLUG_FALLBACK
    ? { base }
    : undefined
}

/** A revision names a moment, whose trailing zeros and offset can be spelled in more than one way. */
const isSameMoment = (revision: string, updatedAt: string) =>
  revision === updatedAt ||
  (Date.parse(revision) === Date.parse(updatedAt) && microsOf(revision) === microsOf(updatedAt))

const microsOf = (moment: string) => (/\.(\d+)/.exec(moment)?.[1] ?? "").padEnd(9, "0")
