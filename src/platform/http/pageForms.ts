import { Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { NotFound, type RateLimited } from "../../../schemas/platform/errors/common.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { documentOf, type Page } from "../pages/layout.ts"
import type { SiteView } from "../pages/Site.ts"
import { caching } from "../public-answers/caching.ts"
import { limiting, reportingRefusal } from "../rate-limits/http.ts"
import { problemAnswer } from "./errorAnswer.ts"
import { licenseLinkOf, pageHeadersOf } from "./pageHeaders.ts"
import type { Form } from "./publicAnswer.ts"

const MARKDOWN = "text/markdown"

/** Renders a page once for its text and its headers, which follow each other. */
const rememberingLast = <A>(render: (value: A) => Page) => {
  let last: { readonly value: A; readonly page: Page } | undefined
  return (value: A): Page => {
    if (last === undefined || last.value !== value) last = { value, page: render(value) }
    return last.page
  }
}

/** Makes the function that makes the form of pages. `otherTypes` are the other media types that their URLs have. */
export const makePageForms = (site: SiteView) => {
  const pageHeaders = pageHeadersOf(site)
  const licenseLinks = licenseLinkOf(site)
  return <A>(render: (value: A) => Page, otherTypes: ReadonlyArray<string> = []): Form<A> => {
    const pageOf = rememberingLast(render)
    return {
      contentType: "text/html; charset=utf-8",
      isWeak: true,
      otherTypes,
      textOf: (value) => documentOf(site, pageOf(value)),
      headersOf: (value) => {
        const { alternates = [], language = "en" } = pageOf(value)
        const links = [
          ...alternates
            .filter(({ type }) => type === MARKDOWN)
            .map(({ url }) => `<${url}>; rel="alternate"; type="${MARKDOWN}"`),
          ...licenseLinks
        ]
        return {
          ...pageHeaders,
          "cache-control": caching.page,
          "content-language": language,
          vary: otherTypes.length > 0 ? "Accept, Accept-Encoding" : "Accept-Encoding",
          ...(links.length === 0 ? {} : { link: links.join(", ") })
        }
      }
    }
  }
}

type Answered<E, R> = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Makes the function that counts the read of a page, which is the same for every reader. */
export const countingPages = Effect.map(
  limiting,
  (count) =>
    <R>(answered: Answered<NotFound | RateLimited, R>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.andThen(reportingRefusal(count("public-read")), answered(request))
      ).pipe(
        Effect.provideService(Viewer, { ownerId: null }),
        Effect.catchTags({
          NotFound: () => problemAnswer(new NotFound()),
          RateLimited: (error) => problemAnswer(error)
        })
      )
)

/** Returns the parameters of a target. Pages ignore those that they do not know. */
export const queryOf = (url: string): URLSearchParams => new URL(url, "http://localhost").searchParams
