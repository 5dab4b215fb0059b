import { Context, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  IdempotencyMismatch,
  ResourceGone,
  type SlugTaken
} from "../../../schemas/publishing/posts/errors.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import type { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { IdempotencyClaim } from "../../platform/idempotency/claim.ts"
import { fingerprintOf } from "../../platform/idempotency/fingerprint.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { SectionReader } from "../../platform/ports/SectionReader.ts"
import { type RateLimitExceeded, RateLimits, type Standing } from "../../platform/rate-limits/RateLimits.ts"
import type { JsonText } from "../../platform/sql/JsonText.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { emptyContent, patched, type Readings } from "./content.ts"
import { LongWrites } from "./LongWrites.ts"
import { PostsRepo } from "./PostsRepo.ts"
import { readingsOf } from "./readings.ts"
import { refusedBy } from "./refused.ts"
import { slugBaseOfTitle, withFreeSlug } from "./slug.ts"

/** For how long an Idempotency-Key names one creation (specification 8). */
const CREATION_KEY_MILLIS = DAY_MILLIS

const CREATION_LIMIT = "post-creation"

/** A created Post; `replayed` when an earlier request created it, which no limit counts. */
export interface Created {
  readonly post: JsonText<Post>
  readonly replayed: boolean
}

/** New Posts, one for every Idempotency-Key (specification 3.1, 4.3.6). */
export class Creations extends Context.Service<
  Creations,
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
  }
>()("pennypress/publishing/posts/Creations") {
  static readonly layer = Layer.effect(
    Creations,
    Effect.gen(function* () {
      const repo = yield* PostsRepo
      const longWrites = yield* LongWrites
      const idempotency = yield* Idempotency
      const rateLimits = yield* RateLimits
      const reader = yield* SectionReader
      const random = yield* SecureRandom.SecureRandom

      const refused = refusedBy(repo.unknownCategories)

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
        const content = yield* checked(draft, yield* readingsOf(reader, draft))
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
        ).pipe(
          (write) => longWrites.inTurn(content, write),
          Effect.catch((refusal) => refused(refusal, content))
        )
        if (Option.isSome(created)) return { post: created.value, replayed: false }
        if (Option.isSome(standing)) yield* rateLimits.giveBack(CREATION_LIMIT, publisher.apiKeyId)
        return yield* replay(publisher, idempotencyKey ?? "", draft)
      })

      return Creations.of({ create })
    })
  )
}

/** A new Post has at least one section, and nothing that a Post cannot have. */
const checked = Effect.fnUntraced(function* (draft: PostDraft, readings: Readings) {
  if (typeof draft.freeContentMarkdown !== "string" && typeof draft.paidContentMarkdown !== "string") {
    const message = "Send freeContentMarkdown, paidContentMarkdown or both"
    return yield* new ValidationProblem({
      errors: [{ field: "freeContentMarkdown", code: "required", message }]
    })
  }
  const content = patched(emptyContent, draft, readings)
  if (Result.isFailure(content)) return yield* new ValidationProblem({ errors: content.failure })
  return content.success
})
