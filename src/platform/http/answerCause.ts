import { Cause, Effect } from "effect"
import { HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound, Unavailable } from "../../../schemas/platform/errors/common.ts"
import { hidden } from "./defects.ts"
import { errorAnswer, type Family } from "./errorAnswer.ts"
import { pathOfUrl, type ServicePath } from "./paths.ts"
import { answerUnmatched } from "./unmatched.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Status in metrics and logs for a caller that went away; nothing is sent. */
const CLIENT_CLOSED_REQUEST = HttpServerResponse.empty({ status: 499 })

const isClientAbort = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some((it) => it._tag === "Interrupt" && it.annotations.has(HttpServerError.ClientAbort.key))

/** Returns the family of a path; unknown paths have that of problems. */
const familyOf = (path: ServicePath | undefined): Family => path?.family ?? "problem"

const notFound = (path: ServicePath | undefined): Answer => errorAnswer(new NotFound(), familyOf(path))

/** Answers a request that matches no route: an unknown path, another method, or a parameter that is too long. */
const answerUnrouted = ({ method, url }: Request): Answer => {
  const path = pathOfUrl(url)
  const isKnown = path?.methods.has(method === "HEAD" ? "GET" : method) === true
  return path === undefined || isKnown ? notFound(path) : answerUnmatched(method, path)
}

/**
 * Answers the failures that operations leave: an unknown path, the shutdown of the server, and defects outside the
 * families. `path` is the path of the route.
 */
export const answerCause = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  request: Request,
  path: ServicePath | undefined
): Effect.fn.Return<HttpServerResponse.HttpServerResponse> {
  const family = familyOf(path)
  if (Cause.hasInterruptsOnly(cause)) {
    return isClientAbort(cause) ? CLIENT_CLOSED_REQUEST : yield* errorAnswer(new Unavailable(), family)
  }
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return yield* answerUnrouted(request)
  }
  return yield* errorAnswer(yield* hidden(error, cause), family)
})
