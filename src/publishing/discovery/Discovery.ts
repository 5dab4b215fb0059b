import { Context, Effect, Layer, Option, Schema } from "effect"
import { Handle } from "../../../schemas/accounts/profile/Profile.ts"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type {
  Categories,
  CategoryCounts,
  HandleAvailability,
  PostSummary,
  PublicContent,
  PublicPost,
  PublicProfile,
  PublicProfileSummary,
  RelatedPosts,
  Summaries
} from "../../../schemas/publishing/discovery/Discovery.ts"
import {
  PER_PAGE_DEFAULT,
  type PostSort,
  RELATED_DEFAULT,
  type RelatedQuery,
  type SummaryQuery
} from "../../../schemas/publishing/discovery/query.ts"
import { Slug } from "../../../schemas/publishing/posts/PostDraft.ts"
import { authorOf } from "../../accounts/owners/authorRow.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { ReadPool } from "../../platform/ports/ReadPool.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import { authorStatements } from "./authors.sql.ts"
import { cursorOf } from "./cursor.ts"
import { discoveryStatements } from "./discovery.sql.ts"
import { isHandle, publicProfileOf, publicProfileSummaryOf } from "./publicProfile.ts"
import { relatedStatements } from "./related.sql.ts"
import { searchQueryOf } from "./searchQuery.ts"
import { summaryStatements } from "./summaries.sql.ts"
import { publicContentOf, publicPostOf, summaryOf } from "./summary.ts"

/** Maximum number of Posts on the page of an author. */
const PAGE_POSTS = 20

/**
 * Maximum number of reads of whole sections at the same time. Each may hold several megabytes until its answer is made.
 */
const SECTIONS_AT_ONCE = 8

/** An author as the public page shows them. */
export interface ProfileWithPosts {
  readonly author: PublicProfile
  readonly newest: ReadonlyArray<PostSummary>
}

/** The first page of a list, with its total and the cursor that continues it. */
export interface FirstPage {
  readonly data: ReadonlyArray<PostSummary>
  readonly total: number
  /** Null if the page has the whole list. */
  readonly nextCursor: string | null
  /** Authors that a search finds; none in a search of one author. */
  readonly authors: NonNullable<Summaries["authors"]>
}

/** Public reads: they need no credential (spec 4.5). */
export class Discovery extends Context.Service<
  Discovery,
  {
    /**
     * Lists published Posts, by page or from a cursor. The beginning of a search also names the authors that it finds.
     * Fails for a cursor of another order, and for a page and a cursor together.
     */
    readonly posts: (query: SummaryQuery) => Effect.Effect<Summaries, Validation>
    /** Lists the beginning as `posts` does, with the cursor that continues it. */
    readonly firstPage: (query: Omit<SummaryQuery, "cursor" | "page">) => Effect.Effect<FirstPage>
    /** Lists the published Posts of one author. */
    readonly profilePosts: (
      handle: string,
      query: SummaryQuery
    ) => Effect.Effect<Summaries, NotFound | Validation>
    readonly post: (id: PostId) => Effect.Effect<PublicPost, NotFound>
    /** Returns those of the Posts that are public, in any order. */
    readonly postsById: (ids: ReadonlyArray<PostId>) => Effect.Effect<ReadonlyArray<PostSummary>>
    readonly publicContent: (id: PostId) => Effect.Effect<PublicContent, NotFound>
    /** Lists published Posts for readers of this one: by language, shared categories and similar text. */
    readonly related: (id: PostId, query: RelatedQuery) => Effect.Effect<RelatedPosts, NotFound>
    readonly profile: (handle: string) => Effect.Effect<PublicProfile, NotFound>
    readonly profileSummary: (handle: string) => Effect.Effect<PublicProfileSummary, NotFound>
    readonly categories: Effect.Effect<Categories>
    readonly categoryCounts: Effect.Effect<CategoryCounts>
    /** Returns the published Post at a public URL. */
    readonly postAt: (handle: string, slug: string) => Effect.Effect<PublicPost, NotFound>
    /** Returns an author and the newest 20 published Posts. */
    readonly profileWithPosts: (handle: string) => Effect.Effect<ProfileWithPosts, NotFound>
    /** Returns the current handle of the owner of a former one; none while another owner has it (spec 4.2.10). */
    readonly currentHandle: (formerHandle: string) => Effect.Effect<Option.Option<string>>
    /** Tells whether an account could choose the handle now. Reserved and impossible handles are not available. */
    readonly handleAvailability: (handle: string) => Effect.Effect<HandleAvailability>
  }
>()("pennypress/publishing/discovery/Discovery") {
  static readonly layer = Layer.effect(
    Discovery,
    Effect.gen(function* () {
      const single = yield* discoveryStatements
      const summaries = yield* summaryStatements
      const authors = yield* authorStatements
      const relatedPosts = yield* relatedStatements
      const baseUrl = yield* PublicBaseUrl
      const media = yield* OwnMedia
      const readPool = yield* ReadPool
      const sections = fewAtOnce(SECTIONS_AT_ONCE)

      const listed = Effect.fnUntraced(function* (
        query: SummaryQuery
      ): Effect.fn.Return<Summaries, Validation> {
        const { cursor, page, per_page: limit = PER_PAGE_DEFAULT, sort: _, ...filter } = query
        const sort = sortOf(query)
        if (cursor === undefined) {
          const paging = { page: page ?? 1, limit }
          const { rows, total } = yield* summaries.page(filter, sort, paging)
          return {
            data: rows.map((row) => summaryOf(row, baseUrl, media)),
            total,
            page: paging.page,
            per_page: limit
          }
        }
        if (page !== undefined) return yield* invalid("cursor", "invalid", "Send either page or cursor")
        const after = yield* afterCursor(cursor, sort)
        const rows = yield* summaries.slice(filter, sort, { after, limit })
        const shown = rows.slice(0, limit)
        const hasMore = rows.length > limit
        return {
          data: shown.map((row) => summaryOf(row, baseUrl, media)),
          pagination: { limit, nextCursor: hasMore ? (shown.at(-1)?.cursor ?? null) : null, hasMore }
        }
      })

      const matchingAuthors = Effect.fnUntraced(function* (q: string) {
        const words = searchQueryOf(q)
        const rows = words === undefined ? [] : yield* authors.matching(words, q.replace(/^@/, ""))
        return rows.map((row) => authorOf(row, media))
      })

      const search = Effect.fnUntraced(function* (query: SummaryQuery, q: string) {
        const { cursor = "", page = 1 } = query
        if (cursor !== "" || page > 1) return yield* listed(query)
        const [list, found] = yield* Effect.all([listed(query), matchingAuthors(q)], { concurrency: 2 })
        return { ...list, authors: found }
      })

      const posts = (query: SummaryQuery) =>
        query.q === undefined ? listed(query) : readPool.run(search(query, query.q))

      const beginning = Effect.fnUntraced(function* (query: SummaryQuery) {
        const { per_page: limit = PER_PAGE_DEFAULT, sort: _, ...filter } = query
        const { rows, total } = yield* summaries.page(filter, sortOf(query), { page: 1, limit })
        return {
          data: rows.map((row) => summaryOf(row, baseUrl, media)),
          total,
          nextCursor: total > rows.length ? (rows.at(-1)?.cursor ?? null) : null,
          authors: []
        }
      })

      const profile = (handle: string) =>
        Effect.flatMap(isHandle(handle) ? single.profile(handle) : Effect.succeedNone, found)

      return Discovery.of({
        posts,
        firstPage: (query) => {
          const { handle, q } = query
          if (q === undefined) return beginning(query)
          if (handle !== undefined) return readPool.run(beginning(query))
          const read = Effect.all([beginning(query), matchingAuthors(q)], { concurrency: 2 })
          return readPool.run(Effect.map(read, ([page, authors]) => ({ ...page, authors })))
        },
        profilePosts: Effect.fnUntraced(function* (handle, query) {
          if (!isHandle(handle) || !(yield* single.hasProfile(handle))) return yield* new NotFound()
          return yield* posts({ ...query, handle })
        }),
        post: Effect.fnUntraced(function* (id) {
          return publicPostOf(yield* found(yield* sections(id)(single.post(id))), baseUrl, media)
        }),
        postsById: (ids) =>
          Effect.map(summaries.byIds(ids), (rows) => rows.map((row) => summaryOf(row, baseUrl, media))),
        publicContent: Effect.fnUntraced(function* (id) {
          return publicContentOf(yield* found(yield* sections(id)(single.post(id))), baseUrl, media)
        }),
        related: Effect.fnUntraced(function* (id, { limit = RELATED_DEFAULT }) {
          const rows = yield* found(yield* readPool.run(relatedPosts.to(id, limit)))
          return { data: rows.map((row) => summaryOf(row, baseUrl, media)) }
        }),
        profile: (handle) => Effect.map(profile(handle), (row) => publicProfileOf(row, media)),
        profileSummary: (handle) => Effect.map(profile(handle), (row) => publicProfileSummaryOf(row, media)),
        categories: Effect.map(single.categories, (rows) => ({
          data: rows.map(({ id, name, slug }) => ({ id, name, slug }))
        })),
        categoryCounts: Effect.map(single.categories, (rows) => ({
          data: rows.map(({ id, name, post_count, slug }) => ({ id, name, slug, postCount: post_count }))
        })),
        postAt: Effect.fnUntraced(function* (handle, slug) {
          const row =
            isHandle(handle) && isSlug(slug)
              ? yield* sections(handle)(single.postAt(handle, slug))
              : Option.none()
          return publicPostOf(yield* found(row), baseUrl, media)
        }),
        profileWithPosts: Effect.fnUntraced(function* (handle) {
          const author = publicProfileOf(yield* profile(handle), media)
          const { rows } = yield* summaries.page({ handle }, "newest", { page: 1, limit: PAGE_POSTS })
          return { author, newest: rows.map((row) => summaryOf(row, baseUrl, media)) }
        }),
        currentHandle: (formerHandle) =>
          isHandle(formerHandle) ? single.currentHandle(formerHandle) : Effect.succeedNone,
        handleAvailability: Effect.fnUntraced(function* (handle) {
          const wanted = decodeHandle(handle)
          return { available: Option.isSome(wanted) && !(yield* single.isHandleTaken(wanted.value)) }
        })
      })
    })
  )
}

/** The order of a list. Without words, no Post is more relevant than another. */
const sortOf = ({ q, sort = "newest" }: SummaryQuery): PostSort =>
  q === undefined && sort === "relevance" ? "newest" : sort

const decodeHandle = Schema.decodeUnknownOption(Handle)

const isSlug = Schema.is(Slug)

const found = <A>(answer: Option.Option<A>): Effect.Effect<A, NotFound> =>
  Effect.mapError(Effect.fromOption(answer), () => new NotFound())

const invalid = (field: string, code: string, message: string) =>
  new Validation({ errors: [{ field, code, message }] })

/** Reads the cursor of a list in this order; an empty one begins the list. */
const afterCursor = Effect.fnUntraced(function* (text: string, sort: PostSort) {
  if (text === "") return undefined
  const cursor = cursorOf(text, sort)
  if (Option.isSome(cursor)) return cursor.value
  return yield* invalid(
    "cursor",
    "invalid",
    "Send the nextCursor of this list in this order, or an empty cursor to begin"
  )
})
