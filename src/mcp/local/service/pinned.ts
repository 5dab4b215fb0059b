import { Duration, Effect, type Scope, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { TOOL_SERVER_VERSION } from "../../../../schemas/mcp/edition.ts"
import { wholeAnswer, wholeAnswers } from "../../../platform/http-client/wholeAnswers.ts"
import { retried } from "./retries.ts"

/** Maximum number of bytes of a JSON answer. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

/** Time until the headers of an answer, and for a whole call. */
const HEADERS_MILLIS = 15_000
const CALL_MILLIS = 30_000

/** Time for a transfer of a file, and the longest time without a byte of it. */
const TRANSFER_MILLIS = 120_000
const SILENCE_MILLIS = 30_000

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse
type Answer = Effect.Effect<Response, HttpClientError.HttpClientError>

const transport = (request: Request, description: string) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, description })
  })

const within =
  (millis: number) =>
  <R>(answer: Effect.Effect<Response, HttpClientError.HttpClientError, R>, request: Request) =>
    Effect.timeoutOrElse(answer, {
      duration: Duration.millis(millis),
      orElse: () => Effect.fail(transport(request, "No answer in time"))
    })

/** Refuses a request to another origin, and an answer that leads to another place. */
const staying =
  (origin: string) =>
  (answer: Answer, request: Request): Answer => {
    const url = URL.parse(request.url)
    if (url === null || url.origin !== origin) {
      return Effect.fail(
        new HttpClientError.HttpClientError({ reason: new HttpClientError.InvalidUrlError({ request }) })
      )
    }
    return Effect.filterOrFail(
      answer,
      ({ status }) => status < 300 || status >= 400,
      (response) =>
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.StatusCodeError({ request, response })
        })
    )
  }

const common = (client: HttpClient.HttpClient, origin: string) =>
  client.pipe(
    HttpClient.mapRequest(
      HttpClientRequest.setHeaders({
        "cache-control": "no-cache",
        "user-agent": `svc-mcp/${TOOL_SERVER_VERSION}`
      })
    ),
    HttpClient.transform(staying(origin))
  )

/**
 * Returns the client of every call to the service. It uses only the pinned origin, follows no redirect, limits time and
 * bytes, and repeats requests that may be repeated.
 */
export const pinned =
  (origin: string, firstWaitMillis: number) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    common(client, origin).pipe(
      wholeAnswers(ANSWER_BYTES_MAX, within(HEADERS_MILLIS)),
      HttpClient.transform(within(CALL_MILLIS)),
      HttpClient.transform(retried(firstWaitMillis))
    )

/**
 * Returns the client of uploads, whose bytes take longer than a call. They are sent once: a repeat first asks the service
 * for what arrived (spec 4.4.7).
 */
export const pinnedUploads =
  (origin: string) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    common(client, origin).pipe(wholeAnswers(ANSWER_BYTES_MAX), HttpClient.transform(within(TRANSFER_MILLIS)))

/**
 * Returns the client of downloads. An answer with the status 200 is a stream, which `bounded` bounds and whose
 * connection ends with the scope. Any other answer is read whole, like that of a call, and its request is repeated if
 * it may be.
 */
export const pinnedDownloads =
  (origin: string, firstWaitMillis: number) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient.With<HttpClientError.HttpClientError, Scope.Scope> =>
    HttpClient.withScope(common(client, origin)).pipe(
      HttpClient.transform(within(HEADERS_MILLIS)),
      HttpClient.transform((answer, request) =>
        Effect.filterOrElse(
          answer,
          ({ status }) => status === 200,
          (response) => within(CALL_MILLIS)(wholeAnswer(ANSWER_BYTES_MAX)(response), request)
        )
      ),
      HttpClient.transform(retried(firstWaitMillis))
    )

/** Ends a stream of bytes that is silent for too long, or takes too long in all. */
export const bounded =
  (request: Request) =>
  <A, R>(
    bytes: Stream.Stream<A, HttpClientError.HttpClientError, R>
  ): Stream.Stream<A, HttpClientError.HttpClientError, R> =>
    bytes.pipe(
      Stream.timeoutOrElse({
        duration: Duration.millis(SILENCE_MILLIS),
        orElse: () => Stream.fail(transport(request, "No bytes in time"))
      }),
      Stream.interruptWhen(
        Effect.delay(Effect.fail(transport(request, "The transfer takes too long")), TRANSFER_MILLIS)
      )
    )
