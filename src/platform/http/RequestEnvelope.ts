import { Clock, Context, Effect, References } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { logAccess } from "./accessLog.ts"
import { refuseInexactPath } from "./exactPaths.ts"
import { servicePaths } from "./paths.ts"
import { withRequestId } from "./requestId.ts"
import { withResponseHeaders } from "./responseHeaders.ts"
import { answerCause } from "./unanswered.ts"

/**
 * Surrounds every request. It gives the response its request id and headers, answers unmatched requests, and writes
 * metrics and log lines. One middleware does all this because every request passes through it.
 */
export const layer = HttpRouter.middleware(
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom

    return (routed) =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const clock = fiber.getRef(Clock.Clock)
        const started = clock.currentTimeNanosUnsafe()

        // The router puts the route into the context of the fiber.
        const routeOf = () =>
          Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route.path ?? "unknown"

        const finish = (requestId: string) => (response: HttpServerResponse.HttpServerResponse) => {
          const { status } = response
          const route = routeOf()
          const varies = status >= 400 && servicePaths.get(route)?.isPublicRead === true
          const nanos = Number(clock.currentTimeNanosUnsafe() - started)
          return Effect.as(
            logAccess(fiber, { method: request.method, route, status, nanos }),
            withResponseHeaders(response, requestId, varies)
          )
        }

        const answer = refuseInexactPath(request.url) ?? routed

        return withRequestId(request, random, (requestId) =>
          answer.pipe(
            // Every failure is handled here. The type says otherwise because the router accepts no middleware that
            // handles all of them.
            Effect.catchCause((cause): Effect.Effect<HttpServerResponse.HttpServerResponse, unknown> =>
              answerCause(cause, request, servicePaths.get(routeOf()))
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
