import { Cause, Effect } from "effect"
import { HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { NotFound, Unavailable } from "../../../schemas/platform/errors/common.ts"
import { hidden } from "./defects.ts"
import { errorAnswer, type Family } from "./errorAnswer.ts"
import type { ServicePath, ServicePaths } from "./ServicePaths.ts"
import { answerUnmatched, unknownPath } from "./unmatched.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse>

/** Status in metrics and logs for a caller that went away; nothing is sent. */
const CLIENT_CLOSED_REQUEST = HttpServerResponse.empty({ status: 499 })

const isClientAbort = (cause: Cause.Cause<unknown>) =>
  cause.reasons.some((it) => it._tag === "Interrupt" && it.annotations.has(HttpServerError.ClientAbort.key))

/** Returns the family of a path; unknown paths have that of problems. */
const familyOf = (path: ServicePath | undefined): Family => path?.family ?? "problem"

/** The paths, as far as an answer about an unknown one needs them. */
type Paths = Pick<ServicePaths["Service"], "ofUrl" | "nearest">

/** Answers a request that matches no route: an unknown path, another method, or a parameter that is too long. */
const answerUnrouted = ({ method, url }: Request, { nearest, ofUrl }: Paths): Answer => {
  const path = ofUrl(url)
  if (path === undefined) return errorAnswer(unknownPath(nearest(method, url)), "problem")
  return path.methods.has(method === "HEAD" ? "GET" : method)
    ? errorAnswer(new NotFound(), path.family)
    : answerUnmatched(method, path)
}

/**
 * Answers the failures that operations leave: an unknown path, the shutdown of the server, and defects outside the
 * families. `path` is the path of the route.
 */
export const answerCause = Effect.fnUntraced(function* (
  cause: Cause.Cause<unknown>,
  request: Request,
  path: ServicePath | undefined,
  paths: Paths
): Effect.fn.Return<HttpServerResponse.HttpServerResponse> {
  const family = familyOf(path)
  if (Cause.hasInterruptsOnly(cause)) {
    return isClientAbort(cause) ? CLIENT_CLOSED_REQUEST : yield* errorAnswer(new Unavailable(), family)
  }
  const error = Cause.squash(cause)
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
    return yield* answerUnrouted(request, paths)
  }
  return yield* errorAnswer(yield* hidden(error, cause), family)
})
