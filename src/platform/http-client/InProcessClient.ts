import { Context, Effect, Fiber, Layer, References } from "effect"
import {
  HttpClient,
  HttpClientError,
  HttpClientResponse,
  HttpEffect,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { AnswersMadeAnew } from "../public-answers/PublicAnswers.ts"
import { ReadByTool } from "../public-answers/ReadCounter.ts"

/** Headers that tell who asks. They go with the requests that an answer needs; a credential never does. */
const PASSED_ON = ["forwarded", "x-forwarded-for", "user-agent", "dnt", "sec-gpc"] as const

/** Headers that a reader within the process sets itself. */
const OWN = ["accept", "cache-control"] as const

const headersOf = (
  own: Readonly<Record<string, string | undefined>>,
  outer: HttpServerRequest.HttpServerRequest,
  requestId: unknown
) => {
  const headers = new Headers()
  for (const name of OWN) if (own[name] !== undefined) headers.set(name, own[name])
  for (const name of PASSED_ON) if (outer.headers[name] !== undefined) headers.set(name, outer.headers[name])
  if (typeof requestId === "string") headers.set("x-request-id", requestId)
  return headers
}

/** Ends a request as one that its client closed, when the reader within the process no longer waits for it. */
const endingWithReader = <A, E, R>(handled: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.forkChild(handled, { startImmediately: true }), (fiber) =>
    Effect.onInterrupt(Fiber.join(fiber), () => {
      fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
      return Fiber.await(fiber)
    })
  )

/**
 * A client of the service's own operations, without a socket, for use while a request is answered. Its requests pass
 * through the whole router. They have the address and the request id of the request that is being answered, count for
 * its client, and carry no credential and no body. With `Cache-Control: no-cache` the answer is fresh.
 */
export const layer = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const context = yield* Effect.context<never>()
    // The client also reaches the routes of layers that are built after this one.
    let app: ReturnType<typeof router.asHttpEffect> | undefined

    return HttpClient.make((request, url, signal, fiber) => {
      app ??= router.asHttpEffect()
      const outer = Context.getOrUndefined(fiber.context, HttpServerRequest.HttpServerRequest)
      if (outer === undefined || request.method !== "GET") {
        return Effect.die(new Error("Reads within the process belong to a request that is being answered"))
      }
      const { requestId } = fiber.getRef(References.CurrentLogAnnotations)
      const headers = headersOf(request.headers, outer, requestId)
      const inner = HttpServerRequest.fromWeb(new Request(url, { method: "GET", headers, signal })).modify({
        remoteAddress: outer.remoteAddress
      })

      let answer: Response | undefined
      return HttpEffect.toHandled(app, (_, answered) =>
        Effect.sync(() => {
          answer = HttpServerResponse.toWeb(answered, { context })
        })
      ).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, inner),
        Effect.provideService(ReadByTool, true),
        Effect.provideService(AnswersMadeAnew, request.headers["cache-control"] === "no-cache"),
        endingWithReader,
        Effect.flatMap(() =>
          answer === undefined
            ? Effect.fail(
                new HttpClientError.HttpClientError({
                  reason: new HttpClientError.TransportError({ request, description: "No answer" })
                })
              )
            : Effect.succeed(HttpClientResponse.fromWeb(request, answer))
        )
      )
    })
  })
)
