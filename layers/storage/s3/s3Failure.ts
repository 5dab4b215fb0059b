import { Option, Predicate, Schema } from "effect"

/**
 * Why the store did not do it: the answer's status and code, or the code of what happened to the connection. It has
 * none of the store's own words, as those repeat access keys, signatures and what was signed.
 */
export class S3Failure extends Schema.TaggedError<S3Failure>()("S3Failure", {
  /** As S3 or Node name it, such as `SlowDown` or `ECONNRESET`. */
  code: Schema.String,
  /** Of the answer; absent when there was none. */
  status: Schema.optionalKey(Schema.Int),
  /** What the store's own log calls the request. */
  requestId: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const status = this.status === undefined ? "" : ` (${this.status})`
    const request = this.requestId === undefined ? "" : `, request ${this.requestId}`
    return `${meanings.get(this.code) ?? "The object store did not do it"}: ${this.code}${status}${request}`
  }
}

const CREDENTIALS = "The object store refuses the credentials of S3_URL"

/** What an operator has to mend. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["NoSuchBucket", "The bucket of S3_URL does not exist"],
  ["PermanentRedirect", "The bucket of S3_URL is in another region"],
  ["AuthorizationHeaderMalformed", "The bucket of S3_URL is in another region"],
  ["InvalidAccessKeyId", CREDENTIALS],
  ["SignatureDoesNotMatch", CREDENTIALS],
  ["AccessDenied", CREDENTIALS],
  ["403", CREDENTIALS],
  ["RequestTimeTooSkewed", "The clock of this machine and that of the object store differ"],
  ["QuotaExceeded", "The object store is full"]
])

/** Whether somebody has to mend the configuration, as waiting does not. */
export const isOursToMend = (failure: S3Failure) => meanings.has(failure.code)

const TRANSIENT_STATUSES = new Set([429, 500, 502, 503, 504])

/** The request was cut or damaged on its way, which S3 answers with 400. */
const TRANSIENT_CODES = new Set([
  "RequestTimeout",
  "BadDigest",
  "IncompleteBody",
  // Our own for a time-out.
  "TimeoutError",
  // Node's for a connection that was not made, was cut, or said what is not HTTP.
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

/** Whether the same request may succeed in a moment. */
export const isTransient = ({ code, status }: S3Failure) =>
  TRANSIENT_CODES.has(code) ||
  code.startsWith("HPE_") ||
  (status !== undefined && TRANSIENT_STATUSES.has(status))

/** `HEAD` has no body that could say more than 404. */
export const isNotFound = ({ code }: S3Failure) => code === "NoSuchKey" || code === "NotFound"

/** The range begins behind the end of the object. */
export const isBehindEnd = ({ code, status }: S3Failure) => code === "InvalidRange" || status === 416

const SdkError = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(Schema.String),
  $metadata: Schema.optionalKey(
    Schema.Struct({
      httpStatusCode: Schema.optionalKey(Schema.UndefinedOr(Schema.Int)),
      requestId: Schema.optionalKey(Schema.UndefinedOr(Schema.String))
    })
  )
})
const decodeSdkError = Schema.decodeUnknownOption(SdkError)

/** A name that somebody gave, and no text that could hold anything. */
const NAME = /^[\w.:-]{1,128}$/u
/** What the SDK calls an answer that named no code. */
const NAMELESS = new Set(["Error", "Unknown", "UnknownError"])
const named = (text: string | undefined) => (text !== undefined && NAME.test(text) ? text : undefined)

/** What an error of the SDK, or of the socket below it, says. */
export const failureOf = (cause: unknown): S3Failure => {
  const error = Option.getOrElse(decodeSdkError(cause), (): typeof SdkError.Type => ({}))
  const status = error.$metadata?.httpStatusCode
  const requestId = named(error.$metadata?.requestId)
  // A socket's error has a code beside the name `Error`; an answer's has its code as the name, if it had a body.
  const name = named(error.name) ?? "Error"
  const isNameless = status !== undefined && NAMELESS.has(name)
  return new S3Failure({
    code: isNameless ? `${status}` : ((status === undefined ? named(error.code) : undefined) ?? name),
    ...(Predicate.isNotUndefined(status) ? { status } : {}),
    ...(Predicate.isNotUndefined(requestId) ? { requestId } : {})
  })
}
