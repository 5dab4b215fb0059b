import { Effect, identity, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Access, type AccessRequest } from "../../payments/access/Access.ts"
import { Receipts } from "../../payments/receipts/Receipts.ts"
import { browserReceiptOf } from "../../payments/sessions/browserSecret.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { makeBrowser } from "../browser/http.ts"
import { BUYER_COOKIE, buyerSecretFrom } from "./receipt.ts"

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

  /** Returns the receipt of this browser for a Post, if it has one. */
  const receiptOf = Effect.fnUntraced(function* (postId: PostId) {
    const known = yield* shownSecret
    const own = known === undefined ? undefined : browserReceiptOf(known, postId).token
    return own !== undefined && (yield* receipts.has(postId, own)) ? own : undefined
  })

  /** Returns what this browser presents for a Post. */
  const asked = Effect.fnUntraced(function* (postId: PostId) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const presented: AccessRequest = {
      postId,
      ownerId: yield* account,
      version: "current",
      receipt: yield* receiptOf(postId),
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
    /** Keeps what this browser has bought for another year, once it reads a text with its receipt. */
    renewed: Effect.map(shownSecret, (known) => (known === undefined ? identity : buyerCookie.set(known))),
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
