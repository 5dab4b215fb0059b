import type { CategoryId } from "../../../schemas/platform/Ids.ts"
import type { SummaryQuery } from "../../../schemas/publishing/discovery/query.ts"
import { searchWordsOf } from "../pages/parts/searchWords.ts"
import type { CategoryCountView, Filters } from "./views.ts"

const LANGUAGE = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i
const HANDLE = /^@?[a-z0-9_]{1,30}$/i

const matching = (text: string | null, pattern: RegExp) => {
  const value = searchWordsOf(text)
  return pattern.test(value) ? value : ""
}

/** Reads the filters of a search. A filter with an impossible value is left out. */
export const filtersOf = (query: URLSearchParams): Filters => ({
  q: searchWordsOf(query.get("q")),
  category: matching(query.get("category"), /^[a-z0-9-]{1,60}$/),
  access: matching(query.get("access"), /^(?:free|paid)$/),
  language: matching(query.get("language"), LANGUAGE),
  author: matching(query.get("author"), HANDLE).replace(/^@/, ""),
  sort: matching(query.get("sort"), /^(?:newest|most_reacted)$/)
})

/** Tells if anything is searched. An order alone finds nothing. */
export const hasFilter = ({ access, author, category, language, q }: Filters): boolean =>
  [access, author, category, language, q].some((it) => it !== "")

/** Returns the query of the filters. A category that does not exist has no Posts, so it is also left out. */
export const queryOfFilters = (
  { access, author, category, language, q, sort }: Filters,
  categories: ReadonlyArray<CategoryCountView & { readonly id: CategoryId }>
): SummaryQuery => {
  const categoryId = categories.find(({ slug }) => slug === category)?.id
  return {
    ...(q === "" ? {} : { q }),
    ...(categoryId === undefined ? {} : { categoryId }),
    ...(access === "free" || access === "paid" ? { access } : {}),
    ...(language === "" ? {} : { language }),
    ...(author === "" ? {} : { handle: author }),
    ...(sort === "newest" || sort === "most_reacted" ? { sort } : { sort: "relevance" })
  }
}

/** Returns the target of a search after a cursor, or of its beginning. */
export const targetOf = (filters: Filters, after = ""): string => {
  const members = Object.entries({ ...filters, after }).filter(([, value]) => value !== "")
  return `/search?${new URLSearchParams(members).toString()}`
}
