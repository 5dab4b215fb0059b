import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { NotFoundProblem } from "../../../schemas/platform/errors/common.ts"
import { MalformedRequest } from "../../../schemas/platform/errors/families.ts"
import { errorAnswer } from "./errorAnswer.ts"
import { pathOfUrl } from "./paths.ts"

/**
 * How the router reads paths: letter by letter. A parameter as long as Node reads reaches its operation, whose family then
 * answers 404; the router's own limit of 100 guards patterns of parameters, which no path of this service has.
 */
export const routerConfig = {
  maxParamLength: 16_384,
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false
}

/**
 * A path that may be another one in disguise: the router decodes escapes, takes a semicolon for the end of the path, and
 * an empty segment for a parameter.
 */
const MAY_BE_RESPELLED = /^[^?]*(?:[;%#]|\/\/)|^[^?]+\/(?:$|\?)/

/**
 * Refuses a target that the router would read as another path, so that a proxy that hides `/metrics` hides all of its
 * spellings; undefined for an exact one.
 */
export const refuseInexactPath = (
  url: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined => {
  // The server makes a path of an absolute target, unless that is not a URL.
  if (!url.startsWith("/")) return errorAnswer(new MalformedRequest({}))
  if (!MAY_BE_RESPELLED.test(url)) return undefined
  const [path = ""] = url.split(/[?#]/, 1)
  return path.includes(";") || pathOfUrl(url) === undefined ? errorAnswer(new NotFoundProblem({})) : undefined
}
