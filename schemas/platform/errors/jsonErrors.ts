/** One kind of error of the ordinary JSON family. */
export interface JsonErrorKind {
  readonly status: keyof typeof statusMessages
  /** Tells the caller the cause and the next step, unless an error has a sentence of its own. */
  readonly message: string
  /** Names of members on the wire, where they differ from those of the class. */
  readonly renamed?: Readonly<Record<string, string>>
}

/** Reason phrases of the statuses of spec 7 (RFC 9110, section 15). */
export const statusMessages = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
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
  no_pending_email: {
    status: 400,
    message: "No change of the e-mail address is pending; ask for one first"
  },
  unauthorized: {
    status: 401,
    message: "The credential is missing, invalid or expired"
  },
  not_found: {
    status: 404,
    message: "Nothing here for this caller: check the path and the id"
  },
  method_not_allowed: {
    status: 405,
    message: "The path does not answer to this method: use one of the Allow header"
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
    message: "The account has another wallet, which stays; sign in with that wallet"
  },
  payload_too_large: {
    status: 413,
    message: "Send a smaller body: the documentation of the operation states the limit"
  },
  unsupported_media_type: {
    status: 415,
    message: "Send the body as application/json in UTF-8"
  },
  validation: {
    status: 422,
    message: "Correct the members that errors names"
  },
  malformed_revision: {
    status: 422,
    message: "The revision is not the updatedAt of a Post, or X-Post-Revision and If-Match differ"
  },
  // 422, where the problem has 401: the session of this caller is good. A client that took the answer for a lost session
  // would spend its tries on refreshed tokens.
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
  dependency_unavailable: {
    status: 503,
    message:
      "A dependency is unavailable: repeat the request with the same key or token after Retry-After seconds"
  }
} as const satisfies Readonly<Record<string, JsonErrorKind>>

export type JsonErrorCode = keyof typeof jsonErrors
