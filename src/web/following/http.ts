import { Effect, Layer, Option, Schema, Struct } from "effect"
import { Cursor } from "../../../schemas/platform/Cursor.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { FollowingFeedId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { FollowingFeeds } from "../../engagement/follows/FollowingFeeds.ts"
import { OwnFollows } from "../../engagement/follows/OwnFollows.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { Pages } from "../pages/Pages.ts"
import { followingPage, followingPath, type FollowingView, outcomes } from "./followingPage.ts"
import { makeMailObstacle } from "./mailNote.ts"

/** Posts and follows of a page. */
const PAGE_POSTS = 20
const PAGE_FOLLOWS = 50

const decodeCursor = Schema.decodeUnknownEffect(Cursor)
const decodeFeedId = Schema.decodeUnknownOption(FollowingFeedId)
const decodeDone = Schema.decodeUnknownOption(Schema.Literals(Struct.keys(outcomes)))

/** The places where the lists of the page begin; null for the beginning. Only one of them is further on. */
interface Places {
  readonly posts: string | null
  readonly authors: string | null
}

/** Returns the path of the page that continues a list. */
const targetOf = (list: keyof Places, cursor: string | null) =>
  cursor === null ? null : `${followingPath}?${list}=${encodeURIComponent(cursor)}`

/** Serves the page with the posts of followed authors, and the forms of the private feed. */
export const FollowingRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const own = yield* OwnFollows
    const feeds = yield* FollowingFeeds
    const pages = yield* Pages
    const obstacleOf = yield* makeMailObstacle
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const postsFrom = Effect.fnUntraced(function* (owner: BrowserAuthority, after: string | null) {
      const cursor = after === null ? {} : { cursor: yield* decodeCursor(after) }
      const { data, pagination } = yield* own.posts(owner.ownerId, { limit: PAGE_POSTS, ...cursor })
      return { items: yield* pages.cards(data), next: targetOf("posts", pagination.nextCursor) }
    })

    const followsFrom = Effect.fnUntraced(function* (owner: BrowserAuthority, after: string | null) {
      const cursor = after === null ? {} : { cursor: yield* decodeCursor(after) }
      const { data, pagination } = yield* own.follows(owner, { limit: PAGE_FOLLOWS, ...cursor })
      return { items: data, next: targetOf("authors", pagination.nextCursor) }
    })

    const shown = (
      owner: BrowserAuthority,
      { authors, posts }: Places,
      told: Pick<FollowingView, "done" | "feedUrl">
    ) =>
      Effect.gen(function* () {
        const view: FollowingView = {
          posts: authors === null ? yield* postsFrom(owner, posts) : null,
          follows: posts === null ? yield* followsFrom(owner, authors) : null,
          isFirst: posts === null && authors === null,
          mail: posts === null ? yield* obstacleOf(owner) : null,
          feed: (yield* feeds.read(owner)).feed,
          isModerator: owner.isModerator,
          ...told
        }
        return page(followingPage(view), told.done === "kept" ? 409 : 200)
        // A cursor of no list leads nowhere.
      }).pipe(Effect.mapError(() => new NotFound()))

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const places = { posts: asked.get("posts"), authors: asked.get("authors") }
      const done = Option.getOrNull(decodeDone(asked.get("done")))
      return yield* browser.asOwner(followingPath, (owner) => shown(owner, places, { done, feedUrl: null }))
    })

    /** Makes the address of the feed, which only this answer has. The same form again finds another feed, and changes nothing. */
    const issue = Effect.gen(function* () {
      const form = yield* readForm({ former: LENGTHS.word })
      const text = form.get("former")
      const former = text === "" ? null : Option.getOrUndefined(decodeFeedId(text))
      if (former === undefined) return yield* new FormRefused({ status: 400 })
      return yield* browser.asOwner(
        followingPath,
        Effect.fnUntraced(function* (owner) {
          const feedUrl = Option.getOrNull(Option.map(yield* feeds.replace(owner, former), ({ url }) => url))
          return yield* shown(
            owner,
            { posts: null, authors: null },
            { feedUrl, done: feedUrl === null ? "kept" : null }
          )
        })
      )
    })

    const end = Effect.gen(function* () {
      yield* readForm({})
      return yield* browser.asOwner(followingPath, (owner) =>
        Effect.as(feeds.revoke(owner), seeOther(`${followingPath}?done=ended`))
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", followingPath, answering(show)),
      addPrivatePage("POST", `${followingPath}/feed`, answering(issue)),
      addPrivatePage("POST", `${followingPath}/feed/end`, answering(end))
    )
  })
)
