import { Cause, Clock, Context, Effect, LogLevel, Metric, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFoundProblem } from "../../../schemas/platform/errors/common.ts"
import {
  InternalError,
  InternalProblem,
  Unavailable,
  UnavailableProblem
} from "../../../schemas/platform/errors/families.ts"
import { unavailableDependency } from "../sql/unavailable.ts"
import { errorAnswer } from "./errorAnswer.ts"
import { logUnavailable } from "./families.ts"
import { pathOfUrl, servicePaths } from "./paths.ts"
import { refuseMethod, ROUTED_METHODS } from "./unmatched.ts"

type Request = HttpServerRequest.HttpServerRequest

/** A request id that a caller may choose: 1 to 128 visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** Seconds that a caller waits before it repeats a request that a lost dependency failed. */
const RETRY_AFTER_SECONDS = "2"

const duration = Metric.histogram("http_request_duration_seconds", {
  description: "How long requests took, from their headers to their answer",
  boundaries: Metric.boundariesFromIterable([
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
  ])
})

// One series per route and status class; made once, as the attributes of each are always the same.
const series = new Map<string, typeof duration>()
const durationOf = (method: string, route: string, status: number) => {
  const key = `${method} ${route} ${status}`
  const known = series.get(key)
  if (known !== undefined) return known
  const made = Metric.withAttributes(duration, { method, route, status: String(status) })
  series.set(key, made)
  return made
}

const exposed = [
  "X-Request-Id",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "x-idempotency-replay",
  "ETag",
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE"
].join(", ")

/** What an answer does not say otherwise is its caller's alone: no cache may keep it. */
const headersOf = (requestId: string, { headers: own, status }: HttpServerResponse.HttpServerResponse) => {
  const headers: Record<string, string> = {
    "cache-control": own["cache-control"] ?? "private, no-store",
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "referrer-policy": own["referrer-policy"] ?? "strict-origin-when-cross-origin",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": exposed
  }
  if (status === 401) headers["www-authenticate"] = "Bearer"
  if (status === 503) headers["retry-after"] = RETRY_AFTER_SECONDS
  return headers
}

/** What a caller that has gone away is said to have got; nothing is sent any more. */
const CLIENT_CLOSED_REQUEST = HttpServerResponse.empty({ status: 499 })

const isClientAbort = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some((it) => it._tag === "Interrupt" && it.annotations.has(HttpServerError.ClientAbort.key))

/**
 * Failures that no operation answered: an unknown path, the end of the server, and whatever died outside the families.
 * None is left, though the type says so: the router takes no middleware that handles the errors of others.
 */
const answerCause = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  request: Request,
  route: string
): Effect.fn.Return<HttpServerResponse.HttpServerResponse, unknown> {
  const isJson = servicePaths.get(route)?.isJson === true
  if (Cause.hasInterruptsOnly(cause)) {
    if (isClientAbort(cause)) return CLIENT_CLOSED_REQUEST
    return yield* errorAnswer(isJson ? new Unavailable() : new UnavailableProblem({}))
  }
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    const path = ROUTED_METHODS.has(request.method) ? undefined : pathOfUrl(request.url)
    return yield* path === undefined ? errorAnswer(new NotFoundProblem({})) : refuseMethod(path)
  }
  const dependency = unavailableDependency(error)
  if (dependency !== undefined) {
    yield* logUnavailable(dependency, cause)
    return yield* errorAnswer(isJson ? new Unavailable() : new UnavailableProblem({}))
  }
  yield* Effect.logError("A request died", cause)
  return yield* errorAnswer(isJson ? new InternalError() : new InternalProblem({}))
})

/** Reads are seen in the metrics; what changes something or fails is a line of the log. */
const levelOf = (method: string, status: number): LogLevel.Severity => {
  if (status >= 500) return "Error"
  const isRead = method === "GET" || method === "HEAD" || method === "OPTIONS"
  return isRead && status < 400 ? "Debug" : "Info"
}

/**
 * What every response has, whatever answered it (contract of all operations): a request id, safety and CORS headers,
 * a family for what nothing else answered, a metric and a line of the log. On the way of every request, hence plain.
 */
export const EdgeLive = HttpRouter.middleware(
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom

    return (answer) =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const clock = fiber.getRef(Clock.Clock)
        const started = clock.currentTimeNanosUnsafe()

        const routeOf = () =>
          Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route.path ?? "unknown"

        const finish = (requestId: string) => (response: HttpServerResponse.HttpServerResponse) => {
          const { status } = response
          const nanos = Number(clock.currentTimeNanosUnsafe() - started)
          const route = routeOf()
          durationOf(request.method, route, status).updateUnsafe(nanos / 1e9, fiber.context)
          const answered = HttpServerResponse.setHeaders(response, headersOf(requestId, response))
          const level = levelOf(request.method, status)
          if (!LogLevel.isGreaterThanOrEqualTo(level, fiber.getRef(References.MinimumLogLevel))) {
            return Effect.succeed(answered)
          }
          const line = Effect.logWithLevel(level)("request")
          const annotated = Effect.annotateLogs(line, {
            method: request.method,
            route,
            status,
            milliseconds: nanos / 1e6
          })
          return Effect.as(annotated, answered)
        }

        const run = (requestId: string) =>
          answer.pipe(
            Effect.catchCause((cause) => answerCause(cause, request, routeOf())),
            Effect.flatMap(finish(requestId)),
            Effect.provideService(References.CurrentLogAnnotations, {
              ...fiber.getRef(References.CurrentLogAnnotations),
              requestId
            })
          )

        const sent = request.headers["x-request-id"]
        return sent !== undefined && REQUEST_ID.test(sent) ? run(sent) : Effect.flatMap(random.uuidV7(), run)
      })
  }),
  { global: true }
)
