import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { MalformedRequest } from "../../../schemas/platform/errors/common.ts"
import { errorAnswer, problemAnswer } from "./errorAnswer.ts"
import type { ServicePaths } from "./ServicePaths.ts"
import { unknownPath } from "./unmatched.ts"

/** The paths, as far as an inexact one is compared with them. */
type Paths = Pick<ServicePaths["Service"], "ofUrl" | "nearest">

type PathOf = Paths["ofUrl"]

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
 * Returns the target of a page that has an escaped `@` or a final slash, as links that people write have it; undefined
 * for any other target. Paths of the API stay exact.
 */
const pageOf = (path: string, query: string, pathOf: PathOf): string | undefined => {
  const exact = path.replace(/^\/%40/, "/@").replace(/(?<=[^/])\/+$/, "")
  if (exact === path || MAY_BE_RESPELLED.test(exact)) return undefined
  const page = pathOf(exact)
  return page?.isPage === true || page?.template.startsWith("/@") === true ? `${exact}${query}` : undefined
}

/** Returns the path that a target would have with a parameter where it has none. Its refusal has the form of that path. */
const pathWithParameters = (path: string, pathOf: PathOf) => pathOf(path.replaceAll(/\/(?=\/|$)/g, "/-"))

/**
 * Answers a target that the router would read as another path; returns undefined for an exact one. Readers of a page go
 * to its exact address, and any other spelling is not found: a proxy that hides `/metrics` thus hides every spelling of
 * it.
 */
export const answerInexactPath = (
  method: string,
  url: string,
  { nearest, ofUrl: pathOf }: Paths
): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined => {
  // The server turns an absolute target into a path, unless the target is not a URL.
  if (!url.startsWith("/")) return problemAnswer(new MalformedRequest())
  if (!MAY_BE_RESPELLED.test(url)) return undefined
  const [path = ""] = url.split(/[?#]/, 1)
  if (!path.includes(";") && pathOf(url) !== undefined) return undefined
  const page =
    method === "GET" || method === "HEAD" ? pageOf(path, url.slice(path.length), pathOf) : undefined
  return page === undefined
    ? errorAnswer(unknownPath(nearest(method, path)), pathWithParameters(path, pathOf)?.family ?? "problem")
    : Effect.succeed(HttpServerResponse.empty({ status: 308, headers: { location: page } }))
}
