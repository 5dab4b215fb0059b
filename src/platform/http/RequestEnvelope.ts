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
 * Surrounds every request: it gives the response a request id and its headers, answers what no operation answers, and
 * writes the metrics and the log. One middleware, as it is on the way of every request.
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
            // No failure is left. The type says otherwise, as the router takes no middleware that handles them all.
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
