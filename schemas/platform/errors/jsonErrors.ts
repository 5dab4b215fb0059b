/** One kind of error of the ordinary JSON family. */
export interface JsonErrorKind {
  readonly status: keyof typeof statusMessages
  /** Tells the caller the cause and the next step, unless an error has a sentence of its own. */
  readonly message: string
  /** The code on the wire, where another status has the same code. */
  readonly code?: string
  /** Names of members on the wire, where they differ from those of the class. */
  readonly renamed?: Readonly<Record<string, string>>
}

/** Reason phrases of the statuses of spec 7 (RFC 9110, section 15). */
export const statusMessages = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable"
} as const

/**
 * Every error of the ordinary JSON family (spec 7.2), by its `data.code`. Programs depend on codes: a release may add
 * some and renames none.
 */
export const jsonErrors = {
  malformed_json: {
    status: 400,
    message: "Send the body as JSON in UTF-8: the service cannot parse this one"
  },
  invalid_members: {
    status: 400,
    message: "Correct the members that errors names"
  },
  unknown_parameter: {
    status: 400,
    message: "The query has an unknown parameter: correct those that errors names"
  },
  self_follow: {
    status: 400,
    message: "Follow another owner: this id is your own"
  },
  no_pending_email: {
    status: 400,
    message: "No change of the e-mail address is pending; ask for one first"
  },
  invalid_payload: {
    status: 400,
    message:
      "PAYMENT-SIGNATURE is not the base64 of a payment: send x402Version, accepted and payload.block as JSON of at most 8192 characters. Nothing was sent to the ledger"
  },
  invalid_x402_version: {
    status: 400,
    message: "The payment is not of x402 version 2: send x402Version 2. Nothing was sent to the ledger"
  },
  unauthorized: {
    status: 401,
    message: "The credential is missing, invalid or expired"
  },
  own_target: {
    status: 403,
    message: "This is your own: react to the Posts and Comments of others"
  },
  forbidden: {
    status: 403,
    message: "The account may not do this"
  },
  comments_disabled: {
    status: 403,
    message: "The author of this Post does not accept Comments"
  },
  account_restricted: {
    status: 403,
    message:
      "A moderator restricted this account: it can read but cannot change anything. Ask the operator of the service why"
  },
  invalid_confirmation: {
    status: 403,
    message:
      "The handle, the signature or the code does not confirm the deletion: ask for a new challenge, and send the handle of this account"
  },
  receipt_invalid: {
    status: 403,
    message:
      "The receipt does not give access to this Post: send the receipt that its purchase returned, or leave the header out"
  },
  gift_invalid: {
    status: 403,
    message:
      "The gift token does not give access to this Post: ask the person who gave it to you, or leave the header out"
  },
  session_invalid: {
    status: 403,
    message:
      "The token does not belong to this payment session: send the token that you got when you created it"
  },
  not_found: {
    status: 404,
    message: "Nothing here for this caller: check the path and the id"
  },
  method_not_allowed: {
    status: 405,
    message: "The path does not answer to this method: use one that the Allow header names"
  },
  already_closing: {
    status: 409,
    message: "The account is closing already: read when it is erased, or keep it"
  },
  deletion_due: {
    status: 409,
    message: "The account can no longer be kept: its time is over, and it is being erased"
  },
  duplicate_report: {
    status: 409,
    message: "You already reported this: moderators have the report"
  },
  email_taken: {
    status: 409,
    message: "Another account has this address; log in there, or confirm another one"
  },
  wallet_taken: {
    status: 409,
    message: "This wallet signs in to another account; sign in with it there, or link another wallet"
  },
  wallet_already_linked: {
    status: 409,
    message: "The account already has another wallet, which cannot be replaced; sign in with that wallet"
  },
  idempotency_key_conflict: {
    status: 409,
    message: "The Idempotency-Key names an earlier request with different content: send a new key"
  },
  payment_identifier_conflict: {
    status: 409,
    message:
      "The payment-identifier names an earlier payment with different content: repeat that payment, or use a new identifier. This payment was not sent to the ledger"
  },
  already_purchased: {
    status: 409,
    message: "You already own this Post: read it at its access URL, without a payment"
  },
  already_owned: {
    status: 409,
    message: "This account or another one already has this purchase: check the list of your purchases"
  },
  post_is_free: {
    status: 409,
    message: "The Post is free: read it without a payment or a gift"
  },
  tipping_unavailable: {
    status: 409,
    message: "The recipient has no payout address yet, so tips are not possible. Nothing was sent"
  },
  own_tip_target: {
    status: 409,
    code: "own_target",
    message: "This is your own: tip the Posts, Comments and Profiles of others"
  },
  block_already_used: {
    status: 409,
    message: "The block already paid for something else: name another block"
  },
  block_unconfirmed: {
    status: 409,
    message:
      "The ledger has not confirmed this block yet: check its hash, and repeat the request after data.retryAfter seconds",
    renamed: { retryAfterSeconds: "retryAfter" }
  },
  attachment_pending: {
    status: 409,
    message: "The attachment is still being screened: repeat the request after data.retryAfter seconds",
    renamed: { retryAfterSeconds: "retryAfter" }
  },
  nothing_owed: {
    status: 409,
    message: "The platform owes you nothing now: check fee.accruedRaw of the finance summary"
  },
  revision_conflict: {
    status: 409,
    message: "The payout address has another revision now: read it again, then send its revision"
  },
  gift_already_issued: {
    status: 409,
    message:
      "The Idempotency-Key already issued data.gift, and its token is shown only once: revoke that gift, or send a new key"
  },
  gift_limit_reached: {
    status: 409,
    message: "You have as many active gifts as an account may have: revoke one, or wait until one expires"
  },
  post_withdrawn: {
    status: 410,
    message: "The author withdrew the Post: it is no longer for sale. Nothing was sent to the ledger"
  },
  attachment_removed: {
    status: 410,
    message:
      "The file was removed. The payment bought the Post: read it at its access URL with the same payment, or with the receipt in X-Purchase-Receipt"
  },
  gift_expired: {
    status: 410,
    message: "The gift has expired: ask the person who gave it to you for a new one"
  },
  gift_revoked: {
    status: 410,
    message: "The author revoked the gift: ask the person who gave it to you for a new one"
  },
  gift_exhausted: {
    status: 410,
    message: "The gift has no redemptions left: ask the person who gave it to you for a new one"
  },
  payload_too_large: {
    status: 413,
    message: "Send a smaller body: the documentation of the operation states the limit"
  },
  unsupported_media_type: {
    status: 415,
    message: "Send the body as application/json in UTF-8"
  },
  range_not_satisfiable: {
    status: 416,
    message: "The range begins after the end of the file: Content-Range has its length"
  },
  validation: {
    status: 422,
    message: "Correct the members that errors names"
  },
  profile_incomplete: {
    status: 422,
    message: "Choose the members of the Profile that errors names, then repeat the request"
  },
  malformed_revision: {
    status: 422,
    message: "The revision is not the updatedAt of a Post, or X-Post-Revision and If-Match differ"
  },
  // 422, where the problem has 401, because the session of this caller is valid. A client that took the answer for an
  // ended session would use up its tries with refreshed tokens.
  invalid_code: {
    status: 422,
    message: "The code is wrong, expired or replaced, or was guessed wrongly five times; ask for a new one"
  },
  // 422 for the same reason.
  invalid_challenge: {
    status: 422,
    message:
      "The challenge is unknown, expired, used or another account's, or the wallet did not sign its message; ask for a new one with POST /api/v1/account/wallet/challenge"
  },
  claim_mismatch: {
    status: 422,
    message:
      "The block does not pay for this Post: name a confirmed block of the last 30 days that sends at least the price from your login wallet to the author"
  },
  refund_mismatch: {
    status: 422,
    message:
      "The block does not refund this sale: name a confirmed block that sends to the payer at most the amount not yet refunded"
  },
  rate_limited: {
    status: 429,
    message: "Too many requests: repeat this one after the seconds in Retry-After",
    renamed: { retryAfterSeconds: "retryAfter" }
  },
  internal_error: {
    status: 500,
    message:
      "Something failed in the service: repeat the request later, or ask for help with the X-Request-Id"
  },
  comment_not_reloaded: {
    status: 503,
    message:
      "The Comment is saved, but could not be read back: repeat the request with the same Idempotency-Key to get it"
  },
  settlement_pending: {
    status: 503,
    message:
      "The payment was accepted and is not yet confirmed: repeat this very request after Retry-After seconds, and never sign another payment",
    renamed: { retryAfterSeconds: "retryAfter" }
  },
  ledger_unavailable: {
    status: 503,
    message:
      "The Nano ledger is unavailable, and nothing was sent to it: repeat this very request after Retry-After seconds"
  },
  payments_disabled: {
    status: 503,
    message: "This service takes no payments: free Posts and earlier purchases can still be read"
  },
  dependency_unavailable: {
    status: 503,
    message:
      "A dependency is unavailable: repeat the request with the same key or token after Retry-After seconds"
  }
} as const satisfies Readonly<Record<string, JsonErrorKind>>

export type JsonErrorCode = keyof typeof jsonErrors
