import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { SessionIdempotencyKey } from "../../../../schemas/payments/sessions/PaymentSession.ts"
import { Redemptions } from "../../../payments/gifts/Redemptions.ts"
import { receiptOfGift } from "../../../payments/gifts/shownGift.ts"
import { FormRefused } from "../../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../../platform/http/privatePages.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { clientOf } from "../../../platform/rate-limits/clientAddress.ts"
import { limiting } from "../../../platform/rate-limits/http.ts"
import { readPath, receiptCookie } from "../../access/receipt.ts"
import { refusedGiftPath } from "../../access/refusedGift.ts"
import { makeBrowser } from "../../browser/http.ts"
import { giftPage } from "./giftPage.ts"

const isKey = Schema.is(SessionIdempotencyKey)

/** Serves the page that opens a gift. */
export const GiftOpenRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { postOf, redeem } = yield* Redemptions
    const random = yield* SecureRandom.SecureRandom
    const { trustedProxies } = yield* Settings
    const { reader } = yield* makeBrowser
    const count = yield* limiting
    const { answering, cookie, page, readForm, seeOther } = yield* makePrivatePages

    const asked = (isRefused: boolean) =>
      Effect.map(random.uuidV4(), (key) => page(giftPage({ key, isRefused }), isRefused ? 403 : 200))

    const show = Effect.andThen(count("access"), asked(false))

    const open = Effect.gen(function* () {
      const form = yield* readForm
      yield* count("access")
      const key = form.get("key")
      if (!isKey(key)) return yield* new FormRefused({ status: 400 })
      const token = Redacted.make((form.get("token") ?? "").trim().replace(/^.*#(gift=)?/s, ""))
      const request = yield* HttpServerRequest.HttpServerRequest
      const ownerId = yield* reader
      const receipt = Option.getOrThrow(receiptOfGift({ token, idempotencyKey: Option.some(key) }))
      return yield* redeem({
        token,
        postId: undefined,
        reader: { ownerId, client: clientOf(request, trustedProxies) },
        idempotencyKey: ownerId === null ? key : undefined,
        receipt: ownerId === null ? receipt : undefined
      }).pipe(
        Effect.map(({ postId }) => {
          const on = seeOther(readPath(postId))
          return ownerId === null ? cookie(...receiptCookie(postId)).set(receipt.token)(on) : on
        }),
        Effect.catchTag("GiftInvalid", () => asked(true)),
        // This browser, or this account, may have the text. The page of the text knows it, and says why the gift is refused.
        Effect.catchTag(
          ["AlreadyPurchased", "GiftExhausted", "GiftExpired", "GiftRevoked", "PostIsFree", "PostWithdrawn"],
          ({ _tag }) =>
            Effect.flatMap(
              postOf(token),
              Option.match({
                onNone: () => asked(true),
                onSome: (postId) => Effect.succeed(seeOther(refusedGiftPath(postId, _tag)))
              })
            )
        )
      )
    })

    return Layer.merge(
      HttpRouter.add("GET", "/gift", answering(show)),
      HttpRouter.add("POST", "/gift", answering(open))
    )
  })
)
