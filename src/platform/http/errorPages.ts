import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { errorPageOf } from "../pages/errorPage.ts"
import { documentOf } from "../pages/layout.ts"
import type { SiteView } from "../pages/Site.ts"
import { namesHtml } from "./accept.ts"
import { pageHeadersOf } from "./pageHeaders.ts"
import type { ServicePath } from "./paths.ts"

/** Headers of an error that its page has, too. */
const KEPT = ["retry-after", "ratelimit", "ratelimit-policy", "allow", "cache-control"]

/** Caches keep for a moment that there is no such page, so that a dead link costs little. */
const MISSING = { "cache-control": "public, max-age=15" }

const isProblem = ({ headers }: HttpServerResponse.HttpServerResponse) =>
  /^application\/(problem\+)?json/.test(headers["content-type"] ?? "")

/** Makes the function that turns the error of a page, or of an unknown path in a browser, into a page. */
export const makeErrorPages = (site: SiteView) => {
  const pageHeaders = pageHeadersOf(site)

  return (
    response: HttpServerResponse.HttpServerResponse,
    { headers, method }: HttpServerRequest.HttpServerRequest,
    path: ServicePath | undefined
  ): HttpServerResponse.HttpServerResponse => {
    const { status } = response
    const isRead = method === "GET" || method === "HEAD"
    if (status < 400 || (!isRead && path?.isPrivate !== true)) return response
    const isShown = path === undefined || !isRead ? namesHtml(headers["accept"]) : path.isPage
    if (!isShown || !isProblem(response)) return response
    const kept = KEPT.flatMap((name) => {
      const value = response.headers[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    return HttpServerResponse.text(documentOf(site, errorPageOf(status)), {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        ...pageHeaders,
        ...(status === 404 && path?.isPrivate === false ? MISSING : {}),
        ...Object.fromEntries(kept)
      }
    })
  }
}
