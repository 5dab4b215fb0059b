import { Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Access, type AccessRequest } from "../../payments/access/Access.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { makeBrowser } from "../browser/http.ts"
import { receiptCookie, receiptFrom } from "./receipt.ts"

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

/** Makes the functions that read a Post for a browser: by its account, or by the receipt in its cookie. */
export const makeReading = Effect.gen(function* () {
  const access = yield* Access
  const { trustedProxies } = yield* Settings
  const { account } = yield* makeBrowser
  const { cookie } = yield* makePrivatePages

  /** Returns the cookie of a Post's receipt. Browsers send it only to paths below that of the text. */
  const keptFor = (postId: PostId) => cookie(...receiptCookie(postId))

  /** Returns what this browser presents for a Post. */
  const asked = Effect.fnUntraced(function* (postId: PostId) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const value = keptFor(postId).read(request)
    const presented: AccessRequest = {
      postId,
      ownerId: yield* account,
      version: "current",
      receipt: receiptFrom(value === undefined ? undefined : Redacted.value(value)),
      gift: undefined,
      payment: undefined,
      client: clientOf(request, trustedProxies)
    }
    return presented
  })

  return {
    keptFor,
    asked,
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
