import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { MalformedRequest, NotFound } from "../../../schemas/platform/errors/common.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { pathOfUrl } from "./paths.ts"

/**
 * Makes the router read paths letter by letter. A parameter of any length that Node accepts reaches its operation,
 * whose family then answers 404. The router's own limit of 100 guards parameter patterns, which this service does not
 * use.
 */
export const routerConfig = {
  maxParamLength: 16_384,
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false
}

/**
 * Matches a path that may disguise another one. The router decodes escapes, ends the path at a semicolon, and takes an
 * empty segment for a parameter.
 */
const MAY_BE_RESPELLED = /^[^?]*(?:[;%#]|\/\/)|^[^?]+\/(?:$|\?)/

/**
 * Refuses a target that the router would read as another path; returns undefined for an exact one. A proxy that hides
 * `/metrics` thus hides every spelling of it.
 */
export const refuseInexactPath = (
  url: string
): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined => {
  // The server turns an absolute target into a path, unless the target is not a URL.
  if (!url.startsWith("/")) return problemAnswer(new MalformedRequest())
  if (!MAY_BE_RESPELLED.test(url)) return undefined
  const [path = ""] = url.split(/[?#]/, 1)
  return path.includes(";") || pathOfUrl(url) === undefined ? problemAnswer(new NotFound()) : undefined
}
