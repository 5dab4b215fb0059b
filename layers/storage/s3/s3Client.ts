import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3"
import { NodeHttpHandler } from "@smithy/node-http-handler"
import { Duration, Effect, Redacted, Result, Schedule, Schema } from "effect"
import { failureOf, isTransient, mayRefuseHeader, S3Failure } from "./s3Failure.ts"
import { parseS3Url, type S3Bucket } from "./s3Url.ts"

/** `S3_URL` cannot be used. The message does not repeat the URL, which holds a secret. */
export class S3UrlInvalid extends Schema.TaggedError<S3UrlInvalid>()("S3UrlInvalid", {
  problem: Schema.String
}) {
  override get message() {
    return `S3_URL cannot be used: ${this.problem}`
  }
}

/** Time to connect. */
const CONNECTION_TIMEOUT_MILLIS = 5_000

/** Time from the request to the headers of the answer, and for each piece of a body that is read. */
const ANSWER_TIMEOUT = Duration.seconds(15)

/** Further time for work on bytes that the store has already, such as a copy of an object of many parts. */
export const WORK_MILLIS = 27_000

/**
 * Returns the further time for a body, whose sending counts as time to the headers. It allows 64 KiB a second, so
 * that 8 MiB have two minutes, as long as a whole upload.
 */
export const sendingMillis = (size: number) => Math.ceil(size / 64)

export interface Options {
  /** The result of `parseS3Url`. The bucket must exist and keep no versions, or nothing is removed for good. */
  readonly url: Redacted.Redacted
  /** Time for each answer and for each piece of a body; 15 seconds by default. */
  readonly timeout?: Duration.Input | undefined
}

/** Three more attempts within a second; none after five seconds, as the store hangs then. */
const retries = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ times: 3, duration: "5 seconds" })
)

/** Settings that would else come from the environment or `~/.aws`, which may belong to another store. */
const configOf = (bucket: S3Bucket, requestTimeout: number): S3ClientConfig => ({
  endpoint: bucket.endpoint,
  region: bucket.region,
  credentials: {
    accessKeyId: Redacted.value(bucket.accessKeyId),
    secretAccessKey: Redacted.value(bucket.secretAccessKey)
  },
  forcePathStyle: true,
  maxAttempts: 1,
  retryMode: "standard",
  defaultsMode: "standard",
  // This adapter adds the checksums itself.
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  // An `Expect` header would cost a round trip for each body above 2 MiB.
  expectContinueHeader: false,
  authSchemePreference: ["aws.auth#sigv4"],
  disableS3ExpressSessionAuth: true,
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "pennypress",
  requestHandler: new NodeHttpHandler({
    // Slow readers hold theirs open, and the server limits how many readers there are.
    httpAgent: { maxSockets: Infinity },
    httpsAgent: { maxSockets: Infinity },
    connectionTimeout: CONNECTION_TIMEOUT_MILLIS,
    requestTimeout,
    throwOnRequestTimeout: true
  })
})

interface SendOptions {
  readonly abortSignal: AbortSignal
  readonly requestTimeout: number
}

export type WithSha256 = <A>(
  send: (hasSha256: boolean) => Effect.Effect<A, S3Failure>
) => Effect.Effect<A, S3Failure>

/** A bucket and a way to send requests to it. */
export interface S3 extends S3Bucket {
  /** Time for each answer and each piece of a body. */
  readonly timeoutMillis: number
  /**
   * Makes the function that sends the requests of one object: with SHA-256 checksums, or without them from the first
   * request on for which the store refuses them. Some stores do not know the headers, and S3 wants them with all parts
   * of an object or with none.
   */
  readonly makeWithSha256: () => WithSha256
  /**
   * Sends a request, and again after a transient failure: every request may be sent twice. An interruption aborts it.
   * `moreMillis` extends the deadline of an attempt.
   */
  readonly request: <A>(
    send: (client: S3Client, options: SendOptions) => Promise<A>,
    moreMillis?: number
  ) => Effect.Effect<A, S3Failure>
}

/**
 * Creates a client that the scope closes. It sends nothing yet, so that the service starts while the store is
 * unavailable.
 */
export const connectS3 = Effect.fn("connectS3")(function* (options: Options) {
  const bucket = yield* Effect.fromResult(
    Result.mapError(parseS3Url(options.url), (problem) => new S3UrlInvalid({ problem }))
  )
  const timeoutMillis = Duration.toMillis(options.timeout ?? ANSWER_TIMEOUT)
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new S3Client(configOf(bucket, timeoutMillis))),
    (client) => Effect.sync(() => client.destroy())
  )
  const request: S3["request"] = (send, moreMillis = 0) =>
    Effect.tryPromise({
      try: (abortSignal) => send(client, { abortSignal, requestTimeout: timeoutMillis + moreMillis }),
      catch: failureOf
    }).pipe(
      // The deadline of the client ends with the headers, and the rest of the answer may never come.
      Effect.timeoutOrElse({
        duration: 2 * timeoutMillis + moreMillis,
        orElse: () => Effect.fail(new S3Failure({ code: "TimeoutError" }))
      }),
      Effect.retry({ schedule: retries, while: isTransient })
    )
  let isKnown = true
  const refusal = Effect.suspend(() => {
    if (!isKnown) return Effect.void
    isKnown = false
    return Effect.logInfo("The object store refuses SHA-256 checksums: MD5 alone protects what it gets")
  })
  const makeWithSha256: S3["makeWithSha256"] = () => {
    let isSent = isKnown
    return (send) =>
      Effect.suspend(() => {
        const wasSent = isSent
        return Effect.catchIf(
          send(wasSent),
          (failure) => wasSent && mayRefuseHeader(failure),
          () =>
            Effect.tap(send(false), () => {
              isSent = false
              return refusal
            })
        )
      })
  }
  return { ...bucket, timeoutMillis, request, makeWithSha256 } satisfies S3
})
