import { Effect, Layer, Option, Redacted } from "effect"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { GiftTokens, receiptOfGift } from "../access/GiftTokens.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import { Redemptions } from "./Redemptions.ts"

/** Redeems the gift tokens that readers send to Posts. */
export const shownTokens = Layer.effect(
  GiftTokens,
  Effect.gen(function* () {
    const { redeemFor } = yield* Redemptions
    const secrets = yield* Secrets

    return {
      redeem: Effect.fnUntraced(function* (postId, gift, reader) {
        const unnamed = Effect.map(secrets.token, (secret) => receiptTokenOf(Redacted.make(secret)))
        const receipt =
          reader.ownerId === null
            ? Option.some(
                yield* Option.match(receiptOfGift(gift), { onNone: () => unnamed, onSome: Effect.succeed })
              )
            : Option.none()
        const request = {
          token: gift.token,
          postId,
          reader,
          idempotencyKey: Option.getOrUndefined(gift.idempotencyKey),
          receipt: Option.getOrUndefined(receipt)
        }
        // An owner of the Post reads it before the gift is checked, so the purchase has just settled.
        yield* Effect.catchTag(redeemFor(request), "AlreadyPurchased", () => Effect.void)
        return receipt
      })
    }
  })
)
