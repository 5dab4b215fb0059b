import { Effect, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { IdempotencyMismatch, ResourceGone } from "../../../schemas/publishing/posts/errors.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import type { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { StorageQuotaReached } from "../../../schemas/publishing/storage/errors.ts"
import type { IdempotencyClaim } from "../../platform/idempotency/claim.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { type RateLimitExceeded, RateLimits, type Quota } from "../../platform/rate-limits/RateLimits.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { SectionReader } from "../content/SectionReader.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { emptyContent, patched, type Readings, readingsOf, textBytesOf } from "./content.ts"
import { insertPost } from "./insertPost.sql.ts"
import { LongWrites } from "./LongWrites.ts"
import { postOf } from "./postRow.ts"
import { postStatements } from "./posts.sql.ts"
import { slugBaseOf, withFreeSlug } from "./slug.ts"
import { explainConstraint } from "./writeErrors.ts"

/** The time for which an Idempotency-Key names one creation (spec 8). */
const CREATION_KEY_MILLIS = DAY_MILLIS

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
  const media = yield* OwnMedia
  const explained = explainConstraint(posts.unknownCategories)

  return Effect.fn("Posts.create")(function* (
    { apiKeyId, ownerId }: PublisherAuthority,
    draft: PostDraft,
    idempotencyKey: string | undefined,
    onCounted: (quota: Quota) => Effect.Effect<void> = () => Effect.void
  ) {
    const content = yield* checkedDraft(draft, yield* readingsOf(reader, ownerId, draft), media)
    const id = PostId.make(yield* random.uuidV7())
    const at = yield* now
    const claim: IdempotencyClaim | undefined =
      idempotencyKey === undefined
        ? undefined
        : {
            scope: "post_creation",
            scopeId: apiKeyId,
            idempotencyKey,
            fingerprint: yield* idempotency.fingerprintOf(draft),
            resourceId: id,
            at,
            expiresAt: later(at, CREATION_KEY_MILLIS)
          }

    // The insert detects a repeat, which is counted until then.
    const counted = yield* Effect.result(rateLimits.consume(CREATION_LIMIT, apiKeyId))
    const quota = Result.isSuccess(counted) ? counted.success : Option.none()
    if (Option.isSome(quota)) yield* onCounted(quota.value)
    const admitted: Result.Result<void, RateLimitExceeded | StorageQuotaReached> = Result.isSuccess(counted)
      ? yield* Effect.result(storage.admit(ownerId, textBytesOf(content)))
      : Result.fail(counted.failure)
    if (Result.isSuccess(admitted)) {
      const wanted =
        draft.slug === undefined ? { base: slugBaseOf(content.title, id) } : { chosen: draft.slug }
      const write = withFreeSlug(wanted, id, (slug, tried) =>
        insert({ id, owner_id: ownerId, content, slug, tried, at }, claim)
      )
      const created = yield* longWrites
        .inTurn(ownerId, content, write)
        .pipe(Effect.catch((constraint) => explained(constraint, content)))
      if (Option.isSome(created)) return { post: postOf(created.value, baseUrl, media), replayed: false }
    } else if (claim === undefined || !(yield* idempotency.isTaken(claim, at))) return yield* admitted.failure

    // A repeat counts against no limit and stores nothing, so its answer depends on neither.
    if (Option.isSome(quota)) yield* rateLimits.giveBack(CREATION_LIMIT, apiKeyId)
    const earlier =
      claim === undefined ? Option.none() : yield* idempotency.earlier({ ...claim, intent: draft })
    if (Option.isNone(earlier) || !earlier.value.sameIntent) return yield* new IdempotencyMismatch()
    const post = yield* posts.find(ownerId, earlier.value.resourceId)
    if (Option.isNone(post)) return yield* new ResourceGone()
    return { post: postOf(post.value, baseUrl, media), replayed: true }
  }, Effect.scoped)
})

/** Returns the content of a new Post, which needs at least one section. */
export const checkedDraft = Effect.fnUntraced(function* (
  draft: PostDraft,
  readings: Readings,
  media: OwnMedia["Service"]
) {
  if (typeof draft.freeContentMarkdown !== "string" && typeof draft.paidContentMarkdown !== "string") {
    const message = "Send freeContentMarkdown, paidContentMarkdown or both"
    return yield* new Validation({
      errors: [{ field: "freeContentMarkdown", code: "required", message }]
    })
  }
  const content = patched(emptyContent, draft, readings, media)
  if (Result.isFailure(content)) return yield* new Validation({ errors: content.failure })
  return content.success
})
