import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { GiftAlreadyIssued, GiftLimitReached } from "../../../schemas/payments/gifts/errors.ts"
import {
  ACTIVE_GIFTS_MAX,
  type Gift,
  GIFT_LIFETIME_DEFAULT_DAYS,
  GIFT_REDEMPTIONS_DEFAULT,
  type GiftPage,
  type GiftRequest,
  GIFTS_DEFAULT,
  type GiftsQuery,
  type IssuedGift,
  type Redeemed
} from "../../../schemas/payments/gifts/Gift.ts"
import { PostIsFree } from "../../../schemas/payments/sessions/errors.ts"
import { IdempotencyConflict, NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { GiftId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import { Owners } from "../../accounts/owners/Owners.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { makePageAfter } from "../../platform/cursors/pageAfter.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { giftOf } from "./giftRow.ts"
import { giftStatements } from "./gifts.sql.ts"
import { giftTokenOf } from "./giftToken.ts"

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([GiftId]))

/** Returns the expiry that a request names, or the default; fails when it is not in the future. */
const expiryOf = Effect.fnUntraced(function* ({ expiresAt }: GiftRequest, at: Date) {
  if (expiresAt === undefined) return later(at, GIFT_LIFETIME_DEFAULT_DAYS * DAY_MILLIS)
  if (expiresAt === null || Date.parse(expiresAt) > at.getTime()) return expiresAt
  return yield* new Validation({
    errors: [{ field: "expiresAt", code: "out_of_range", message: "The expiry must be in the future" }]
  })
})

/** Gifts of paid Posts, for their authors. The token of a gift is shown once. */
export class Gifts extends Context.Service<
  Gifts,
  {
    /** Issues a gift, once for each Idempotency-Key. A repeat gets the gift as it is now, and never its token. */
    readonly issue: (
      owner: OwnerId,
      request: GiftRequest,
      idempotencyKey: string
    ) => Effect.Effect<
      IssuedGift,
      GiftAlreadyIssued | GiftLimitReached | IdempotencyConflict | NotFound | PostIsFree | Validation
    >
    /** Returns gifts of any owners as their lists have them, in any order. */
    readonly byIds: (ids: ReadonlyArray<GiftId>) => Effect.Effect<ReadonlyArray<Gift>>
    /** Lists gifts of an owner, newest first. Fails for a cursor of another list. */
    readonly list: (owner: OwnerId, query: GiftsQuery) => Effect.Effect<GiftPage, Validation>
    /**
     * Revokes a gift: from now on it cannot be redeemed. `revoke` also ends the access of readers who redeemed it. Safe
     * to repeat; a repeat never restores access.
     */
    readonly revoke: (owner: OwnerId, id: GiftId, redeemed: Redeemed) => Effect.Effect<Gift, NotFound>
  }
>()("pennypress/payments/gifts/Gifts") {
  static readonly layer = Layer.effect(
    Gifts,
    Effect.gen(function* () {
      const repo = yield* giftStatements
      const owners = yield* Owners
      const idempotency = yield* Idempotency
      const secrets = yield* Secrets
      const cursors = yield* Cursors
      const pageAfter = yield* makePageAfter(decodePosition)
      const random = yield* SecureRandom.SecureRandom
      const baseUrl = yield* PublicBaseUrl

      const make = Effect.fnUntraced(function* (owner: OwnerId, id: GiftId, request: GiftRequest, at: Date) {
        const expiresAt = yield* expiryOf(request, at)
        // The Post comes before its owner, as in all transactions that hold both.
        const post = yield* repo.holdPost(owner, request.postId)
        if (Option.isNone(post))
          return yield* new NotFound({ detail: "You have no published Post with this id" })
        if (!post.value.enable_paywall) return yield* new PostIsFree()
        yield* owners.lock(owner)
        if ((yield* repo.countActive(owner, at)) >= ACTIVE_GIFTS_MAX) return yield* new GiftLimitReached()
        const secret = yield* secrets.token
        const row = yield* repo.insert({
          id,
          ownerId: owner,
          postId: request.postId,
          secretHash: hashOf(Redacted.make(secret)),
          label: request.label ?? null,
          maxRedemptions: request.maxRedemptions ?? GIFT_REDEMPTIONS_DEFAULT,
          at,
          expiresAt
        })
        const token = Redacted.value(giftTokenOf(id, secret))
        const { handle, slug } = post.value
        return { gift: giftOf(row), token, url: `${baseUrl}/@${handle}/${slug}#gift=${token}` }
      })

      const issue = Effect.fn("Gifts.issue")(function* (
        owner: OwnerId,
        request: GiftRequest,
        idempotencyKey: string
      ) {
        const id = GiftId.make(yield* random.uuidV7())
        const { expiresAt = "default", label = null, maxRedemptions = GIFT_REDEMPTIONS_DEFAULT } = request
        const issued = yield* idempotency
          .once(
            {
              scope: "gift_issuance",
              scopeId: owner,
              idempotencyKey,
              intent: { postId: request.postId, expiresAt, label, maxRedemptions },
              resourceId: id,
              lifetimeMillis: null,
              // No answer is kept, because it holds the token; a repeat gets the gift as it is now.
              keep: () => null,
              kept: Schema.Null
            },
            (at) => make(owner, id, request, at)
          )
          .pipe(Effect.catchTag("IntentChanged", () => Effect.fail(new IdempotencyConflict())))
        if (!issued.replayed) return issued.value
        const row = yield* repo.ofOwner(owner, issued.resourceId, yield* now)
        // The Post was deleted, and the gift with it.
        if (Option.isNone(row)) return yield* new NotFound()
        return yield* new GiftAlreadyIssued({ gift: giftOf(row.value) })
      })

      return Gifts.of({
        issue,
        byIds: Effect.fnUntraced(function* (ids) {
          return (yield* repo.byIds(ids, yield* now)).map(giftOf)
        }),
        list: Effect.fn("Gifts.list")(function* (owner, { cursor, limit = GIFTS_DEFAULT, postId }) {
          const list = `gifts ${owner} ${postId ?? "of all Posts"}`
          const after = yield* pageAfter(list, cursor)
          const rows = yield* repo.slice(owner, { postId, after, limit, at: yield* now })
          const last = rows.length > limit ? rows[limit - 1] : undefined
          const nextCursor = last === undefined ? null : yield* cursors.make(list, [last.id])
          return {
            data: rows.slice(0, limit).map(giftOf),
            pagination: { limit, nextCursor, hasMore: nextCursor !== null }
          }
        }),
        revoke: Effect.fn("Gifts.revoke")(function* (owner, id, redeemed) {
          const row = yield* repo.revoke(owner, id, redeemed, yield* now)
          if (Option.isNone(row)) return yield* new NotFound()
          return giftOf(row.value)
        })
      })
    })
  )
}
