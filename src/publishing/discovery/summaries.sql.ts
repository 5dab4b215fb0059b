import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { CategoryId } from "../../../schemas/platform/Ids.ts"
import type { PostSort, SummaryQuery } from "../../../schemas/publishing/discovery/query.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { type Cursor, CURSOR_PREFIX } from "./cursor.ts"
import { categoryPosts, publishedPosts } from "./publishedCounts.sql.ts"
import { searchQueryOf } from "./searchQuery.ts"
import { summaryColumns, type SummaryRow } from "./summary.ts"

/** The query without its paging. */
type SummaryFilter = Pick<SummaryQuery, "q" | "categoryId" | "handle" | "authorKind" | "access" | "language">

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

/** The index columns of an order: the key that places a Post, and the id that decides between equal keys. */
const keysOf = (
  sort: PostSort,
  { authorKind, categoryId }: SummaryFilter
): { readonly place: string; readonly id: string } => {
  if (sort === "most_reacted") return { place: "n.reactions", id: "n.post_id" }
  if (sort === "most_purchased") return { place: "n.purchases", id: "n.post_id" }
  // A category has few Posts of a rare kind of authors, and its own index.
  return authorKind !== undefined && categoryId === undefined
    ? { place: "a.published_at", id: "a.post_id" }
    : { place: "p.published_at", id: "p.id" }
}

/**
 * Runs a list as a search if its cost depends on what the reader asks for. All Posts in any order and the newest of one author
 * are short walks of an index, unless a page lies far behind.
 */
const listing = (filter: SummaryFilter, sort: PostSort, page = 1) => {
  const isShort = Object.entries(filter).every(
    ([name, value]) => value === undefined || (name === "handle" && sort === "newest")
  )
  return <A, E>(list: Effect.Effect<A, E>) => (isShort && page === 1 ? list : asSearch(list))
}

/** Statements over lists of published Posts, each list in one statement. */
export const summaryStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(summaryColumns)

  const conditions = (filter: SummaryFilter): ReadonlyArray<Statement.Fragment> => {
    const all: Array<Statement.Fragment> = []
    const { access, authorKind, handle, language, q } = filter
    if (q !== undefined) all.push(sql`p.search @@ websearch_to_tsquery('english', ${searchQueryOf(q)})`)
    if (handle !== undefined) {
      all.push(sql`p.owner_id = (select id from owners where lower(handle) = lower(${handle}))`)
    }
    if (authorKind !== undefined) all.push(sql`a.author_kind = ${authorKind}`)
    if (access !== undefined) all.push(access === "paid" ? sql`p.enable_paywall` : sql`not p.enable_paywall`)
    if (language !== undefined) {
      all.push(
        sql`(lower(p.language) = lower(${language}) or starts_with(lower(p.language), lower(${language}) || '-'))`
      )
    }
    return all
  }

  // An order by a counter walks the index of the counter.
  const counted = (sort: PostSort) =>
    sort === "newest" ? sql`public_posts p` : sql`post_counts n join public_posts p on p.id = n.post_id`

  const matching = (
    filter: SummaryFilter,
    more: ReadonlyArray<Statement.Fragment>,
    sort: PostSort = "newest"
  ) => sql`
    from ${counted(sort)} ${filter.authorKind === undefined ? sql`` : sql`join post_author_kinds a on a.post_id = p.id`}
    where ${sql.and([...conditions(filter), ...more])}`

  const isPrimary = (id: CategoryId) => sql`p.primary_category_id = ${id}`
  const isSecondary = (id: CategoryId) => sql`p.secondary_category_id = ${id}`

  // Written out: PostgreSQL plans a list anew at each request for a limit that is a parameter, which costs as much as
  // the list. There are few limits, and most lists begin at the beginning.
  const number = (value: number) => sql.literal(String(value))
  const from = (offset: number) => (offset === 0 ? sql`` : sql`offset ${offset}`)

  const chosenOrder = sql.literal("p.place desc, p.id desc")

  /**
   * Selects the Posts of a list, before their summaries are made. A public Post has two different categories, and each
   * has an index in the order of the list. Two short walks of an index find the first Posts; an "or" would read all.
   */
  const chosen = (
    filter: SummaryFilter,
    sort: PostSort,
    more: ReadonlyArray<Statement.Fragment>,
    { limit, offset }: { readonly limit: number; readonly offset: number }
  ) => {
    const { id, place } = keysOf(sort, filter)
    const first = (count: number, more: ReadonlyArray<Statement.Fragment>) =>
      sql`select p.*, ${sql.literal(place)} as place ${matching(filter, more, sort)}
        order by ${sql.literal(`${place} desc, ${id} desc`)} limit ${number(count)}`
    const { categoryId } = filter
    if (categoryId === undefined) return sql`${first(limit, more)} ${from(offset)}`
    return sql`
      select p.* from (
        (${first(limit + offset, [isPrimary(categoryId), ...more])})
        union all (${first(limit + offset, [isSecondary(categoryId), ...more])})) p
      order by ${chosenOrder} limit ${number(limit)} ${from(offset)}`
  }

  // One look at an index for each Post. `offset 0` keeps the planner from reading all owners or counts instead.
  const shown = sql.literal(
    `cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
    cross join lateral (select * from post_counts where post_id = p.id offset 0) n`
  )

  /** Reads the total from the counters where they have it. Counts rows only for a combination of filters. */
  const total = (filter: SummaryFilter) => {
    const [only, ...others] = Object.entries(filter).filter(([, value]) => value !== undefined)
    if (only === undefined) return sql.literal(publishedPosts)
    if (others.length === 0 && only[0] === "categoryId") {
      return sql`coalesce((select ${sql.literal(categoryPosts)} from categories c where c.id = ${only[1]}), 0)`
    }
    if (others.length === 0 && only[0] === "handle") {
      return sql`coalesce((select published_post_count from public_owners where lower(handle) = lower(${only[1]})), 0)`
    }
    if (others.length === 0 && only[0] === "authorKind") {
      const ofAgents = sql`(
        select coalesce(sum(published_post_count), 0) from owners where author_kind = 'agent')`
      return only[1] === "agent" ? ofAgents : sql`${sql.literal(publishedPosts)} - ${ofAgents}`
    }
    const { categoryId } = filter
    const either = categoryId === undefined ? [] : [sql.or([isPrimary(categoryId), isSecondary(categoryId)])]
    return sql`(select count(*) ${matching(filter, either)})`
  }

  // The total stands beside each Post, or alone in a row when the page is empty.
  const pageOf = (filter: SummaryFilter, sort: PostSort, { limit, page }: Page) =>
    sql<SummaryRow & { readonly total: number }>`
      select matching.total::integer as total, summaries.*
      from (select ${total(filter)} as total) matching
      left join (
        select ${columns}, row_number() over (order by ${chosenOrder}) as position
        from (${chosen(filter, sort, [], { limit, offset: (page - 1) * limit })}) p ${shown}) summaries on true
      order by summaries.position`

  /** A cursor spells a moment in microseconds since 1970, and any other key as it is. */
  const beyond = (filter: SummaryFilter, sort: PostSort, { id, key }: Cursor) => {
    const keys = keysOf(sort, filter)
    const place = sql`(${sql.literal(`${keys.place}, ${keys.id}`)})`
    return sort === "newest"
      ? sql`${place} < (timestamptz 'epoch' + ${key}::bigint * interval '1 microsecond', ${id}::uuid)`
      : sql`${place} < (${key}::bigint, ${id}::uuid)`
  }

  const spelled = (sort: PostSort) =>
    sql.literal(
      `'${CURSOR_PREFIX[sort]}' || ${
        sort === "newest" ? "(extract(epoch from p.place) * 1000000)::bigint" : "p.place"
      } || '_' || p.id`
    )

  // Reads one Post beyond the limit, which tells if there are more.
  const sliceOf = (filter: SummaryFilter, sort: PostSort, { after, limit }: Slice) => {
    const more = after === undefined ? [] : [beyond(filter, sort, after)]
    return sql<SliceRow>`
      select ${columns}, ${spelled(sort)} as cursor
      from (${chosen(filter, sort, more, { limit: limit + 1, offset: 0 })}) p ${shown}
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
    /** Returns the Posts of a slice, and one Post beyond it when there are more. */
    slice: (filter: SummaryFilter, sort: PostSort, slice: Slice) =>
      Effect.orDie(listing(filter, sort)(sliceOf(filter, sort, slice)))
  }
})
