/** One kind of problem, as `GET /problems/<slug>` explains it and the OpenAPI document describes it. */
export interface ProblemKind {
  readonly status: number
  readonly title: string
  /** Tells the caller the cause, in one or two sentences. */
  readonly meaning: string
  /** Tells the caller the next step. */
  readonly remedy: string
}

/**
 * Every problem of the service, by slug. `type` on the wire is `{base_url}/problems/<slug>` (spec 7.1).
 *
 * Programs depend on slugs: a release may add some and renames none.
 */
export const problems = {
  "malformed-json": {
    status: 400,
    title: "The body is not JSON",
    meaning: "The service cannot parse the body as JSON in UTF-8.",
    remedy: "Send a UTF-8 JSON document and repeat the request."
  },
  "malformed-request": {
    status: 400,
    title: "The request is not HTTP",
    meaning: "The request line, a header or the framing of the body could not be read as HTTP/1.1.",
    remedy: "Send the request with an HTTP client, with only the path in the request line."
  },
  "request-timeout": {
    status: 408,
    title: "The request took too long",
    meaning: "The headers or the body of the request did not arrive in time.",
    remedy: "Send the request again, over a faster connection if it has a large body."
  },
  "headers-too-large": {
    status: 431,
    title: "The headers are too large",
    meaning: "The request line and the headers of a request are at most 16 KiB together.",
    remedy: "Send fewer or shorter headers, or a shorter path and query."
  },
  "malformed-multipart": {
    status: 400,
    title: "The body is not multipart/form-data",
    meaning: "The service cannot find the parts of the body, or the body ended before its last part.",
    remedy:
      "Send `multipart/form-data` with one part `file`, as HTTP clients build it, and repeat the request."
  },
  "invalid-credential": {
    status: 401,
    title: "The credential is missing, invalid or expired",
    meaning:
      "The Authorization header holds no credential that this operation accepts. The credential may also have expired or been revoked.",
    remedy:
      "Send `Authorization: Bearer <credential>` with the kind that `detail` names: an owner session or a Publishing key."
  },
  "invalid-challenge": {
    status: 401,
    title: "The claim does not prove control of the account",
    meaning:
      "The challenge is unknown, expired or used, or the account did not make this signature over its message.",
    remedy:
      "Ask for a new challenge, sign its message with the account's key and claim it within five minutes."
  },
  "invalid-code": {
    status: 401,
    title: "The code does not prove control of the mailbox",
    meaning:
      "The code is wrong, used, older than ten minutes or replaced by a newer one. Five wrong tries also end a code.",
    remedy: "Ask for a new code; the mailbox can receive one every 60 seconds."
  },
  "session-expired": {
    status: 401,
    title: "The owner session has ended",
    meaning:
      "The refresh token is unknown, expired, revoked or used. A token that is used twice ends every session of its login.",
    remedy: "Sign in again with the same wallet or the same e-mail address."
  },
  forbidden: {
    status: 403,
    title: "The account may not do this",
    meaning: "The credential is valid, but its account lacks something that this operation needs.",
    remedy: "Read `detail`: it names the missing thing."
  },
  "account-restricted": {
    status: 403,
    title: "The account is restricted",
    meaning:
      "A moderator restricted the account. It can sign in and read, but nothing of it is public until the restriction ends.",
    remedy:
      "Read `detail`: it says the reason, if the moderator wrote one, and how to reach the operator. Reads, logout and the revocation of keys still work."
  },
  "not-found": {
    status: 404,
    title: "Nothing here for this caller",
    meaning:
      "This path or id leads to nothing that the caller may see. Resources of other owners get the same answer.",
    remedy: "Check the path, the id and the credential."
  },
  "method-not-allowed": {
    status: 405,
    title: "The path does not answer to this method",
    meaning: "The path exists, but only with other methods.",
    remedy: "Use one of the methods in the Allow header."
  },
  "handle-taken": {
    status: 409,
    title: "The handle is taken",
    meaning: "Another account holds this handle. Handles that differ only in case are the same.",
    remedy: "Choose another handle; `GET /api/profile/handle-availability` gives a hint."
  },
  "slug-taken": {
    status: 409,
    title: "The slug is taken",
    meaning: "Another Post of the same author has this slug.",
    remedy: "Choose another slug, or omit it and the service makes one from the title."
  },
  "key-already-issued": {
    status: 409,
    title: "A key was already issued for this request",
    meaning: "This request repeats one that issued a key. The service shows a secret once and never again.",
    remedy: "Use the secret that you saved, or rotate the key in `apiKey` for a new one."
  },
  "registration-closed": {
    status: 403,
    title: "The site takes no new accounts",
    meaning:
      "The operator of the site has closed registration, by mail and by wallet. Existing accounts can still sign in.",
    remedy: "Sign in with an existing account, or ask the operator of the site."
  },
  "registration-not-verified": {
    status: 409,
    title: "The registration is not verified",
    meaning: "The service issues the key of a registration only after its code is confirmed.",
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
    meaning: "An owner has at most five active Publishing keys.",
    remedy: "Revoke a key that you no longer use, or rotate one."
  },
  "schedule-limit-reached": {
    status: 409,
    title: "The owner has 100 scheduled Posts",
    meaning: "At most 100 publications of an owner wait for their moment.",
    remedy: "Cancel one with `DELETE /api/v1/posts/{postId}/schedule`, or wait until one is published."
  },
  "webhook-limit-reached": {
    status: 409,
    title: "The owner has ten webhooks",
    meaning: "An owner has at most ten webhooks.",
    remedy: "Delete a webhook that you no longer use, or change its URL."
  },
  "webhook-disabled": {
    status: 409,
    title: "The webhook is turned off",
    meaning: "A webhook that is turned off gets nothing.",
    remedy: "Turn it on with `enabled: true`, and repeat the request."
  },
  "idempotency-conflict": {
    status: 409,
    title: "The Idempotency-Key was used for another request",
    meaning: "A key names one request. This request differs from the one that first had the key.",
    remedy: "Send a new Idempotency-Key with a new request."
  },
  "idempotency-mismatch": {
    status: 409,
    title: "The Idempotency-Key was used for another Post",
    meaning: "A key names one creation for 24 hours. This body differs from the one that first had the key.",
    remedy: "Send a new Idempotency-Key for a new Post."
  },
  "idempotency-key-spent": {
    status: 409,
    title: "The result of this Idempotency-Key is no longer true",
    meaning: "The key published or unpublished a Post once, but the Post has since been changed back.",
    remedy: "Send a new Idempotency-Key to publish or unpublish the Post again."
  },
  "revision-conflict": {
    status: 409,
    title: "The resource has changed since it was read",
    meaning: "The revision is not the current one, or another edit happened during the request.",
    remedy: "Read the resource again, apply the change to it and send its new revision."
  },
  "post-published": {
    status: 409,
    title: "The Post is published",
    meaning: "A published Post cannot be deleted, and its slug cannot change.",
    remedy: "Unpublish the Post first."
  },
  "post-withdrawn": {
    status: 409,
    title: "A moderator withdrew the Post",
    meaning: "A moderator withdrew the Post from the public. It stays a draft until a moderator restores it.",
    remedy:
      "Read `detail`: it says the reason, if the moderator wrote one, and how to reach the operator. You can edit the draft meanwhile."
  },
  "post-has-purchases": {
    status: 409,
    title: "The Post has been bought",
    meaning: "Buyers keep the Posts that they paid for, so the service cannot delete this one.",
    remedy: "Unpublish the Post, or leave it unpublished: only its buyers see it then."
  },
  "financial-history-retained": {
    status: 409,
    title: "The Post has a financial history",
    meaning:
      "Tips, payments or payment sessions, finished or not, refer to the Post. The service keeps such Posts.",
    remedy: "Unpublish the Post, or leave it unpublished: only its buyers see it then."
  },
  "upload-conflict": {
    status: 409,
    title: "The Idempotency-Key was used for another file",
    meaning: "A key names one upload of one file to one target. This request has another file or target.",
    remedy: "Send a new Idempotency-Key with another file."
  },
  "screening-blocked": {
    status: 409,
    title: "The file is held",
    meaning:
      "An administrator holds the image or ZIP during the review of an incident. Readers cannot see it.",
    remedy:
      "Stop using its URL. `safety` shows the state of the upload; the operation continues when the hold is released."
  },
  "import-in-progress": {
    status: 409,
    title: "An import is under way",
    meaning:
      "An account has one import under way at a time, and one that reads or makes drafts cannot be deleted.",
    remedy: "Wait until `importId` is done, or cancel it first."
  },
  "import-offset": {
    status: 409,
    title: "The piece does not follow the bytes that are here",
    meaning: "Pieces of a file are sent in order, and each begins where the one before it ended.",
    remedy: "Send the piece that begins at the byte `received`."
  },
  "import-state": {
    status: 409,
    title: "The import cannot do this now",
    meaning: "The state of the import does not allow this step.",
    remedy: "Read the import: `state` says what it does, and `detail` what to do first."
  },
  "account-deleted": {
    status: 410,
    title: "The account was deleted",
    meaning: "The address begins with the handle of an account that was deleted within the last year.",
    remedy: "Remove the link. The author may have published the Post elsewhere."
  },
  "resource-gone": {
    status: 410,
    title: "What the request is about is gone",
    meaning:
      "The request created a Post, which has since been deleted. Or its cursor is older than the events that are kept.",
    remedy:
      "Send a new Idempotency-Key to create another Post. For events, begin without a cursor, and read what you missed by other operations."
  },
  "length-required": {
    status: 411,
    title: "The request does not say how long it is",
    meaning: "The Content-Length is missing where an upload needs it, or is not a number.",
    remedy: "Send the body with a Content-Length and without chunked transfer encoding."
  },
  "payload-too-large": {
    status: 413,
    title: "The body is too large",
    meaning:
      "A JSON body is at most 4 MiB for a Post and 16 KiB otherwise. An inline image is at most 5 MiB, any other image 2 MiB, a ZIP 25 MiB. The rest of an upload's request is at most 512 KiB.",
    remedy: "Send a smaller body; the documentation of the operation states its limit."
  },
  "unsupported-media-type": {
    status: 415,
    title: "The operation does not read this content type",
    meaning:
      "JSON operations read `application/json` in UTF-8. Uploads read `multipart/form-data`. No operation reads a compressed body.",
    remedy: "Set the Content-Type that the operation reads, and leave Content-Encoding out."
  },
  validation: {
    status: 422,
    title: "The request is not valid",
    meaning: "One or more members of the request break a rule; `errors` names them.",
    remedy: "Correct the named members and repeat the request. The service saved nothing."
  },
  "profile-incomplete": {
    status: 422,
    title: "The profile is not complete",
    meaning: "A Post is published under a name and a handle that the owner chose.",
    remedy: "Set the members in `errors` with `PATCH /api/v1/profile`."
  },
  "publication-incomplete": {
    status: 422,
    title: "The Post is not ready to be public",
    meaning: "A public Post needs everything that `errors` lists.",
    remedy: "Supply the missing things and repeat the request."
  },
  "content-not-editable": {
    status: 422,
    title: "The section cannot be rewritten as Markdown",
    meaning: "The stored section holds content that Markdown cannot express, and a rewrite would lose it.",
    remedy: "Omit the section from the request; see `contentEditability` of the Post."
  },
  "paid-content-required": {
    status: 422,
    title: "The Post's files need a paid section",
    meaning: "Files belong to the paid section of the Post, so it cannot be empty.",
    remedy: "Keep some text in paidContentMarkdown, or remove the files first."
  },
  "paid-post-required": {
    status: 422,
    title: "The Post's files need a paywall",
    meaning: "Files belong to the paid section of the Post, so the Post cannot become free.",
    remedy: "Keep enablePaywall true, or remove the files first."
  },
  "rate-limited": {
    status: 429,
    title: "Too many requests",
    meaning: "A rate limit is used up; RateLimit-Policy and RateLimit name it.",
    remedy: "Repeat the request after the seconds in Retry-After."
  },
  "storage-quota-reached": {
    status: 409,
    title: "The account's storage is full",
    meaning: "The sections of its Posts, its images and its ZIPs take as many bytes as an account may store.",
    remedy: "Delete drafts or cancel images that you no longer need, then repeat the request."
  },
  "upload-limit-reached": {
    status: 429,
    title: "The Profile's uploads have reached a limit",
    meaning:
      "A Profile has at most 10 unfinished images with 25 MiB of staged bytes. It has at most 3 unfinished ZIPs with 75 MiB. It sends at most 10 images and ZIPs a minute, 100 a day and 250 MiB a day. A Post has at most 5 ZIPs of 100 MiB together. `limit` names the limit.",
    remedy:
      "Let operations of `GET /api/v1/upload-operations` finish, or cancel some. Take a ZIP off a full Post. Repeat the request after the seconds in Retry-After."
  },
  "internal-error": {
    status: 500,
    title: "Something failed in the service",
    meaning: "An unexpected error occurred in the service.",
    remedy: "Repeat the request later. Quote the X-Request-Id of the answer when you ask for help."
  },
  "dependency-unavailable": {
    status: 503,
    title: "A dependency is unavailable",
    meaning: "The database or another service that this operation needs does not answer.",
    remedy: "Repeat the request with the same token or key after the seconds in Retry-After."
  }
} as const satisfies Record<string, ProblemKind>

export type ProblemSlug = keyof typeof problems
