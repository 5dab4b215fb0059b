import type { PostSort, SummaryQuery } from "../../../schemas/publishing/discovery/query.ts"

/** The query without its paging. */
export type SummaryFilter = Pick<
  SummaryQuery,
  "q" | "categoryId" | "handle" | "authorKind" | "access" | "language"
>

/** The index columns of an order: the key that places a Post, and the id that decides between equal keys. */
export interface Keys {
  readonly place: string
  readonly id: string
}

/** Returns true for an order by the counters of Posts. */
export const isCounted = (sort: PostSort): sort is "most_reacted" | "most_purchased" =>
  sort === "most_reacted" || sort === "most_purchased"

/** Returns the keys of the walk that makes a list. A kind of authors has few Posts, and an index of its own. */
export const keysOf = (sort: PostSort, { authorKind, handle }: SummaryFilter): Keys => {
  if (sort === "most_reacted") return { place: "n.reactions", id: "n.post_id" }
  if (sort === "most_purchased") return { place: "n.purchases", id: "n.post_id" }
  return authorKind === undefined || handle !== undefined
    ? { place: "p.published_at", id: "p.id" }
    : { place: "a.published_at", id: "a.post_id" }
}

/** The filters that a query has. */
export const filtersIn = (filter: SummaryFilter) =>
  Object.entries(filter).filter(([, value]) => value !== undefined)

/** Returns true for all Posts in any order, and for the newest of an author, a category or a kind: short walks of an index. */
export const isWalk = (filter: SummaryFilter, sort: PostSort): boolean => {
  const [only, ...others] = filtersIn(filter)
  if (only === undefined) return true
  return others.length === 0 && sort === "newest" && ["handle", "categoryId", "authorKind"].includes(only[0])
}
