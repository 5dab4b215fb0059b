import { Clock, Context, Effect, Random } from "effect"
import type { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"

/** Times that one request is sent within a call, at most. */
const ATTEMPTS_MAX = 3

/** Time after which a call sends nothing again. */
const CALL_MILLIS = 45_000

/** The longest `Retry-After` that a call waits for. */
const RETRY_AFTER_SECONDS_MAX = 20

/** Milliseconds before a request is sent for the second time; the next wait is twice as long. */
export const FirstWaitMillis = Context.Reference<number>("pennypress/mcp/local/http/FirstWaitMillis", {
  defaultValue: () => 500
})

/** Says that a write has the same effect however often it is sent, though it has no key. */
const IsRepeatable = Context.Reference<boolean>("pennypress/mcp/local/http/IsRepeatable", {
  defaultValue: () => false
})

/** Marks a call that sets a desired state, so that it is sent again after a lost answer. */
export const repeatable = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(call, IsRepeatable, true)

type Response = HttpClientResponse.HttpClientResponse

const hasKey = ({ headers, method }: HttpClientRequest.HttpClientRequest) =>
  method === "GET" || method === "HEAD" || "idempotency-key" in headers || "payment-signature" in headers

/** Returns the milliseconds to wait before the request is sent again; undefined for an answer that stands. */
const waitOf = (response: Response, backoff: number): number | undefined => {
  if (response.status === 503) return backoff
  if (response.status !== 429) return undefined
  const seconds = Number(response.headers["retry-after"] ?? Number.NaN)
  return seconds <= RETRY_AFTER_SECONDS_MAX ? Math.max(seconds * 1_000, backoff) : undefined
}

/** Sends a request again after a lost connection, a 503 and a short 429: the same one, with the same key and bytes. */
export const retried =
  (firstWaitMillis: number) =>
  (
    answer: Effect.Effect<Response, HttpClientError.HttpClientError>,
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<Response, HttpClientError.HttpClientError> =>
    Effect.gen(function* () {
      const mayRepeat = hasKey(request) || (yield* IsRepeatable)
      if (!mayRepeat) return yield* answer
      const end = (yield* Clock.currentTimeMillis) + CALL_MILLIS
      for (let attempt = 1; ; attempt++) {
        const result = yield* Effect.result(answer)
        const backoff = firstWaitMillis * 2 ** (attempt - 1) * (1 + (yield* Random.next) / 2)
        const wait =
          result._tag === "Success"
            ? waitOf(result.success, backoff)
            : result.failure.reason._tag === "TransportError"
              ? backoff
              : undefined
        const isLast = wait === undefined || attempt === ATTEMPTS_MAX
        if (isLast || (yield* Clock.currentTimeMillis) + wait > end) return yield* Effect.fromResult(result)
        yield* Effect.sleep(wait)
      }
    })
