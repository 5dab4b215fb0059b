import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CategoryId, type OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import { activityStatements } from "../../../src/engagement/activity/activities.sql.ts"
import { commentStatements } from "../../../src/engagement/comments/comments.sql.ts"
import { receivedCommentStatements } from "../../../src/engagement/comments/receivedComments.sql.ts"
import { hasComments } from "../../../src/engagement/comments/slices.sql.ts"
import { threadStatements } from "../../../src/engagement/comments/threads.sql.ts"
import { followListStatements } from "../../../src/engagement/follows/followLists.sql.ts"
import { feedStatements as notificationStatements } from "../../../src/engagement/notifications/feed/feed.sql.ts"
import { reactionStatements } from "../../../src/engagement/reactions/reactions.sql.ts"
import { purchaseStatements } from "../../../src/payments/purchases/purchases.sql.ts"
import { authorStatements } from "../../../src/publishing/discovery/authors.sql.ts"
import { discoveryStatements } from "../../../src/publishing/discovery/discovery.sql.ts"
import { relatedStatements } from "../../../src/publishing/discovery/related.sql.ts"
import { searchQueryOf } from "../../../src/publishing/discovery/searchQuery.ts"
import { summaryStatements } from "../../../src/publishing/discovery/summaries.sql.ts"
import { catalogueStatements } from "../../../src/publishing/public-posts/catalogue.sql.ts"
import { feedStatements } from "../../../src/publishing/public-posts/feeds.sql.ts"
import { pageStatements } from "../../../src/publishing/public-posts/pages.sql.ts"
import { wordOf } from "../seed/words.ts"

/** A read of the service. `bound` is the time in milliseconds that half of the reads may take at most. */
export interface Read {
  readonly name: string
  readonly bound: number
  readonly run: (n: number) => Effect.Effect<unknown>
}

const HOT = 5
const SEARCH = 20
const RELATED = 10
const SITEMAP = 100
const SITEMAP_PLACES = 10_000

interface Sample {
  readonly id: PostId
  readonly slug: string
  readonly handle: string
  readonly owner_id: OwnerId
}

/** Posts of all times, those with most Comments first. */
const samples = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(sql<Sample>`
    select p.id, p.slug, o.handle, p.owner_id from (
      (select post_id from post_counts order by comments desc limit 5)
      union all (select post_id from post_author_kinds tablesample system (0.1) repeatable (1) limit 95)) k
    join posts p on p.id = k.post_id join owners o on o.id = p.owner_id`)
)

/** The reads of the service over a filled database. */
export const hotReads = Effect.gen(function* () {
  const found = yield* samples
  const sample = (n: number) => found[n % found.length]!
  const single = yield* discoveryStatements
  const { page, slice } = yield* summaryStatements
  const pages = yield* pageStatements(hasComments)
  const threads = yield* threadStatements
  const feeds = yield* feedStatements
  const comments = yield* commentStatements
  const received = yield* receivedCommentStatements
  const reactions = yield* reactionStatements
  const follows = yield* followListStatements
  const notifications = yield* notificationStatements
  const purchases = yield* purchaseStatements
  const activity = yield* activityStatements
  const catalogue = yield* catalogueStatements
  const related = yield* relatedStatements
  const authors = yield* authorStatements
  const at = new Date("2026-11-01T00:00:00Z")
  type Filter = Parameters<typeof page>[0]
  const list = (filter: Filter, sort: Parameters<typeof page>[1] = "newest") =>
    page(filter, sort, { page: 1, limit: 20 })

  const hot: Readonly<Record<string, Read["run"]>> = {
    "a post": (n) => single.post(sample(n).id),
    "a post by its address": (n) => single.postAt(sample(n).handle, sample(n).slug),
    "the page of a post": (n) => pages.post(sample(n).handle, sample(n).slug, at),
    "a profile": (n) => single.profile(sample(n).handle),
    "the categories": () => single.categories,
    "newest posts": () => list({}),
    "newest posts of an author": (n) => list({ handle: sample(n).handle }),
    "newest posts of a category": (n) => list({ categoryId: CategoryId.make(1 + (n % 30)) }),
    "most reacted posts": () => list({}, "most_reacted"),
    "most purchased posts": () => list({}, "most_purchased"),
    "newest posts of agents": () => list({ authorKind: "agent" }),
    "posts from a cursor": () => slice({}, "newest", { after: undefined, limit: 50 }),
    "the feed of the site": () => feeds.newest(20, null),
    "posts for sale": () => catalogue.slice({ after: undefined, offset: 0, limit: 100 }),
    "comments of a post": (n) =>
      comments.slice(null, { postId: sample(n).id, threadRootId: undefined, after: undefined, limit: 50 }),
    "newest comments of a post": (n) =>
      comments.newest(null, sample(n).id, { limit: 50, bytesMax: 1_000_000 }),
    "threads of a page": (n) =>
      threads.slice({ postId: sample(n).id, after: undefined, root: undefined, threads: 20, ofThread: 20 }),
    "comments received": (n) => received.slice(sample(n).owner_id, { after: undefined, limit: 20 }),
    "reactions to a post": (n) =>
      reactions.read({ kind: "post", id: sample(n).id }, null, { limit: 20, offset: 0, reaction: "heart" }),
    "followers of an author": (n) => follows.page("followers", sample(n).owner_id, { page: 1, limit: 20 }),
    "activity of an author": (n) => activity.ofOwner(sample(n).handle, { after: undefined, limit: 20 }),
    "activity of agents": () => activity.ofAgents({ after: undefined, limit: 20 }),
    "notifications of an author": (n) =>
      notifications.page({
        owner: sample(n).owner_id,
        types: ["new_comment", "new_post"],
        includeAll: true,
        limit: 20,
        offset: 0
      }),
    "purchases of a reader": (n) => purchases.slice(sample(n).owner_id, { after: undefined, limit: 20 })
  }
  const q = (text: string, more: Filter = {}) => list({ q: text, ...more })
  const searches: Readonly<Record<string, Read["run"]>> = {
    "search: common word": (n) => q(wordOf(n % 10)),
    "search: frequent word": (n) => q(wordOf(100 + n * 10)),
    "search: two frequent words": (n) => q(`${wordOf(60 + n)} ${wordOf(160 + n)}`),
    "search: rare word": (n) => q(wordOf(5_000 + n * 50)),
    "search: absent word": (n) => q(`mistyped${n}`),
    "search: word of one author": (n) => q(wordOf(n), { handle: sample(n).handle }),
    "search: authors by name": (n) => authors.matching(searchQueryOf(wordOf(n)) ?? "", wordOf(n)),
    "language ja": () => list({ language: "ja" }),
    "language eo": () => list({ language: "eo" }),
    "paid posts": () => list({ access: "paid" }),
    "category and paid": (n) => list({ categoryId: CategoryId.make(1 + (n % 30)), access: "paid" }),
    "category, kind and paid": (n) =>
      list({ categoryId: CategoryId.make(1 + (n % 30)), authorKind: "agent", access: "paid" })
  }
  const named = (reads: Readonly<Record<string, Read["run"]>>, bound: number): ReadonlyArray<Read> =>
    Object.entries(reads).map(([name, run]) => ({ name, bound, run }))
  return [
    ...named(hot, HOT),
    ...named(searches, SEARCH),
    ...named({ "related posts": (n) => related.to(sample(n).id, 4) }, RELATED),
    ...named(
      {
        "sitemap of posts": (n) => feeds.posts(n % 2 === 0 ? null : sample(n).id, SITEMAP_PLACES, at),
        "sitemap of authors": () => feeds.authors(null, SITEMAP_PLACES, at),
        "index of the sitemaps": () => feeds.fileStarts("posts", SITEMAP_PLACES)
      },
      SITEMAP
    )
  ]
})
