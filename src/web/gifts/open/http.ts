import { Effect, identity, Layer, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest } from "effect/http"
import { SessionIdempotencyKey } from "../../../../schemas/payments/sessions/PaymentSession.ts"
import type { PostId } from "../../../../schemas/platform/Ids.ts"
import { Redemptions } from "../../../payments/gifts/Redemptions.ts"
import { receiptOfGift } from "../../../payments/gifts/shownGift.ts"
import { FormRefused } from "../../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../../platform/http/ServicePaths.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { clientOf } from "../../../platform/rate-limits/clientAddress.ts"
import { limiting } from "../../../platform/rate-limits/http.ts"
import { refusedGiftPath } from "../../access/refusedGift.ts"
import { makeBrowser } from "../../browser/http.ts"
import { postIdOf } from "../../browser/postIdOf.ts"
import { makeReading } from "../../receipts/http.ts"
import { readPath } from "../../receipts/receipt.ts"
import { giftPage, OFFER } from "./giftPage.ts"

/** The part of what a reader pastes that is the code of a gift. */
const tokenIn = (form: SentForm<"token">) =>
  Redacted.make((form.get("token") ?? "").trim().replace(/^.*#(gift=)?/s, ""))

const isKey = Schema.is(SessionIdempotencyKey)

/** Returns the path below that of a text, where a gift of it is opened. */
const openPath = (postId: PostId): string => `${readPath(postId)}/gift`

/** Serves the page that opens a gift. */
export const GiftOpenRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { offer, postOf, redeem } = yield* Redemptions
    const random = yield* SecureRandom.SecureRandom
    const { trustedProxies } = yield* Settings
    const { reader } = yield* makeBrowser
    const reading = yield* makeReading
    const count = yield* limiting
    const { answering, json, page, readForm, sameForm, seeOther } = yield* makePrivatePages

    const asked = (isRefused: boolean) =>
      Effect.map(random.uuidV4(), (key) => page(giftPage({ key, isRefused }), isRefused ? 403 : 200))

    const show = Effect.andThen(count("access"), asked(false))

    const opening = Effect.gen(function* () {
      const form = yield* readForm({ key: LENGTHS.word, token: LENGTHS.url })
      yield* count("access")
      const key = form.get("key")
      if (!isKey(key)) return yield* new FormRefused({ status: 400 })
      return { key, token: tokenIn(form) }
    })

    /** Sends the form on to the text of its gift. */
    const forward = Effect.gen(function* () {
      const { token } = yield* opening
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* postOf(token, clientOf(request, trustedProxies)).pipe(
        Effect.map((postId) => sameForm(openPath(postId))),
        Effect.catchTag("GiftInvalid", () => asked(true))
      )
    })

    /** Names the post of a code to the script of the page: null for a code that opens nothing. */
    const named = Effect.gen(function* () {
      const form = yield* readForm({ token: LENGTHS.url })
      yield* count("access")
      const request = yield* HttpServerRequest.HttpServerRequest
      return yield* offer(tokenIn(form), clientOf(request, trustedProxies)).pipe(
        Effect.catchTag("GiftInvalid", () => Effect.succeedNone),
        Effect.map((found) => json(Option.getOrNull(found)))
      )
    })

    const open = Effect.gen(function* () {
      const { key, token } = yield* opening
      const postId = yield* postIdOf
      const presented = yield* reading.asked(postId)
      if (yield* reading.hasText(presented)) return seeOther(readPath(postId))
      const { client } = presented
      const ownerId = yield* reader
      const receipt = Option.getOrThrow(receiptOfGift({ token, idempotencyKey: Option.some(key) }))
      return yield* redeem({
        token,
        postId,
        reader: { ownerId, client },
        idempotencyKey: ownerId === null ? key : undefined,
        receipt: ownerId === null ? receipt : undefined
      }).pipe(
        Effect.andThen(ownerId === null ? reading.keep(postId, receipt.token) : Effect.succeed(identity)),
        Effect.map((kept) => kept(seeOther(readPath(postId)))),
        Effect.catchTag("GiftInvalid", () => asked(true)),
        Effect.catchTag(
          ["AlreadyPurchased", "GiftExhausted", "GiftExpired", "GiftRevoked", "PostIsFree", "PostWithdrawn"],
          ({ _tag }) => Effect.succeed(seeOther(refusedGiftPath(postId, _tag)))
        )
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/gift", answering(show)),
      addPrivatePage("POST", "/gift", answering(forward)),
      addPrivatePage("POST", OFFER, answering(named)),
      addPrivatePage("POST", "/read/:postId/gift", answering(open))
    )
  })
)
