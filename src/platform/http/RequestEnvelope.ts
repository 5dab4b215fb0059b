import { Clock, Context, Effect, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { UnsupportedMediaType } from "../../../schemas/platform/errors/common.ts"
import { Site } from "../pages/Site.ts"
import { Settings } from "../ports/Settings.ts"
import { clientOf } from "../rate-limits/clientAddress.ts"
import { ClientRequests } from "../rate-limits/ClientRequests.ts"
import { quotaHeaders } from "../rate-limits/quotaHeaders.ts"
import type { RateLimitExceeded } from "../rate-limits/RateLimits.ts"
import { logAccess } from "./accessLog.ts"
import { answerCause } from "./answerCause.ts"
import { errorAnswer } from "./errorAnswer.ts"
import { makeErrorPages } from "./errorPages.ts"
import { answerInexactPath } from "./exactPaths.ts"
import { isPrivateCaller } from "./localCallers.ts"
import { idOfRequest } from "./requestId.ts"
import { withResponseHeaders } from "./responseHeaders.ts"
import { routeOf } from "./route.ts"
import { type ServicePath, ServicePaths } from "./ServicePaths.ts"

/**
 * Refuses a body that is compressed, which no operation reads; returns undefined for any other request. The answer says
 * so in `Accept-Encoding` (RFC 7694).
 */
const refuseCodedBody = (
  { headers, url }: HttpServerRequest.HttpServerRequest,
  pathOf: (url: string) => ServicePath | undefined
) => {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? ""
  if (coding === "" || coding === "identity") return undefined
  const error = new UnsupportedMediaType({
    detail: "Send the body uncompressed, without Content-Encoding. This service reads no compressed body."
  })
  return errorAnswer(error, pathOf(url)?.family ?? "problem", { "accept-encoding": "identity" })
}

/** Targets of supervisors. */
const SUPERVISED = new Set([
  "/health/live",
  "/health/ready",
  "/health/ready?for=reads",
  "/health/ready?for=writes",
  "/metrics"
])

/** Returns true for a supervisor, which must learn the truth even if its address is that of a flood. */
const isSupervisor = (request: HttpServerRequest.HttpServerRequest) =>
  SUPERVISED.has(request.url) && isPrivateCaller(request)

const answerRefused = (error: RateLimitExceeded, path: ServicePath | undefined, factor: number) => {
  const { limit, retryAfterSeconds } = error
  return errorAnswer(error, path?.family ?? "problem", {
    "retry-after": String(retryAfterSeconds),
    ...quotaHeaders({ limit, remaining: 0, resetSeconds: retryAfterSeconds }, factor)
  })
}

/**
 * Surrounds every request. It gives the response its request id and headers, answers unmatched requests and clients
 * that send too many, and writes metrics and log lines. One middleware does all this because every request passes through it.
 */
export const layer = HttpRouter.middleware(
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    const asPage = makeErrorPages(yield* Site)
    const { count } = yield* ClientRequests
    const paths = yield* ServicePaths
    const { rateLimitFactor, trustedProxies } = yield* Settings

    return (routed) =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const clock = fiber.getRef(Clock.Clock)
        const started = clock.currentTimeNanosUnsafe()

        const finish = (requestId: string) => (answered: HttpServerResponse.HttpServerResponse) => {
          const { status } = answered
          const route = routeOf(fiber.context)
          const found = paths.all().get(route)
          // A hidden page that is not found is answered as a path that does not exist.
          const path = found?.isHidden === true && status === 404 ? undefined : found
          // A preflight, and a method that a path does not have, have no route.
          const named =
            path ?? (status >= 400 || request.method === "OPTIONS" ? paths.ofUrl(request.url) : undefined)
          const response = status < 400 ? answered : asPage(answered, request, named)
          const varies = status >= 400 && path?.isPublicRead === true
          const isPrivate = named?.isPrivate === true
          const nanos = Number(clock.currentTimeNanosUnsafe() - started)
          return Effect.as(
            logAccess(fiber, { method: request.method, route, status, nanos }),
            withResponseHeaders(response, requestId, { isPrivate, varies })
          )
        }

        const counting = isSupervisor(request)
          ? undefined
          : count(clientOf(request, trustedProxies), clock.currentTimeMillisUnsafe())
        // An answer about an inexact path takes time, so the limit decides first.
        const allowed = () =>
          answerInexactPath(request.method, request.url, paths) ??
          refuseCodedBody(request, paths.ofUrl) ??
          routed
        const answer =
          counting === undefined
            ? Effect.suspend(allowed)
            : Effect.matchEffect(counting, {
                onSuccess: allowed,
                onFailure: (error) => answerRefused(error, paths.ofUrl(request.url), rateLimitFactor)
              })

        return Effect.flatMap(idOfRequest(request.headers, random), (requestId) =>
          answer.pipe(
            // Every failure is handled here. The type says otherwise because the router accepts no middleware that
            // handles all of them.
            Effect.catchCause((cause): Effect.Effect<HttpServerResponse.HttpServerResponse, unknown> =>
              answerCause(cause, request, paths.all().get(routeOf(fiber.context)), paths)
            ),
            Effect.flatMap(finish(requestId)),
            Effect.provideService(References.CurrentLogAnnotations, {
              ...fiber.getRef(References.CurrentLogAnnotations),
              requestId
            })
          )
        )
      })
  }),
  { global: true }
)
