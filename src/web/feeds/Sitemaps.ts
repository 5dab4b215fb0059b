import { Context, Effect, Layer } from "effect"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { secondsOf } from "../../platform/pages/language.ts"
import { ReadPool } from "../../platform/ports/ReadPool.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { feedStatements, type PlaceRow } from "../../publishing/public-posts/feeds.sql.ts"
import { documentOf, element } from "./xml.ts"

const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

/** Maximum number of addresses of a file. The protocol allows 50,000 and 50 MB. */
const FILE_SIZE = 10_000

/** Time for which the files of the index are kept: finding them reads every id. */
const INDEX_LIFE = "1 hour"

export type SitemapKind = "posts" | "authors"

/** The addresses of all pages, for search engines (sitemaps.org). */
export class Sitemaps extends Context.Service<
  Sitemaps,
  {
    /** Returns the index of all files. */
    readonly index: Effect.Effect<string>
    /** Returns the file of pages after this id. */
    readonly file: (kind: SitemapKind, after: string | null) => Effect.Effect<string>
  }
>()("pennypress/web/feeds/Sitemaps") {
  static readonly layer = Layer.effect(
    Sitemaps,
    Effect.gen(function* () {
      const statements = yield* feedStatements
      const readPool = yield* ReadPool
      const baseUrl = yield* PublicBaseUrl
      const { holdsNewAccounts } = yield* Settings

      const newSince = Effect.map(now, (at) => (holdsNewAccounts ? later(at, -DAY_MILLIS) : null))

      const filesOf = Effect.fnUntraced(function* (kind: SitemapKind) {
        const starts = yield* readPool.run(statements.fileStarts(kind, FILE_SIZE))
        const targets = ["", ...starts.map((id) => `?after=${id}`)]
        return targets.map((query) =>
          element("sitemap", {}, element("loc", {}, `${baseUrl}/sitemaps/${kind}.xml${query}`))
        )
      })

      const index = Effect.gen(function* () {
        const files = [...(yield* filesOf("posts")), ...(yield* filesOf("authors"))]
        return yield* documentOf(element("sitemapindex", { xmlns: NAMESPACE }, ...files))
      })

      const places = Effect.fnUntraced(function* (kind: SitemapKind, after: string | null) {
        const since = yield* newSince
        const rows: Effect.Effect<ReadonlyArray<PlaceRow<string>>> =
          kind === "posts"
            ? statements.posts(after, FILE_SIZE, since)
            : statements.authors(after, FILE_SIZE, since)
        return yield* readPool.run(rows)
      })

      return Sitemaps.of({
        index: yield* Effect.cachedWithTTL(index, INDEX_LIFE),
        file: Effect.fn("Sitemaps.file")(function* (kind, after) {
          const rows = yield* places(kind, after)
          const urls = rows.map(({ changed_at, handle, slug }) =>
            element(
              "url",
              {},
              element("loc", {}, `${baseUrl}/@${handle}${slug === "" ? "" : `/${slug}`}`),
              element("lastmod", {}, secondsOf(changed_at))
            )
          )
          return yield* documentOf(element("urlset", { xmlns: NAMESPACE }, ...urls))
        })
      })
    })
  )
}
