import { Effect, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { IdempotencyMismatch, ResourceGone } from "../../../schemas/publishing/posts/errors.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import type { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { IdempotencyClaim } from "../../platform/idempotency/claim.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { RateLimits, type Quota } from "../../platform/rate-limits/RateLimits.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { SectionReader } from "../content/SectionReader.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { emptyContent, patched, type Readings, sectionBytesOf } from "./content.ts"
import { insertPost } from "./insertPost.sql.ts"
import { LongWrites } from "./LongWrites.ts"
import { postOf } from "./postRow.ts"
import { postStatements } from "./posts.sql.ts"
import { readingsOf } from "./readings.ts"
import { slugBaseOfTitle, withFreeSlug } from "./slug.ts"
import { explainConstraint } from "./writeErrors.ts"

/** The time for which an Idempotency-Key names one creation (spec 8). */
const CREATION_KEY_MILLIS = DAY_MILLIS

const SCOPE = "post_creation"
const CREATION_LIMIT = "post-creation"

/** A created Post; `replayed` when an earlier request with the same key created it. */
export interface Created {
  readonly post: Post
  readonly replayed: boolean
}

/** Makes the function that creates drafts, one for each Idempotency-Key (spec 3.1, 4.3.6). */
export const makeCreatePost = Effect.gen(function* () {
  const posts = yield* postStatements
  const insert = yield* insertPost
  const longWrites = yield* LongWrites
  const idempotency = yield* Idempotency
  const rateLimits = yield* RateLimits
  const reader = yield* SectionReader
  const storage = yield* AccountStorage
  const random = yield* SecureRandom.SecureRandom
  const baseUrl = yield* PublicBaseUrl
  const explained = explainConstraint(posts.unknownCategories)

  /** Returns the Post that an earlier request with the same key created. */
  const replay = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    idempotencyKey: string,
    draft: PostDraft
  ) {
    const request = { scope: SCOPE, scopeId: publisher.apiKeyId, idempotencyKey } as const
    const earlier = yield* idempotency.earlier({ ...request, intent: draft })
    if (Option.isNone(earlier) || !earlier.value.sameIntent) return yield* new IdempotencyMismatch()
    const post = yield* posts.find(publisher.ownerId, earlier.value.resourceId)
    if (Option.isNone(post)) return yield* new ResourceGone()
    return { post: postOf(post.value, baseUrl), replayed: true }
  })

  /**
   * Counts a creation against the limit. Only the insert detects a repeat, so a repeat is counted first and then given
   * back. If the limit is used up, the key is looked up first.
   */
  const counted = Effect.fnUntraced(function* (
    { apiKeyId }: PublisherAuthority,
    claim: IdempotencyClaim | undefined
  ) {
    const consumed = yield* Effect.result(rateLimits.consume(CREATION_LIMIT, apiKeyId))
    if (Result.isSuccess(consumed)) return consumed.success
    const isRepeat = claim !== undefined && (yield* idempotency.isTaken(claim, claim.at))
    return isRepeat ? Option.none<Quota>() : yield* consumed.failure
  })

  const claimOf = (
    publisher: PublisherAuthority,
    draft: PostDraft,
    idempotencyKey: string,
    { at, id }: { readonly id: PostId; readonly at: Date }
  ): Effect.Effect<IdempotencyClaim> =>
    Effect.map(idempotency.fingerprintOf(draft), (fingerprint) => ({
      scope: SCOPE,
      scopeId: publisher.apiKeyId,
      idempotencyKey,
      fingerprint,
      resourceId: id,
      at,
      expiresAt: later(at, CREATION_KEY_MILLIS)
    }))

  return Effect.fn("Posts.create")(function* (
    publisher: PublisherAuthority,
    draft: PostDraft,
    idempotencyKey: string | undefined,
    onCounted: (quota: Quota) => Effect.Effect<void> = () => Effect.void
  ) {
    const content = yield* checked(draft, yield* readingsOf(reader, publisher.ownerId, draft))
    const made = { id: PostId.make(yield* random.uuidV7()), at: yield* now }
    const claim =
      idempotencyKey === undefined ? undefined : yield* claimOf(publisher, draft, idempotencyKey, made)
    const quota = yield* counted(publisher, claim)
    if (Option.isSome(quota)) yield* onCounted(quota.value)
    const { apiKeyId, ownerId } = publisher
    // A repeat stores nothing, so that its answer does not depend on what the account stores.
    yield* Effect.catchTag(storage.admit(ownerId, sectionBytesOf(content)), "StorageQuotaReached", (full) =>
      Effect.flatMap(
        claim === undefined ? Effect.succeed(false) : idempotency.isTaken(claim, claim.at),
        (isRepeat) => (isRepeat ? Effect.void : Effect.fail(full))
      )
    )
    const wanted =
      draft.slug === undefined ? { base: slugBaseOfTitle(content.title) } : { chosen: draft.slug }
    const created = yield* withFreeSlug(wanted, made.id, (slug, tried) =>
      insert({ ...made, owner_id: ownerId, content, slug, tried }, claim)
    ).pipe(
      (write) => longWrites.inTurn(ownerId, content, write),
      Effect.catch((constraint) => explained(constraint, content))
    )
    if (Option.isSome(created)) return { post: postOf(created.value, baseUrl), replayed: false }
    if (Option.isSome(quota)) yield* rateLimits.giveBack(CREATION_LIMIT, apiKeyId)
    return yield* replay(publisher, idempotencyKey ?? "", draft)
  })
})

/** Returns the content of a new Post, which needs at least one section. */
const checked = Effect.fnUntraced(function* (draft: PostDraft, readings: Readings) {
  if (typeof draft.freeContentMarkdown !== "string" && typeof draft.paidContentMarkdown !== "string") {
    const message = "Send freeContentMarkdown, paidContentMarkdown or both"
    return yield* new Validation({
      errors: [{ field: "freeContentMarkdown", code: "required", message }]
    })
  }
  const content = patched(emptyContent, draft, readings)
  if (Result.isFailure(content)) return yield* new Validation({ errors: content.failure })
  return content.success
})
