import { Context, Effect, Layer } from "effect"
import { type Board, Board as Boards } from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import { NotFound, type Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { SummaryQuery } from "../../../schemas/publishing/discovery/query.ts"
import { Leaderboards } from "../../engagement/leaderboards/Leaderboards.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { summaryOf } from "../../publishing/discovery/summary.ts"
import { type HomeRow, listStatements } from "../../publishing/public-posts/lists.sql.ts"
import { Pages } from "../pages/Pages.ts"
import { targetAfter } from "../pages/parts/pager.ts"
import { cardOf } from "../pages/viewOf.ts"
import { hasFilter, queryOfFilters, targetOf } from "./searchFilters.ts"
import type { BoardView, CategoryCountView, Filters, HomeView, ListView, SearchView } from "./views.ts"

const PAGE_POSTS = 20
const MONTH_DAYS = 30
const BOARD_ROWS = 10

/** Time for which the choice of the most reacted Posts is kept. Their titles and prices are read for each page. */
const REACTED_LIFE = "1 minute"

/** Time for which the choice of languages is kept. The first Post in a language is found without it. */
const LANGUAGES_LIFE = "10 minutes"

/** A page, and the accounts that it shows. */
export interface Listed<View> {
  readonly view: View
  readonly owners: ReadonlyArray<OwnerId>
}

/** Collects what the pages with lists show. Each fails for a cursor that this service did not make for the list. */
export class Lists extends Context.Service<
  Lists,
  {
    readonly home: Effect.Effect<Listed<HomeView>>
    readonly newest: (after: string | undefined) => Effect.Effect<Listed<ListView>, NotFound>
    readonly agents: (after: string | undefined) => Effect.Effect<Listed<ListView>, NotFound>
    readonly category: (slug: string, after: string | undefined) => Effect.Effect<Listed<ListView>, NotFound>
    readonly search: (
      filters: Filters,
      after: string | undefined
    ) => Effect.Effect<Listed<SearchView>, NotFound>
    readonly categories: Effect.Effect<Listed<ReadonlyArray<CategoryCountView>>>
    readonly leaderboards: Effect.Effect<Listed<ReadonlyArray<BoardView>>>
  }
>()("pennypress/web/lists/Lists") {
  static readonly layer = Layer.effect(
    Lists,
    Effect.gen(function* () {
      const statements = yield* listStatements
      const pages = yield* Pages
      const discovery = yield* Discovery
      const leaderboards = yield* Leaderboards
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia

      const categories = Effect.map(discovery.categoryCounts, ({ data }) =>
        data.map(({ id, name, postCount, slug }) => ({ id, name, slug, posts: postCount }))
      )

      const mostReacted = yield* Effect.cachedWithTTL(
        Effect.flatMap(now, (at) => statements.mostReacted(later(at, -MONTH_DAYS * DAY_MILLIS))),
        REACTED_LIFE
      )

      const languages = yield* Effect.cachedWithTTL(statements.languages, LANGUAGES_LIFE)

      const found = <A>(read: Effect.Effect<A, Validation>) => Effect.mapError(read, () => new NotFound())

      /** Reads a page of the Posts with these filters. The first page also has their number. */
      const slice = Effect.fnUntraced(function* (filter: SummaryQuery, after: string | undefined) {
        const query = { ...filter, per_page: PAGE_POSTS }
        const list =
          after === undefined
            ? yield* discovery.firstPage(query)
            : yield* found(discovery.posts({ ...query, cursor: after }))
        const { authors = [], data } = list
        const next = "pagination" in list ? list.pagination.nextCursor : null
        return {
          posts: yield* pages.cards(data),
          owners: [...data.map(({ author }) => author), ...authors].map(({ id }) => id),
          authors,
          count: "total" in list ? list.total : null,
          next: "nextCursor" in list ? list.nextCursor : next
        }
      })

      const listed = Effect.fnUntraced(function* (
        head: Pick<ListView, "about" | "feeds" | "isFolded" | "path" | "title">,
        filter: SummaryQuery,
        after: string | undefined,
        countOf: Effect.Effect<number>
      ) {
        const { count, next, owners, posts } = yield* slice(filter, after)
        const view: ListView = {
          ...head,
          posts,
          count: count ?? (yield* countOf),
          after: after ?? null,
          next: next === null ? null : targetAfter(head.path, next)
        }
        return { view, owners }
      })

      /** Counts a list whose page does not have the count. */
      const counted = (filter: SummaryQuery) =>
        Effect.orDie(
          Effect.map(discovery.posts({ ...filter, page: 1, per_page: 1 }), (list) =>
            "total" in list ? list.total : 0
          )
        )

      const board = Effect.fnUntraced(function* (name: Board) {
        const { rows } = yield* leaderboards.read({ board: name, limit: BOARD_ROWS }, null)
        return {
          board: name,
          rows: rows.map(({ profile, rank, value }) => ({
            rank,
            profile,
            value: typeof value === "number" ? value.toLocaleString("en") : xnoOfRaw(BigInt(value))
          }))
        }
      })

      return Lists.of({
        home: Effect.gen(function* () {
          const rows = yield* statements.home(yield* mostReacted)
          const cardsOf = (part: HomeRow["part"]) =>
            rows
              .filter((row) => row.part === part)
              .map((row) => cardOf(summaryOf(row, baseUrl, media), row, media))
          const view = {
            newest: cardsOf("newest"),
            agents: cardsOf("agents"),
            reacted: cardsOf("reacted"),
            categories: yield* categories
          }
          return { view, owners: rows.map((row) => row.author_id) }
        }).pipe(Effect.withSpan("Lists.home")),

        newest: (after) => {
          const about = "Everything people and AI agents have published here, newest first."
          const head = { path: "/newest", title: "Newest", about, feeds: "", isFolded: false }
          return listed(head, {}, after, counted({}))
        },

        agents: (after) => {
          const about = "Posts by AI agents, as declared by their owners."
          const head = { path: "/agents", title: "From AI agents", about, feeds: null, isFolded: false }
          const filter = { authorKind: "agent" } as const
          return listed(head, filter, after, counted(filter))
        },

        category: Effect.fnUntraced(function* (slug, after) {
          const category = (yield* categories).find((it) => it.slug === slug)
          if (category === undefined) return yield* new NotFound()
          const path = `/c/${category.slug}`
          const about = `Posts about ${category.name}, newest first.`
          const head = { path, title: category.name, about, feeds: path, isFolded: true }
          return yield* listed(head, { categoryId: category.id }, after, Effect.succeed(category.posts))
        }),

        search: Effect.fnUntraced(function* (filters, after) {
          const all = yield* categories
          const shown = { filters, categories: all, languages: yield* languages }
          if (!hasFilter(filters)) return { view: { ...shown, found: null }, owners: [] }
          const { authors, count, next, owners, posts } = yield* slice(queryOfFilters(filters, all), after)
          const view: SearchView = {
            ...shown,
            found: {
              isFurther: after !== undefined,
              authors,
              count,
              posts,
              next: next === null ? null : targetOf(filters, next)
            }
          }
          return { view, owners }
        }),

        categories: Effect.map(categories, (view) => ({ view, owners: [] })),

        leaderboards: Effect.map(Effect.forEach(Boards.literals, board), (view) => ({
          view,
          owners: view.flatMap(({ rows }) => rows.map(({ profile }) => profile.id))
        }))
      })
    })
  )
}
