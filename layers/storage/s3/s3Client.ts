import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3"
import { NodeHttpHandler } from "@smithy/node-http-handler"
import { Duration, Effect, Redacted, Result, Schedule, Schema } from "effect"
import { failureOf, isTransient, S3Failure } from "./s3Failure.ts"
import { parseS3Url, type S3Bucket } from "./s3Url.ts"

/** `S3_URL` cannot be used. The problem does not repeat the URL, which holds a secret. */
export class S3UrlInvalid extends Schema.TaggedError<S3UrlInvalid>()("S3UrlInvalid", {
  problem: Schema.String
}) {
  override get message() {
    return `S3_URL cannot be used: ${this.problem}`
  }
}

/** For the connection alone. */
const CONNECTION_TIMEOUT_MILLIS = 1_000

/** From the request to the answer's headers, and for each piece of a body that is read. */
const ANSWER_TIMEOUT = Duration.seconds(3)

/** More for what the store does with bytes that it has already, such as to copy an object of many parts. */
export const WORK_MILLIS = 27_000

/**
 * More for a body, as the time to the answer's headers has its sending in it: it may be as slow as 256 KiB in a
 * second, where 8 MiB need half a minute.
 */
export const sendingMillis = (size: number) => Math.ceil(size / 256)

export interface Options {
  /** As `parseS3Url` reads it. The bucket must be there and have no versions, or nothing is removed for good. */
  readonly url: Redacted.Redacted
  /** How long to wait for each answer, and for each piece of a body; 3 s unless told. */
  readonly timeout?: Duration.Input | undefined
}

/** Three more times, within a second; not again when five have gone by, as then the store hangs. */
const retries = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ times: 3, duration: "5 seconds" })
)

/** Nothing is left to the environment or to `~/.aws`, which may be about another store. */
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
  // Every body has its checksums from us.
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  // It costs a round trip and a connection for each body above 2 MiB.
  expectContinueHeader: false,
  authSchemePreference: ["aws.auth#sigv4"],
  disableS3ExpressSessionAuth: true,
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: "pennypress",
  requestHandler: new NodeHttpHandler({
    connectionTimeout: CONNECTION_TIMEOUT_MILLIS,
    requestTimeout,
    throwOnRequestTimeout: true
  })
})

interface SendOptions {
  readonly abortSignal: AbortSignal
  readonly requestTimeout: number
}

/** A bucket that can be asked. */
export interface S3 extends S3Bucket {
  /** For each answer and each piece of a body. */
  readonly timeoutMillis: number
  /**
   * Sends one request, and again when it failed in a way that passes: all that is sent may be sent twice. An
   * interruption aborts it. Each attempt may take some time more than others when that is told.
   */
  readonly request: <A>(
    send: (client: S3Client, options: SendOptions) => Promise<A>,
    moreMillis?: number
  ) => Effect.Effect<A, S3Failure>
}

/** A client that is closed with the scope. Nothing is asked yet: a store that is away keeps nobody from starting. */
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
      // The client's own time-out ends with the headers, and the rest of the answer may never come.
      Effect.timeoutOrElse({
        duration: 2 * timeoutMillis + moreMillis,
        orElse: () => Effect.fail(new S3Failure({ code: "TimeoutError" }))
      }),
      Effect.retry({ schedule: retries, while: isTransient })
    )
  return { ...bucket, timeoutMillis, request } satisfies S3
})
