import { Effect, identity, Redacted } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Access, type AccessRequest } from "../../payments/access/Access.ts"
import { Receipts } from "../../payments/receipts/Receipts.ts"
import { browserReceiptOf } from "../../payments/sessions/browserSecret.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { makeBrowser } from "../browser/http.ts"
import { BUYER_COOKIE, buyerSecretFrom, formerReceiptCookie, receiptFrom } from "./receipt.ts"

/** Refusals after which the reader is asked for a receipt. */
export const LOCKED = [
  "PaymentRequired",
  "ReceiptInvalid",
  "PaymentsDisabled",
  "PostWithdrawn",
  "GiftRevoked",
  "SettlementPending",
  "LedgerAway",
  "AttachmentPending"
] as const

/** Refusals of gift tokens and payments, which these requests never carry. */
export const UNASKED = [
  "GiftExhausted",
  "GiftExpired",
  "GiftInvalid",
  "InvalidPayload",
  "InvalidX402Version",
  "PaymentIdentifierConflict"
] as const

/**
 * Makes the functions that read a Post for a browser: by its account, or by the receipt that is derived from the secret in its
 * cookie.
 */
export const makeReading = Effect.gen(function* () {
  const access = yield* Access
  const receipts = yield* Receipts
  const secrets = yield* Secrets
  const { trustedProxies } = yield* Settings
  const { account } = yield* makeBrowser
  const { cookie } = yield* makePrivatePages
  const buyerCookie = cookie(...BUYER_COOKIE)

  const shownSecret = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    buyerSecretFrom(buyerCookie.read(request))
  )

  /** Returns the secret of this browser, and gives it one if it has none. The answer has to keep it. */
  const secret = Effect.gen(function* () {
    return (yield* shownSecret) ?? Redacted.make(yield* secrets.token)
  })

  /** Returns the receipt of this browser for a Post, if it has one: its own, or that of a cookie of an earlier release. */
  const receiptOf = Effect.fnUntraced(function* (postId: PostId) {
    const known = yield* shownSecret
    const own = known === undefined ? undefined : browserReceiptOf(known, postId).token
    if (own !== undefined && (yield* receipts.has(postId, own))) return { receipt: own, isFormer: false }
    const former = cookie(...formerReceiptCookie(postId)).read(yield* HttpServerRequest.HttpServerRequest)
    const shown = receiptFrom(former === undefined ? undefined : Redacted.value(former))
    const receipt = shown !== undefined && (yield* receipts.has(postId, shown)) ? shown : undefined
    return { receipt, isFormer: receipt !== undefined }
  })

  /** Returns what this browser presents for a Post. */
  const asked = Effect.fnUntraced(function* (postId: PostId) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const presented: AccessRequest = {
      postId,
      ownerId: yield* account,
      version: "current",
      receipt: (yield* receiptOf(postId)).receipt,
      gift: undefined,
      payment: undefined,
      client: clientOf(request, trustedProxies)
    }
    return presented
  })

  /** Keeps what a receipt opens in this browser. */
  const keep = Effect.fnUntraced(function* (postId: PostId, receipt: Redacted.Redacted) {
    const own = yield* secret
    yield* receipts.copy(postId, receipt, browserReceiptOf(own, postId))
    return buyerCookie.set(own)
  })

  return {
    secret,
    shownSecret,
    keepSecret: buyerCookie.set,
    asked,
    keep,
    /**
     * Takes the receipt of an earlier release over, and keeps what this browser has for another year. The earlier cookie ends
     * once the browser has shown that it kept its secret: of tabs that open together, each makes one, and one is kept.
     */
    keepReceipt: Effect.fnUntraced(function* (postId: PostId) {
      const { isFormer, receipt } = yield* receiptOf(postId)
      if (isFormer && receipt !== undefined) return yield* keep(postId, receipt)
      const known = yield* shownSecret
      if (known === undefined || receipt === undefined) return identity
      const { clear, read } = cookie(...formerReceiptCookie(postId))
      const hasFormer = read(yield* HttpServerRequest.HttpServerRequest) !== undefined
      return (response: HttpServerResponse.HttpServerResponse) =>
        buyerCookie.set(known)(hasFormer ? clear(response) : response)
    }),
    /** Returns true if this browser has the text already: it needs to pay for it, or to open a gift, no more. */
    hasText: Effect.fnUntraced(function* (request: AccessRequest) {
      if (request.ownerId === null && request.receipt === undefined) return false
      return yield* access.read(request).pipe(
        Effect.as(true),
        Effect.catchTag([...LOCKED, "NotFound"], () => Effect.succeed(false)),
        Effect.catchTag(UNASKED, Effect.die)
      )
    })
  }
})
