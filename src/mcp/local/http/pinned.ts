import { Context, Duration, Effect, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { TOOL_SERVER_VERSION } from "../../../../schemas/mcp/edition.ts"
import { retried } from "./retries.ts"

/** Bytes of an answer of JSON, at most. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024

/** Time until the headers of an answer, and for a whole call. */
const HEADERS_MILLIS = 15_000
const CALL_MILLIS = 30_000

/** Time for a transfer of a file, and the longest time without a byte of it. */
const TRANSFER_MILLIS = 120_000
const SILENCE_MILLIS = 30_000

/** Returns true while a file is sent: its bytes may take longer than a call. */
export const Transferring = Context.Reference<boolean>("pennypress/mcp/local/http/Transferring", {
  defaultValue: () => false
})

type Request = HttpClientRequest.HttpClientRequest
type Response = HttpClientResponse.HttpClientResponse
type Answer<E = HttpClientError.HttpClientError> = Effect.Effect<Response, E>

const transport = (request: Request, description: string) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, description })
  })

const within = (request: Request, millis: number) =>
  Effect.timeoutOrElse({
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

/** Reads the whole body of an answer, up to the bound. */
const whole = Effect.fnUntraced(function* (response: Response) {
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  let size = 0
  yield* Stream.runForEach(response.stream, (part) => {
    size += part.length
    if (size > ANSWER_BYTES_MAX) {
      const reason = new HttpClientError.DecodeError({ request: response.request, response })
      return Effect.fail(new HttpClientError.HttpClientError({ reason }))
    }
    parts.push(new Uint8Array(part))
    return Effect.void
  }).pipe(
    Effect.catchIf(
      // An answer without a body has no stream to read.
      ({ reason }) => reason._tag === "EmptyBodyError",
      () => Effect.void
    )
  )
  const isEmpty = response.status === 204 || response.status === 304
  const body = isEmpty ? null : new Blob(parts)
  const headers = new Headers(Object.entries(response.headers))
  return HttpClientResponse.fromWeb(
    response.request,
    new Response(body, { status: response.status, headers })
  )
})

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
 * Returns the client of every call to the service: it keeps to the pinned origin, follows no redirect, bounds time and
 * bytes, and repeats what may be repeated.
 */
export const pinned =
  (origin: string, firstWaitMillis: number) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    common(client, origin).pipe(
      HttpClient.transform((answer, request) =>
        Effect.flatMap(Transferring, (isTransfer) =>
          within(
            request,
            isTransfer ? TRANSFER_MILLIS : HEADERS_MILLIS
          )(answer).pipe(Effect.flatMap(whole), within(request, isTransfer ? TRANSFER_MILLIS : CALL_MILLIS))
        )
      ),
      HttpClient.transform(retried(firstWaitMillis))
    )

/**
 * Returns the client of transfers, whose answers are streams, and which are sent once. It bounds the time until the
 * headers; `bounded` bounds the bytes that follow.
 */
export const pinnedStreams =
  (origin: string) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient =>
    HttpClient.transform(common(client, origin), (answer, request) =>
      Effect.flatMap(Transferring, (isTransfer) =>
        within(request, isTransfer ? TRANSFER_MILLIS : HEADERS_MILLIS)(answer)
      )
    )

/** Ends a stream of bytes that is silent for too long. */
export const bounded =
  (request: Request) =>
  <A, R>(
    bytes: Stream.Stream<A, HttpClientError.HttpClientError, R>
  ): Stream.Stream<A, HttpClientError.HttpClientError, R> =>
    Stream.timeoutOrElse(bytes, {
      duration: Duration.millis(SILENCE_MILLIS),
      orElse: () => Stream.fail(transport(request, "No bytes in time"))
    })
