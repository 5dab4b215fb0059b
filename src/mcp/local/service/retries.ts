import { Clock, Context, Effect, Random } from "effect"
import { HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"

/** Maximum number of times that one request is sent within a call. */
const ATTEMPTS_MAX = 3

/** Time after which a call repeats nothing. */
const CALL_MILLIS = 45_000

/** The longest `Retry-After` that a call waits for. */
const RETRY_AFTER_SECONDS_MAX = 20

/** Milliseconds before a request is sent for the second time; the next wait is twice as long. */
export const FirstWaitMillis = Context.Reference<number>("pennypress/mcp/local/service/FirstWaitMillis", {
  defaultValue: () => 500
})

/** Marks a write that has the same effect however often it is sent, although it has no key. */
const IsRepeatable = Context.Reference<boolean>("pennypress/mcp/local/service/IsRepeatable", {
  defaultValue: () => false
})

/** Marks a call that sets a desired state, so that it is sent again after a lost answer. */
export const repeatable = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(call, IsRepeatable, true)

type Response = HttpClientResponse.HttpClientResponse

const hasKey = ({ headers, method }: HttpClientRequest.HttpClientRequest) =>
  method === "GET" || method === "HEAD" || "idempotency-key" in headers || "payment-signature" in headers

/** Returns the milliseconds to wait before the request is sent again; undefined for a final answer. */
const waitOf = ({ headers, status }: Response, backoff: number): number | undefined => {
  if (status !== 429 && status !== 503) return undefined
  const seconds = Number(headers["retry-after"] ?? Number.NaN)
  if (Number.isNaN(seconds)) return status === 503 ? backoff : undefined
  return seconds <= RETRY_AFTER_SECONDS_MAX ? Math.max(seconds * 1_000, backoff) : undefined
}

/** Returns the failure of an attempt for which the call has no time left. */
const late = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.fail(
    new HttpClientError.HttpClientError({
      reason: new HttpClientError.TransportError({ request, description: "No answer in time" })
    })
  )

/** Repeats a request after a lost connection, a short 429 or a 503, with the same key and bytes. */
export const retried =
  (firstWaitMillis: number) =>
  <R>(
    answer: Effect.Effect<Response, HttpClientError.HttpClientError, R>,
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<Response, HttpClientError.HttpClientError, R> =>
    Effect.gen(function* () {
      const mayRepeat = hasKey(request) || (yield* IsRepeatable)
      if (!mayRepeat) return yield* answer
      const end = (yield* Clock.currentTimeMillis) + CALL_MILLIS
      for (let attempt = 1; ; attempt++) {
        const left = end - (yield* Clock.currentTimeMillis)
        const result = yield* Effect.result(
          Effect.timeoutOrElse(answer, { duration: left, orElse: () => late(request) })
        )
        const backoff = firstWaitMillis * 2 ** (attempt - 1) * (1 + (yield* Random.next) / 2)
        const wait =
          result._tag === "Success"
            ? waitOf(result.success, backoff)
            : result.failure.reason._tag === "TransportError"
              ? backoff
              : undefined
        const isLast = wait === undefined || attempt === ATTEMPTS_MAX
        if (isLast || (yield* Clock.currentTimeMillis) + wait >= end) return yield* Effect.fromResult(result)
        yield* Effect.sleep(wait)
      }
    })
