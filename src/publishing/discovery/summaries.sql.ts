import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PostSort } from "../../../schemas/publishing/discovery/query.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { type Cursor, CURSOR_PREFIX } from "./cursor.ts"
import { makeFound } from "./found.sql.ts"
import { filtersIn, isCounted, isWalk, type Keys, keysOf, type SummaryFilter } from "./listOrder.ts"
import { makeMatching } from "./matching.sql.ts"
import { categoryPosts, publishedPosts } from "./publishedCounts.sql.ts"
import { makeRelevance } from "./relevance.sql.ts"
import { summaryColumns, type SummaryRow } from "./summary.ts"

/** A page by its number, which begins at 1. */
interface Page {
  readonly page: number
  readonly limit: number
}

/** A slice that begins after a cursor, or at the beginning. */
interface Slice {
  readonly after: Cursor | undefined
  readonly limit: number
}

/** A Post with the cursor that continues after it. */
interface SliceRow extends SummaryRow {
  readonly cursor: string
}

/** The keys of a Post that was chosen. */
const CHOSEN_KEYS: Keys = { place: "p.place", id: "p.id" }

/** A part of a list: its filters and order, and where it begins. */
interface Part {
  readonly filter: SummaryFilter
  readonly sort: PostSort
  readonly after?: Cursor | undefined
  readonly limit: number
  readonly offset: number
}

/**
 * Runs a list as a search if its cost depends on what the reader asks for. All Posts in any order and the newest of one author
 * are short walks of an index, unless a page lies far behind.
 */
const listing = (filter: SummaryFilter, sort: PostSort, page = 1) => {
  const isShort = page === 1 && filtersIn(filter).every(([name]) => name === "handle" && sort === "newest")
  return <A, E>(list: Effect.Effect<A, E>) => (isShort ? list : asSearch(list))
}

/** Statements over lists of published Posts, each list in one statement. */
export const summaryStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(summaryColumns)

  const foundBy = makeFound(sql)
  const relevanceOf = makeRelevance(sql)
  const { isOwner, postOf } = makeMatching(sql)

  // Written out: PostgreSQL plans a list again at each request for a limit that is a parameter, which costs as much as
  // the list. There are few limits, and most lists begin at the beginning.
  const number = (value: number) => sql.literal(String(value))
  const from = (offset: number) => (offset === 0 ? sql`` : sql`offset ${offset}`)

  const chosenOrder = sql.literal("p.place desc, p.id desc")

  /** The tables of a walk, and the conditions that its index has. */
  const walkedTables = (sort: PostSort, { authorKind, handle }: SummaryFilter) => {
    if (isCounted(sort)) return { tables: sql`post_counts n ${postOf("n.post_id")}`, conditions: [] }
    if (handle !== undefined) {
      return { tables: sql`public_posts p`, conditions: [isOwner(handle)] }
    }
    if (authorKind === undefined) return { tables: sql`public_posts p`, conditions: [] }
    return {
      tables: sql`post_author_kinds a ${postOf("a.post_id")}`,
      conditions: [sql`a.author_kind = (select ${authorKind}::text)`]
    }
  }

  /** The first Posts in the order of an index. */
  const walk = (
    filter: SummaryFilter,
    sort: PostSort,
    more: ReadonlyArray<Statement.Fragment>,
    count: number
  ) => {
    const { id, place } = keysOf(sort, filter)
    const { conditions, tables } = walkedTables(sort, filter)
    const all = [...conditions, ...more]
    return sql`select p.*, ${sql.literal(place)} as place from ${tables}
      ${all.length === 0 ? sql`` : sql`where ${sql.and(all)}`}
      order by ${sql.literal(`${place} desc, ${id} desc`)} limit ${number(count)}`
  }

  /** A cursor spells a moment in microseconds since 1970, and any other key as it is. */
  const beyond = (keys: Keys, sort: PostSort, { id, key }: Cursor) => {
    const place = sql`(${sql.literal(`${keys.place}, ${keys.id}`)})`
    return sort === "newest"
      ? sql`${place} < (timestamptz 'epoch' + ${key}::bigint * interval '1 microsecond', ${id}::uuid)`
      : sql`${place} < (${key}::bigint, ${id}::uuid)`
  }

  /**
   * Selects the Posts of a list with a walk of an index. A public Post has two different categories, and each has an index
   * in the order of the list. Two short walks of an index find the first Posts; an "or" would read all.
   */
  const walked = ({ after, filter, limit, offset, sort }: Part) => {
    const more = after === undefined ? [] : [beyond(keysOf(sort, filter), sort, after)]
    const { categoryId } = filter
    const count = limit + offset
    if (categoryId === undefined) return sql`${walk(filter, sort, more, limit)} ${from(offset)}`
    return sql`
      select p.* from (
        (${walk(filter, sort, [sql`p.primary_category_id = ${categoryId}`, ...more], count)})
        union all (${walk(filter, sort, [sql`p.secondary_category_id = ${categoryId}`, ...more], count)})) p
      order by ${chosenOrder} limit ${number(limit)} ${from(offset)}`
  }

  /** The queries of a list that no single index has in its order. */
  const searched = ({ after, filter, limit, offset, sort }: Part) => {
    const rest = after === undefined ? sql`true` : beyond(CHOSEN_KEYS, sort, after)
    if (sort === "relevance") return relevanceOf(filter, rest, (count) => walk(filter, sort, [], count))
    const more = after === undefined ? [] : [beyond(keysOf(sort, filter), sort, after)]
    return foundBy(filter, {
      sort,
      count: limit + offset,
      beyond: rest,
      walk: (count) => walk(filter, sort, more, count)
    })
  }

  /** Selects the Posts of a part, before their summaries are made. */
  const chosen = (part: Part) =>
    isWalk(part.filter, part.sort)
      ? walked(part)
      : sql`
        select p.*, first.place from (
          select * from chosen p order by ${chosenOrder} limit ${number(part.limit)} ${from(part.offset)}) first
        ${postOf("first.id")}`

  const queries = (part: Part) => (isWalk(part.filter, part.sort) ? sql`` : sql`with ${searched(part)}`)

  // One look at an index for each Post. `offset 0` keeps the planner from reading all owners or counts instead.
  const shown = sql.literal(
    `cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
    cross join lateral (select * from post_counts where post_id = p.id offset 0) n`
  )

  /** Reads the total from the counters where they have it. Counts up to a maximum for a search and for most filters. */
  const total = (filter: SummaryFilter) => {
    const [only, ...others] = filtersIn(filter)
    if (only === undefined) return sql.literal(publishedPosts)
    if (others.length === 0 && only[0] === "categoryId") {
      return sql`coalesce((select ${sql.literal(categoryPosts)} from categories c where c.id = ${only[1]}), 0)`
    }
    if (others.length === 0 && only[0] === "handle") {
      return sql`coalesce((select published_post_count from public_owners where lower(handle) = lower(${only[1]})), 0)`
    }
    if (others.length === 0 && only[0] === "authorKind") {
      const ofAgents = sql`(select count(*) from post_author_kinds where author_kind = 'agent')`
      return only[1] === "agent" ? ofAgents : sql`${sql.literal(publishedPosts)} - ${ofAgents}`
    }
    return sql`(select total from found)`
  }

  const spelled = (sort: PostSort) =>
    sql.literal(
      `'${CURSOR_PREFIX[sort]}' || ${
        sort === "newest" ? "(extract(epoch from p.place) * 1000000)::bigint" : "p.place"
      } || '_' || p.id`
    )

  // The total stands beside each Post, or alone in a row when the page is empty.
  const pageOf = (filter: SummaryFilter, sort: PostSort, { limit, page }: Page) => {
    const part = { filter, sort, limit, offset: (page - 1) * limit }
    return sql<SliceRow & { readonly total: number }>`
      ${queries(part)}
      select matching.total::integer as total, summaries.*
      from (select ${total(filter)} as total) matching
      left join (
        select ${columns}, ${spelled(sort)} as cursor, row_number() over (order by ${chosenOrder}) as position
        from (${chosen(part)}) p ${shown}) summaries on true
      order by summaries.position`
  }

  // Reads one Post beyond the limit, which tells if there are more.
  const sliceOf = (filter: SummaryFilter, sort: PostSort, { after, limit }: Slice) => {
    const part = { filter, sort, after, limit: limit + 1, offset: 0 }
    return sql<SliceRow>`
      ${queries(part)}
      select ${columns}, ${spelled(sort)} as cursor
      from (${chosen(part)}) p ${shown}
      order by ${chosenOrder}`
  }

  // The statements of first pages have no parameters, so they are put together once.
  const firstPages = new Map<string, ReturnType<typeof pageOf>>()
  const firstPage = (sort: PostSort, limit: number) => {
    const key = `${sort} ${limit}`
    const made = firstPages.get(key) ?? pageOf({}, sort, { page: 1, limit })
    firstPages.set(key, made)
    return made
  }

  return {
    /** Returns the Posts of a page, and the number of all Posts that match. */
    page: (filter: SummaryFilter, sort: PostSort, page: Page) => {
      const isFirst = page.page === 1 && Object.keys(filter).length === 0
      const found = isFirst ? firstPage(sort, page.limit) : pageOf(filter, sort, page)
      return Effect.orDie(
        Effect.map(listing(filter, sort, page.page)(found), (rows) => ({
          total: rows[0]?.total ?? 0,
          // An empty page is one row that has only the total.
          rows: rows[0]?.id === null ? [] : rows
        }))
      )
    },
    /** Returns those of the Posts that are public, in any order. */
    byIds: (ids: ReadonlyArray<PostId>) =>
      Effect.orDie(
        sql<SummaryRow>`select ${columns} from public_posts p ${shown} where p.id = any(${ids}::uuid[])`
      ),
    /** Returns the Posts of a slice, and one Post beyond it when there are more. */
    slice: (filter: SummaryFilter, sort: PostSort, slice: Slice) =>
      Effect.orDie(listing(filter, sort)(sliceOf(filter, sort, slice)))
  }
})
