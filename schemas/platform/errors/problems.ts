/** One kind of problem: what `GET /problems/<slug>` explains and the OpenAPI document describes. */
export interface ProblemKind {
  readonly status: number
  readonly title: string
  /** What happened, in a sentence. */
  readonly meaning: string
  /** What the caller can do about it. */
  readonly remedy: string
}

/**
 * Every problem of the service, by slug. `type` on the wire is `{base_url}/problems/<slug>` (specification 7.1).
 * A slug is a promise to programs: it may be added, never renamed.
 */
export const problems = {
  "malformed-json": {
    status: 400,
    title: "The body is not JSON",
    meaning: "The request body could not be parsed as JSON.",
    remedy: "Send a UTF-8 JSON document and repeat the request."
  },
  "malformed-multipart": {
    status: 400,
    title: "The body is not multipart/form-data",
    meaning: "The parts of the body could not be told apart, or the body ended before its last part did.",
    remedy:
      "Send `multipart/form-data` with one part `file`, as HTTP clients build it, and repeat the request."
  },
  "invalid-credential": {
    status: 401,
    title: "The credential is missing, invalid or expired",
    meaning:
      "The Authorization header holds no credential that this operation accepts, or one that has expired or was revoked.",
    remedy:
      "Send `Authorization: Bearer <credential>` with the credential that the operation names: an owner session or a Publishing key."
  },
  "invalid-challenge": {
    status: 401,
    title: "The claim does not prove control of the account",
    meaning:
      "The challenge is unknown, expired or used, or the signature is not one that the account made over its message.",
    remedy:
      "Ask for a new challenge, sign its message with the account's key and claim it within five minutes."
  },
  "invalid-code": {
    status: 401,
    title: "The code does not prove control of the mailbox",
    meaning:
      "The code is wrong, older than ten minutes, used, or replaced by a newer one, or was guessed wrongly five times.",
    remedy: "Ask for a new code, once the mailbox has cooled down for 60 seconds."
  },
  "session-expired": {
    status: 401,
    title: "The owner session has ended",
    meaning:
      "The refresh token is unknown, expired, revoked, or was used before; a reused token ends its whole family.",
    remedy: "Sign in again with the same wallet or the same e-mail address."
  },
  forbidden: {
    status: 403,
    title: "The account may not do this",
    meaning: "The credential is valid, and its account lacks what this operation needs.",
    remedy: "Read `detail` for what is missing."
  },
  "not-found": {
    status: 404,
    title: "There is no such thing here",
    meaning:
      "Nothing answers to this path or id for this caller. What belongs to somebody else is answered alike.",
    remedy: "Check the path and the id."
  },
  "method-not-allowed": {
    status: 405,
    title: "The path does not answer to this method",
    meaning: "The path exists and has other methods.",
    remedy: "Use one of the methods in the Allow header."
  },
  "handle-taken": {
    status: 409,
    title: "The handle is taken",
    meaning: "Another account holds this handle. Handles are unique whatever their case.",
    remedy: "Choose another handle; `GET /api/profile/handle-availability` gives a hint."
  },
  "slug-taken": {
    status: 409,
    title: "The slug is taken",
    meaning: "Another Post of the same author has this slug.",
    remedy: "Choose another slug, or leave it out and let one be made from the title."
  },
  "key-already-issued": {
    status: 409,
    title: "A key was already issued for this request",
    meaning: "The request is a repeat of one that issued a key. The secret is shown once and never again.",
    remedy: "Use the secret that was saved, or rotate the key in `apiKey` for a new one."
  },
  "registration-not-verified": {
    status: 409,
    title: "The registration is not verified",
    meaning: "A key is issued for a registration once its code has come back.",
    remedy: "Send the six digits of the mail to `POST /api/v1/registrations/{registrationId}/verify`."
  },
  "email-taken": {
    status: 409,
    title: "The address has an account",
    meaning: "Another registration of the same address was verified first.",
    remedy: "Log in with the address: `POST /api/v1/auth/login`."
  },
  "key-limit-reached": {
    status: 409,
    title: "The owner has five active keys",
    meaning: "At most five Publishing keys of an owner are active at once.",
    remedy: "Revoke a key that is not used, or rotate one."
  },
  "idempotency-conflict": {
    status: 409,
    title: "The Idempotency-Key was used for another request",
    meaning: "A key names one request; this one has other contents than the one it was first sent with.",
    remedy: "Send a new Idempotency-Key with a new request."
  },
  "idempotency-mismatch": {
    status: 409,
    title: "The Idempotency-Key was used for another Post",
    meaning:
      "Within 24 hours a key names one creation; this body differs from the one it was first sent with.",
    remedy: "Send a new Idempotency-Key for a new Post."
  },
  "idempotency-key-spent": {
    status: 409,
    title: "The result of this Idempotency-Key is no longer true",
    meaning: "The key published or unpublished a Post once, and the Post was changed back since.",
    remedy: "Send a new Idempotency-Key to publish or unpublish the Post again."
  },
  "revision-conflict": {
    status: 409,
    title: "The resource has changed since it was read",
    meaning:
      "The revision that was sent is not the current one, or another edit happened during the request.",
    remedy: "Read the resource again, apply the change to what it is now and send its new revision."
  },
  "post-published": {
    status: 409,
    title: "The Post is published",
    meaning: "A published Post is not deleted, and its slug does not change.",
    remedy: "Unpublish the Post first."
  },
  "post-has-purchases": {
    status: 409,
    title: "The Post has been bought",
    meaning: "Somebody paid for the Post, and keeps what they paid for: it is not deleted.",
    remedy: "Leave the Post unpublished: nobody else sees it then."
  },
  "financial-history-retained": {
    status: 409,
    title: "The Post has a financial history",
    meaning: "Tips, payments or payment sessions name the Post, finished or not: it is not deleted.",
    remedy: "Leave the Post unpublished: nobody else sees it then."
  },
  "upload-conflict": {
    status: 409,
    title: "The Idempotency-Key was used for another image",
    meaning: "A key names one upload of one file to one target; this request has another file or target.",
    remedy: "Send a new Idempotency-Key with another image."
  },
  "screening-blocked": {
    status: 409,
    title: "The image is held",
    meaning: "An administrator holds the image while an incident is looked into; nobody is shown it.",
    remedy:
      "Stop using its URL. `safety` says where the upload stands; the same operation goes on once it is released."
  },
  "resource-gone": {
    status: 410,
    title: "The Post of this Idempotency-Key was deleted",
    meaning: "The creation was completed, and its Post was deleted since.",
    remedy: "Send a new Idempotency-Key to create another Post."
  },
  "length-required": {
    status: 411,
    title: "The request does not say how long it is",
    meaning: "An upload needs a valid Content-Length, which is what its limits are counted by.",
    remedy: "Send the body with a Content-Length and without chunked transfer encoding."
  },
  "payload-too-large": {
    status: 413,
    title: "The body is too large",
    meaning:
      "A JSON body is at most 4 MiB for a Post and 16 KiB otherwise. An inline image is at most 5 MiB, any other image 2 MiB; 512 KiB more surround an image.",
    remedy: "Send a smaller body; the documentation of the operation states its limit."
  },
  "unsupported-media-type": {
    status: 415,
    title: "The body has a content type that this operation does not read",
    meaning: "JSON operations read `application/json` only, and uploads `multipart/form-data`.",
    remedy: "Set the Content-Type that the operation reads."
  },
  validation: {
    status: 422,
    title: "The request is not valid",
    meaning: "One or more members of the request break a rule; `errors` names each of them.",
    remedy: "Correct the named members and repeat the request. Nothing was saved."
  },
  "profile-incomplete": {
    status: 422,
    title: "The profile is not complete",
    meaning: "A Post is published under a name and a handle of the owner's own choosing.",
    remedy: "Set the members in `errors` with `PATCH /api/v1/profile`."
  },
  "publication-incomplete": {
    status: 422,
    title: "The Post is not ready to be public",
    meaning: "A public Post needs everything that `errors` lists.",
    remedy: "Supply what is missing and repeat the request."
  },
  "content-not-editable": {
    status: 422,
    title: "The section cannot be rewritten as Markdown",
    meaning: "The stored section holds content that Markdown cannot express; rewriting it would lose that.",
    remedy: "Leave the section out of the request; see `contentEditability` of the Post."
  },
  "paid-content-required": {
    status: 422,
    title: "The Post's files need a paid section",
    meaning: "Files are attached to the paid section of the Post, so it cannot be empty.",
    remedy: "Keep some text in paidContentMarkdown, or remove the files first."
  },
  "paid-post-required": {
    status: 422,
    title: "The Post's files need a paywall",
    meaning: "Files are attached to the paid section of the Post, so the Post cannot become free.",
    remedy: "Keep enablePaywall true, or remove the files first."
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    meaning: "A rate limit is used up; RateLimit-Policy and RateLimit name it.",
    remedy: "Repeat the request after the seconds in Retry-After."
  },
  "upload-limit-reached": {
    status: 429,
    title: "The Profile's uploads have reached a limit",
    meaning:
      "At most 10 images are unfinished and 25 MiB staged at once; at most 10 uploads a minute, 100 a day and 250 MiB a day are taken.",
    remedy:
      "Let the operations of `GET /api/v1/upload-operations` finish or cancel some, and repeat the request after the seconds in Retry-After."
  },
  "internal-error": {
    status: 500,
    title: "Something failed on our side",
    meaning: "The service met a condition that it was not written for.",
    remedy: "Repeat the request later; quote the X-Request-Id of the response when asking for help."
  },
  "dependency-unavailable": {
    status: 503,
    title: "A dependency is unavailable",
    meaning: "The database or another service that this operation needs does not answer.",
    remedy: "Repeat the request with the same token or key after the seconds in Retry-After."
  }
} as const satisfies Record<string, ProblemKind>

export type ProblemSlug = keyof typeof problems
