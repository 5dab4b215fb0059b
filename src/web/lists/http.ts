import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type { NotFound } from "../../../schemas/platform/errors/common.ts"
import { preferredToHtml } from "../../platform/http/accept.ts"
import { countingPages, makePageForms, queryOf } from "../../platform/http/pageForms.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { addPage } from "../../platform/http/ServicePaths.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { Site } from "../../platform/pages/Site.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { categoriesPage } from "./categoriesPage.ts"
import { feedsPage } from "./feedsPage.ts"
import { homePage } from "./homePage.ts"
import { leaderboardsPage } from "./leaderboardsPage.ts"
import { listPage } from "./listPage.ts"
import { type Listed, Lists } from "./Lists.ts"
import * as reads from "./publicReads.ts"
import { filtersOf } from "./searchFilters.ts"
import { searchPage } from "./searchPage.ts"

const JSON_TYPE = "application/json"

/** A page of a target: the name of its answer, and the read that makes it. */
interface Asked<View> {
  readonly named: PublicRead<Listed<unknown>>
  readonly read: Effect.Effect<Listed<View>, NotFound>
}

/** Parts of a target that choose a page. */
interface Target {
  readonly slug: string
  readonly query: URLSearchParams
  readonly after: string | undefined
}

/** Serves the home page, and the pages with lists of Posts, categories and people. */
export const ListRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const site = yield* Site
    const lists = yield* Lists
    const counting = yield* countingPages
    const answer = yield* makePublicAnswer
    const formOf = makePageForms(site)
    const { baseUrl, name } = site
    /** Tells a program that opens the origin where to continue. */
    const welcome = { name, documentation: "/docs", description: "/openapi.json", posts: "/api/posts" }

    const page = <View>(
      path: "/agents" | "/c/:slug" | "/categories" | "/leaderboards" | "/newest" | "/search",
      render: (view: View, baseUrl: string) => Page,
      asked: (target: Target) => Asked<View>
    ) => {
      const form = formOf(({ view }: Listed<View>) => render(view, baseUrl))
      return addPage(
        "GET",
        path,
        Effect.flatMap(HttpRouter.params, ({ slug = "" }) =>
          counting((request) => {
            const query = queryOf(request.url)
            const { named, read } = asked({ slug, query, after: query.get("after") ?? undefined })
            return answer(request, named, read, form)
          })
        )
      )
    }

    const feedsForm = formOf(() => feedsPage(site))

    const homeForm = formOf(
      ({ view }: Effect.Success<typeof lists.home>) => homePage(view, site),
      [JSON_TYPE]
    )

    return Layer.mergeAll(
      addPage(
        "GET",
        "/",
        counting((request) =>
          preferredToHtml(request.headers["accept"], [JSON_TYPE]) === undefined
            ? answer(request, reads.home, lists.home, homeForm)
            : Effect.succeed(
                HttpServerResponse.jsonUnsafe(welcome, { headers: { vary: "Accept, Accept-Encoding" } })
              )
        )
      ),
      page("/newest", listPage, ({ after }) => ({ named: reads.newest(after), read: lists.newest(after) })),
      page("/agents", listPage, ({ after }) => ({ named: reads.agents(after), read: lists.agents(after) })),
      page("/c/:slug", listPage, ({ after, slug }) => ({
        named: reads.category(slug, after),
        read: lists.category(slug, after)
      })),
      page("/search", searchPage, ({ after, query }) => {
        const filters = filtersOf(query)
        return { named: reads.search(filters, after), read: lists.search(filters, after) }
      }),
      page("/categories", categoriesPage, () => ({ named: reads.categories, read: lists.categories })),
      page("/leaderboards", leaderboardsPage, () => ({
        named: reads.leaderboards,
        read: lists.leaderboards
      })),
      addPage(
        "GET",
        "/feeds",
        counting((request) =>
          answer(request, reads.feeds, Effect.succeed({ view: null, owners: [] }), feedsForm)
        )
      )
    )
  })
)
