import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { GiftInvalid, GiftRevoked, ReceiptInvalid } from "../../../schemas/payments/access/errors.ts"
import type { GiftRedemption } from "../../../schemas/payments/gifts/Gift.ts"
import type { AlreadyOwned } from "../../../schemas/payments/purchases/errors.ts"
import type { AlreadyPurchased } from "../../../schemas/payments/sessions/errors.ts"
import type { RateLimited } from "../../../schemas/platform/errors/common.ts"
import {
  GiftRedemptionId,
  type OwnerId,
  type PostId,
  type UploadOperationId
} from "../../../schemas/platform/Ids.ts"
import { Events } from "../../platform/events/Events.ts"
import { RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { hashOf, Secrets } from "../../platform/secrets/Secrets.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now, wireTime } from "../../platform/time/now.ts"
import { Receipts } from "../receipts/Receipts.ts"
import { type ReceiptToken, receiptTokenOf } from "../receipts/receiptToken.ts"
import { FileNotForSale, type GiftRefusal, isTaken, ownsIt, refusalOf } from "./giftRefusals.ts"
import { readGiftToken } from "./giftToken.ts"
import { type Redeemer, redemptionStatements } from "./redemptions.sql.ts"
import { receiptOfGift, type ShownGift } from "./shownGift.ts"

/** A caller who presents a gift token: an account, or the client whose address limits wrong tokens. */
interface GiftReader {
  readonly ownerId: OwnerId | null
  readonly client: string
  /** The file for which the gift is redeemed. */
  readonly fileId?: UploadOperationId | undefined
}

/** A request to redeem a gift. */
export interface RedemptionRequest {
  readonly token: Redacted.Redacted
  /** The Post that the gift must be for; undefined if only the token names it. */
  readonly postId: PostId | undefined
  readonly reader: GiftReader
  /** Names the redemption of a reader without an account; repeats of it count once. */
  readonly idempotencyKey: string | undefined
  /** The receipt with which a reader without an account can read from now on. */
  readonly receipt: ReceiptToken | undefined
}

/** Maximum number of looks at a gift that others change at the same time. Each look sees their changes. */
const LOOKS_MAX = 10

/** Another request has changed the gift since it was read. */
class LookAgain {
  readonly _tag = "LookAgain"
}

/** SHA-256 of the key, so that the caller's own text is not stored. It is unique for each gift. */
const keyHashOf = (key: string) => sha256(utf8ToBytes(`gift-redemption/1/${key}`))

/** Redeems gifts. Each redemption counts once, even if its answer is lost. */
export class Redemptions extends Context.Service<
  Redemptions,
  {
    /** Redeems a gift for its reader, who can then read the Post. Repeats return the first redemption. */
    readonly redeem: (
      request: RedemptionRequest
    ) => Effect.Effect<GiftRedemption, GiftRefusal | AlreadyPurchased>
    /**
     * Redeems the gift token that a reader sends to a Post, if the file that the reader wants is for sale. Returns the
     * receipt that reads the Post from now on. An account needs none.
     */
    readonly redeemShown: (
      postId: PostId,
      gift: ShownGift,
      reader: GiftReader
    ) => Effect.Effect<Option.Option<ReceiptToken>, GiftRefusal | FileNotForSale>
    /**
     * Adds a redemption that was made without an account to one, which can then read the Post for as long as other
     * readers of the gift. A receipt can be added to one account, and is not counted again. Repeats return the same
     * redemption.
     */
    readonly claim: (
      owner: OwnerId,
      receipt: Redacted.Redacted
    ) => Effect.Effect<GiftRedemption, ReceiptInvalid | AlreadyOwned>
    /** Returns the Post of a gift, also of one that opens nothing any more. */
    readonly postOf: (
      token: Redacted.Redacted,
      client: string
    ) => Effect.Effect<PostId, GiftInvalid | RateLimited>
    /** Names the Post of a gift that can still be opened, and its author, who gives it. None for any other gift. */
    readonly offer: (
      token: Redacted.Redacted,
      client: string
    ) => Effect.Effect<
      Option.Option<{ readonly title: string; readonly author: string }>,
      GiftInvalid | RateLimited
    >
    /** Returns true for an account that reads the Post by a gift. */
    readonly isReader: (owner: OwnerId, postId: PostId) => Effect.Effect<boolean>
  }
>()("pennypress/payments/gifts/Redemptions") {
  static readonly layer = Layer.effect(
    Redemptions,
    Effect.gen(function* () {
      const repo = yield* redemptionStatements
      const receipts = yield* Receipts
      const transactions = yield* Transactions
      const random = yield* SecureRandom.SecureRandom
      const secrets = yield* Secrets
      const { consume } = yield* RateLimits
      const events = yield* Events

      /** Refuses a wrong token, and counts it. All of them get the same answer, which reveals nothing about a gift. */
      const wrong = Effect.fnUntraced(function* (client: string) {
        yield* consume("gift-refusal", client)
        return yield* new GiftInvalid()
      })

      /** Returns the gift of a token as it is for its redeemer; none for a token of no gift. */
      const giftOf = Effect.fnUntraced(function* (token: Redacted.Redacted, redeemer: Redeemer, at: Date) {
        const named = readGiftToken(token)
        if (Option.isNone(named)) return Option.none()
        const { id, secretHash } = named.value
        const offered = yield* repo.offered(id, redeemer, at)
        return Option.filter(offered, (it) => Mac.timingSafeEqual(secretHash, it.secret_hash)).pipe(
          Option.map((it) => ({ ...it, id }))
        )
      })

      const attempt = Effect.fnUntraced(function* ({
        idempotencyKey,
        postId,
        reader,
        receipt,
        token
      }: RedemptionRequest) {
        const redeemer: Redeemer = {
          ownerId: reader.ownerId,
          fileId: reader.fileId,
          keyHash: reader.ownerId !== null || idempotencyKey === undefined ? null : keyHashOf(idempotencyKey)
        }
        const at = yield* now
        const offered = yield* giftOf(token, redeemer, at)
        if (Option.isNone(offered)) return yield* wrong(reader.client)
        const gift = offered.value
        if (postId !== undefined && gift.post_id !== postId) return yield* wrong(reader.client)

        const redemption = { postId: gift.post_id, via: "gift" } as const
        if (gift.is_ended) return yield* new GiftRevoked()
        if (gift.redeemed_at !== null) return { ...redemption, redeemedAt: gift.redeemed_at }
        if (gift.is_owned) return yield* ownsIt()
        const refusal = refusalOf(gift)
        if (refusal !== undefined) return yield* refusal
        if (!gift.has_file) return yield* Effect.fail(new FileNotForSale())

        const redemptionId = GiftRedemptionId.make(yield* random.uuidV7())
        const save = Effect.gen(function* () {
          const made = { ...redeemer, id: redemptionId, giftId: gift.id, postId: gift.post_id, at }
          if (!(yield* repo.redeem(made))) return yield* Effect.fail(new LookAgain())
          yield* events.record({
            ownerId: gift.owner_id,
            type: "gift.redeemed",
            subjectId: gift.id,
            data: {},
            at,
            cause: redemptionId
          })
          if (receipt === undefined) return
          const { tokenHash } = receipt
          yield* receipts.save({ tokenHash, postId: gift.post_id, redemptionId })
        })
        yield* transactions.run(save)
        return { ...redemption, redeemedAt: wireTime(at) }
      })

      const redeem = (
        request: RedemptionRequest,
        looks = LOOKS_MAX
      ): Effect.Effect<GiftRedemption, GiftRefusal | AlreadyPurchased | FileNotForSale> =>
        Effect.catchTag(attempt(request), "LookAgain", () =>
          looks === 0
            ? Effect.die(new Error("A gift was changed at every look at it"))
            : redeem(request, looks - 1)
        )

      return Redemptions.of({
        // Only a reader of a file may miss it.
        redeem: (request) =>
          Effect.withSpan(
            Effect.catchTag(redeem(request), "FileNotForSale", Effect.die),
            "Redemptions.redeem"
          ),
        redeemShown: Effect.fn("Redemptions.redeemShown")(function* (postId, gift, reader) {
          const { idempotencyKey, token } = gift
          const unnamed = Effect.map(secrets.token, (secret) => receiptTokenOf(Redacted.make(secret)))
          const receipt =
            reader.ownerId === null
              ? Option.some(
                  yield* Option.match(receiptOfGift(gift), { onNone: () => unnamed, onSome: Effect.succeed })
                )
              : Option.none()
          const key = Option.getOrUndefined(idempotencyKey)
          const request = {
            token,
            postId,
            reader,
            idempotencyKey: key,
            receipt: Option.getOrUndefined(receipt)
          }
          // An owner of the Post reads it before the gift is checked, so the purchase has just settled.
          yield* Effect.catchTag(redeem(request), "AlreadyPurchased", () => Effect.void)
          return receipt
        }),
        claim: Effect.fn("Redemptions.claim")(function* (owner, receipt) {
          const row = yield* repo.claim(hashOf(receipt), owner)
          if (Option.isNone(row)) return yield* new ReceiptInvalid()
          const { is_theirs, post_id, redeemed_at } = row.value
          if (!is_theirs) return yield* isTaken()
          return { postId: post_id, via: "gift", redeemedAt: redeemed_at }
        }),
        postOf: Effect.fn("Redemptions.postOf")(function* (token, client) {
          const gift = yield* giftOf(token, { ownerId: null, keyHash: null }, yield* now)
          return Option.isSome(gift) ? gift.value.post_id : yield* wrong(client)
        }),
        offer: Effect.fn("Redemptions.offer")(function* (token, client) {
          const gift = yield* giftOf(token, { ownerId: null, keyHash: null }, yield* now)
          if (Option.isNone(gift)) return yield* wrong(client)
          const { post_id } = gift.value
          return refusalOf(gift.value) === undefined ? yield* repo.named(post_id) : Option.none()
        }),
        isReader: repo.isReader
      })
    })
  )
}
