import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorPageOf } from "../pages/errorPage.ts"
import { documentOf } from "../pages/layout.ts"
import type { SiteView } from "../pages/Site.ts"
import { caching } from "../public-answers/caching.ts"
import { namesHtml } from "./accept.ts"
import { pageHeadersOf } from "./pageHeaders.ts"
import type { ServicePath } from "./ServicePaths.ts"

/** Headers of an error that its page keeps. */
const KEPT = ["retry-after", "ratelimit", "ratelimit-policy", "allow", "cache-control", "x-robots-tag"]

/** Caches keep the answer about a missing page for a moment, so that a dead link costs little. */
const MISSING = { "cache-control": caching.vacant }

const isProblem = ({ headers }: HttpServerResponse.HttpServerResponse) =>
  /^application\/(problem\+)?json/.test(headers["content-type"] ?? "")

/**
 * Returns true for a failure that a person sees: a failure of a page, or one elsewhere when the client names HTML.
 * Operations of the contract answer only programs.
 */
const isForPeople = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  status: number,
  path: ServicePath | undefined
): boolean => {
  const isForBrowser = namesHtml(headers["accept"])
  if (method !== "GET" && method !== "HEAD") return path?.isPrivate === true && isForBrowser
  if (path === undefined) return isForBrowser
  return path.isPage || (status === 404 && !path.isOperation && isForBrowser)
}

/** Makes the function that turns a failure that a person sees into a page. */
export const makeErrorPages = (site: SiteView) => {
  const pageHeaders = pageHeadersOf(site)

  return (
    response: HttpServerResponse.HttpServerResponse,
    request: HttpServerRequest.HttpServerRequest,
    path: ServicePath | undefined
  ): HttpServerResponse.HttpServerResponse => {
    const { status } = response
    if (status < 400 || !isProblem(response) || !isForPeople(request, status, path)) return response
    const kept = KEPT.flatMap((name) => {
      const value = response.headers[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    return HttpServerResponse.text(documentOf(site, errorPageOf(status)), {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...pageHeaders,
        ...(status === 404 && path?.isPage === true && !path.isPrivate ? MISSING : {}),
        ...Object.fromEntries(kept)
      }
    })
  }
}
