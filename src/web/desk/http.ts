import { Effect, Layer, Option, Schema } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { PostFilter, PostSort } from "../../engagement/desk/PostChoice.ts"
import { ReadStats } from "../../engagement/reads/ReadStats.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { now } from "../../platform/time/now.ts"
import { searchQueryOf } from "../../publishing/discovery/searchQuery.ts"
import { makeBrowser } from "../browser/http.ts"
import { DESK } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { searchWordsOf } from "../pages/parts/searchWords.ts"
import { presetOf } from "../sales/salesPeriod.ts"
import { deskPage } from "./deskPage.ts"
import { makeHome } from "./home.ts"
import { makePostLines } from "./postLines.ts"
import { postsPage, postsTarget } from "./postsPage.ts"
import { readsPage, readsPath } from "./readsPage.ts"

const decodePostId = Schema.decodeUnknownOption(PostId)
const decodeFilter = Schema.decodeUnknownOption(PostFilter)
const decodeSort = Schema.decodeUnknownOption(PostSort)

/** Serves the page from which an account reaches everything of theirs, the list of its posts, and the reads of each. */
export const DeskRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const home = yield* makeHome
    const linesOf = yield* makePostLines
    const stats = yield* ReadStats
    const browser = yield* makeBrowser
    const count = yield* limiting
    const about = yield* aboutPrices
    const { baseUrl } = yield* Site
    const { answering, page, query } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      return yield* browser.asOwner(
        DESK,
        Effect.fnUntraced(function* (owner) {
          return page(
            deskPage({ ...(yield* home(owner)), about: yield* about, isModerator: owner.isModerator })
          )
        })
      )
    })

    const list = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const q = searchWordsOf(asked.get("q"))
      const words = searchQueryOf(q)
      const filter = Option.getOrUndefined(decodeFilter(asked.get("show")))
      const sort = Option.getOrUndefined(decodeSort(asked.get("sort")))
      const after = Option.getOrUndefined(decodePostId(asked.get("after")))
      return yield* browser.asOwner(
        postsTarget({ q, show: filter, sort }),
        Effect.fnUntraced(function* ({ isModerator, ownerId }) {
          // A search without a word finds nothing, as everywhere.
          const { next, posts } =
            q !== "" && words === undefined
              ? { posts: [], next: null }
              : yield* linesOf(ownerId, { filter, sort, words }, after)
          const choice = { q, show: filter, sort }
          const here = postsTarget(choice, after)
          return page(
            postsPage({
              ...choice,
              done: asked.get("done"),
              query: here.split("?")[1] ?? "",
              posts,
              baseUrl,
              isModerator,
              next: next === null ? null : postsTarget(choice, next),
              first: after === undefined ? null : postsTarget(choice)
            })
          )
        })
      )
    })

    const reads = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const days = (yield* query).get("days")
      return yield* browser.asOwner(
        readsPath(id),
        Effect.fnUntraced(function* (owner) {
          const period = presetOf(days, (yield* now).toISOString().slice(0, 10))
          const asked = { from: period.first, to: period.last }
          const [sums, { data }] = yield* Effect.all(
            [stats.post(owner, id, asked), stats.days(owner, id, asked)],
            { concurrency: "unbounded" }
          ).pipe(Effect.catchTag("Validation", Effect.die))
          return page(readsPage({ id, period, reads: sums, days: data, isModerator: owner.isModerator }))
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/desk", answering(show)),
      addPrivatePage("GET", "/desk/posts", answering(list)),
      addPrivatePage("GET", "/desk/posts/:postId", answering(reads))
    )
  })
)
