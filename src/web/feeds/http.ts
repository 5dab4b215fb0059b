import { Effect, Layer, Schema } from "effect"
import { HttpRouter } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { FEED_NAMES } from "../../platform/feed-changes/FeedChanges.ts"
import { goneAnswer } from "../../platform/http/goneAnswer.ts"
import { countingPages, queryOf } from "../../platform/http/pageForms.ts"
import { type Form, makePublicAnswer, textForm } from "../../platform/http/publicAnswer.ts"
import { addRoute } from "../../platform/http/ServicePaths.ts"
import { Site } from "../../platform/pages/Site.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { caching } from "../../platform/public-answers/caching.ts"
import { redirectFormerHandle } from "../../publishing/discovery/redirectFormerHandle.ts"
import { type FeedFormat, Feeds, type FeedSource, type WrittenFeed } from "./Feeds.ts"
import * as reads from "./publicReads.ts"
import { robotsText } from "./robots.ts"
import { type SitemapKind, Sitemaps } from "./Sitemaps.ts"

/** The names of the formats, and their media types. */
const FORMATS = [
  { name: FEED_NAMES.atom, format: "atom", contentType: "application/atom+xml; charset=utf-8" },
  { name: FEED_NAMES.rss, format: "rss", contentType: "application/rss+xml; charset=utf-8" },
  { name: FEED_NAMES.json, format: "json", contentType: "application/feed+json; charset=utf-8" }
] as const satisfies ReadonlyArray<{ name: string; format: FeedFormat; contentType: string }>

/** Returns the links of a feed with a hub, which delivers its changes to subscribers. */
const linksOf = ({ hub, start }: WrittenFeed, name: string): Readonly<Record<string, string>> =>
  hub === undefined || start === null ? {} : { link: `<${hub}>; rel="hub", <${start}/${name}>; rel="self"` }

const feedForm = (contentType: string, name: string): Form<WrittenFeed> => ({
  contentType,
  isWeak: true,
  textOf: ({ text }) => text,
  headersOf: (feed) => ({
    "cache-control": caching.feed,
    vary: "Accept-Encoding",
    ...linksOf(feed, name)
  })
})

const xmlForm = textForm("application/xml; charset=utf-8", { "cache-control": caching.sitemap })
const robotsForm = textForm("text/plain; charset=utf-8", { "cache-control": caching.document })

const isId = Schema.is(Schema.String.check(Schema.isUUID()))

/** Serves feeds, sitemaps and `/robots.txt`. */
export const FeedRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const { baseUrl } = yield* Site
    const { contentSignals } = yield* Settings
    const feeds = yield* Feeds
    const sitemaps = yield* Sitemaps
    const counting = yield* countingPages
    const redirect = yield* redirectFormerHandle(goneAnswer)
    const answer = yield* makePublicAnswer

    const formats = (
      start: "" | "/@:handle" | "/c/:slug",
      sourceOf: (parameters: { readonly handle?: string; readonly slug?: string }) => FeedSource
    ) =>
      Layer.mergeAll(
        ...(FORMATS.map(({ contentType, format, name }) => {
          const form = feedForm(contentType, name)
          return addRoute(
            "GET",
            `${start}/${name}`,
            Effect.flatMap(HttpRouter.params, (parameters) =>
              counting((request) => {
                const source = sourceOf(parameters)
                return redirect(
                  answer(request, reads.feed(source, format), feeds.written(source, format), form)
                )
              })
            )
          )
        }) as [Layer.Layer<never, never, HttpRouter.HttpRouter>])
      )

    const sitemap = (kind: SitemapKind) =>
      addRoute(
        "GET",
        `/sitemaps/${kind}.xml`,
        counting((request) => {
          const after = queryOf(request.url).get("after")
          if (after !== null && !isId(after)) return Effect.fail(new NotFound())
          return answer(request, reads.sitemap(`${kind} ${after}`), sitemaps.file(kind, after), xmlForm)
        })
      )

    const robots = robotsText(baseUrl, contentSignals)

    return Layer.mergeAll(
      formats("", () => ({ kind: "site" })),
      formats("/@:handle", ({ handle = "" }) => ({ kind: "author", handle })),
      formats("/c/:slug", ({ slug = "" }) => ({ kind: "category", slug })),
      addRoute(
        "GET",
        "/sitemap.xml",
        counting((request) => answer(request, reads.sitemap("index"), sitemaps.index, xmlForm))
      ),
      sitemap("posts"),
      sitemap("authors"),
      addRoute(
        "GET",
        "/robots.txt",
        counting((request) => answer(request, reads.robots, Effect.succeed(robots), robotsForm))
      )
    )
  })
)
