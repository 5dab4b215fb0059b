import { Option, Predicate, Schema } from "effect"

/**
 * A failure of the store: the status and code of its answer, or the code of the connection's error. It has none of the
 * store's words, which may repeat access keys, signatures and signed text.
 */
export class S3Failure extends Schema.TaggedError<S3Failure>()("S3Failure", {
  /** Code of S3 or Node, such as `SlowDown` or `ECONNRESET`. */
  code: Schema.String,
  /** Status of the answer; absent without one. */
  status: Schema.optionalKey(Schema.Int),
  /** Name of the request in the store's own log. */
  requestId: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const status = this.status === undefined ? "" : ` (${this.status})`
    const request = this.requestId === undefined ? "" : `, request ${this.requestId}`
    return `${meanings.get(this.code) ?? "The object store did not do it"}: ${this.code}${status}${request}`
  }
}

const CLOCKS_DIFFER = "RequestTimeTooSkewed"

const CREDENTIALS = "The object store refuses the credentials of S3_URL"

const REDIRECT =
  "The address of S3_URL redirects to another one, which is not followed: check its endpoint and region"

/** Failures that an operator must fix. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["NoSuchBucket", "The bucket of S3_URL does not exist"],
  ["PermanentRedirect", "The bucket of S3_URL is in another region"],
  ["AuthorizationHeaderMalformed", "The bucket of S3_URL is in another region"],
  ["TemporaryRedirect", REDIRECT],
  ["301", REDIRECT],
  ["302", REDIRECT],
  ["307", REDIRECT],
  ["308", REDIRECT],
  ["InvalidAccessKeyId", CREDENTIALS],
  ["SignatureDoesNotMatch", CREDENTIALS],
  ["AccessDenied", CREDENTIALS],
  ["403", CREDENTIALS],
  [CLOCKS_DIFFER, "The clock of this machine and that of the object store differ"],
  ["QuotaExceeded", "The object store is full"]
])

/** Returns true when only an operator can fix the failure. */
export const isOursToMend = (failure: S3Failure) => meanings.has(failure.code)

const TRANSIENT_STATUSES = new Set([429, 500, 502, 503, 504])

/** Codes of a request that was cut or damaged on its way, which S3 answers with 400, and others that pass. */
const TRANSIENT_CODES = new Set([
  "RequestTimeout",
  "BadDigest",
  "XAmzContentSHA256Mismatch",
  "XAmzContentChecksumMismatch",
  "IncompleteBody",
  // The client has corrected its clock by the answer.
  CLOCKS_DIFFER,
  // The code of our own deadline.
  "TimeoutError",
  // Codes of Node: the connection failed, was cut, or carried something else than HTTP.
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ERR_STREAM_PREMATURE_CLOSE"
])

/** Returns true when the same request may succeed in a moment. */
export const isTransient = ({ code, status }: S3Failure) =>
  TRANSIENT_CODES.has(code) ||
  code.startsWith("HPE_") ||
  (status !== undefined && TRANSIENT_STATUSES.has(status))

const REFUSING_STATUSES = new Set([400, 403, 501])
/** Codes of such answers that have another reason than a header. */
const OTHER_REASONS = new Set([
  "NoSuchBucket",
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
  "InvalidAccessKeyId",
  "AccessDenied",
  "403",
  "QuotaExceeded"
])

/** Returns true when the store may have refused a header that it does not know. Stores have no code in common for it. */
export const mayRefuseHeader = (failure: S3Failure) =>
  failure.status !== undefined &&
  REFUSING_STATUSES.has(failure.status) &&
  !OTHER_REASONS.has(failure.code) &&
  !isTransient(failure)

/** The answer to `HEAD` has no body, so its code is 404 alone. */
export const isNotFound = ({ code }: S3Failure) => code === "NoSuchKey" || code === "NotFound"

/** Returns true for an upload in parts that is complete, aborted or unknown. */
export const isGone = ({ code }: S3Failure) => code === "NoSuchUpload"

/** Returns true when the range begins after the end of the object. */
export const isBehindEnd = ({ code, status }: S3Failure) => code === "InvalidRange" || status === 416

const SdkError = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(Schema.String),
  $metadata: Schema.optionalKey(
    Schema.Struct({
      httpStatusCode: Schema.optionalKey(Schema.UndefinedOr(Schema.Int)),
      requestId: Schema.optionalKey(Schema.UndefinedOr(Schema.String)),
      clockSkewCorrected: Schema.optionalKey(Schema.Boolean)
    })
  )
})
const decodeSdkError = Schema.decodeUnknownOption(SdkError)

/** A code, and no text that could hold a secret. */
const NAME = /^[\w.:-]{1,128}$/u
/** Names that the SDK gives to an answer without a code. */
const NAMELESS = new Set(["Error", "Unknown", "UnknownError"])
const named = (text: string | undefined) => (text !== undefined && NAME.test(text) ? text : undefined)

/** Reads an error of the SDK or of its socket. */
export const failureOf = (cause: unknown): S3Failure => {
  const error = Option.getOrElse(decodeSdkError(cause), (): typeof SdkError.Type => ({}))
  const status = error.$metadata?.httpStatusCode
  const requestId = named(error.$metadata?.requestId)
  // The code of a socket error stands beside the name `Error`. The code of an answer is its name, if the answer has a
  // body.
  const name = named(error.name) ?? "Error"
  const isNameless = status !== undefined && NAMELESS.has(name)
  // The answer to `HEAD` does not name a difference of clocks, but the client has seen it.
  const isSkewed = isNameless && status === 403 && error.$metadata?.clockSkewCorrected === true
  const ofAnswer = isSkewed ? CLOCKS_DIFFER : `${status}`
  return new S3Failure({
    code: isNameless ? ofAnswer : ((status === undefined ? named(error.code) : undefined) ?? name),
    ...(Predicate.isNotUndefined(status) ? { status } : {}),
    ...(Predicate.isNotUndefined(requestId) ? { requestId } : {})
  })
}
