import { TOTAL_MAX } from "../../../schemas/publishing/discovery/Discovery.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { searchQueryOf } from "../../publishing/discovery/searchQuery.ts"
import { cards } from "../pages/parts/cards.ts"
import { pager } from "../pages/parts/pager.ts"
import { agentTag, authorPath } from "../pages/parts/people.ts"
import { countedTo } from "../pages/parts/values.ts"
import { chips } from "./listLinks.ts"
import { hasFilter, targetOf } from "./searchFilters.ts"
import type { Filters, SearchView } from "./views.ts"

interface Choice {
  readonly value: string
  readonly name: string
}

const options = (choices: ReadonlyArray<Choice>, chosen: string): Html =>
  html`${choices.map(({ name, value }) =>
    value === chosen
      ? html`<option value="${value}" selected>${name}</option>`
      : html`<option value="${value}">${name}</option>`
  )}`

const ACCESS: ReadonlyArray<Choice> = [
  { value: "", name: "Free and paid" },
  { value: "free", name: "Free" },
  { value: "paid", name: "Paid" }
]

const ORDERS: ReadonlyArray<Choice> = [
  { value: "", name: "Most relevant" },
  { value: "newest", name: "Newest" },
  { value: "most_reacted", name: "Most reacted" }
]

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

/** Returns the name of a language; undefined for a tag that is none. */
const nameOf = (tag: string): string | undefined => {
  try {
    return names.of(tag)
  } catch {
    return undefined
  }
}

/** The languages that a reader can choose, by their names. The one that was asked for is among them. */
const languagesOf = (tags: ReadonlyArray<string>, chosen: string): ReadonlyArray<Choice> => {
  const known = tags.flatMap((value) => {
    const name = nameOf(value)
    return name === undefined ? [] : [{ value, name }]
  })
  const isKnown = chosen === "" || known.some(({ value }) => value === chosen)
  const asked = isKnown ? [] : [{ value: chosen, name: nameOf(chosen) ?? chosen }]
  return [
    { value: "", name: "All" },
    ...[...asked, ...known].toSorted((one, other) => one.name.localeCompare(other.name, "en"))
  ]
}

/** The filters of a search. Narrow windows show them at a press, or where one of them is set. */
const filters = ({ categories, filters: chosen, languages }: SearchView): Html => {
  const { access, author, category, language, sort } = chosen
  const choices = [{ value: "", name: "All" }, ...categories.map(({ name, slug }) => ({ value: slug, name }))]
  const content = html`<summary>Filters</summary>
    <div class="filters">
      <label
        >Category
        <select name="category">
          ${options(choices, category)}
        </select></label
      >
      <label
        >Price
        <select name="access">
          ${options(ACCESS, access)}
        </select></label
      >
      <label
        >Language
        <select name="language">
          ${options(languagesOf(languages, language), language)}
        </select></label
      >
      <label
        >Author
        <input
          type="text"
          name="author"
          value="${author}"
          placeholder="handle"
          maxlength="31"
          autocomplete="off"
      /></label>
      <label
        >Order
        <select name="sort">
          ${options(ORDERS, sort)}
        </select></label
      >
    </div>`
  return [access, author, category, language, sort].some((it) => it !== "")
    ? html`<details class="narrow" open>${content}</details>`
    : html`<details class="narrow">${content}</details>`
}

const form = (view: SearchView): Html =>
  html`<search>
    <form class="find" action="/search">
      <label class="sr" for="q">Words</label>
      <input
        type="search"
        id="q"
        name="q"
        value="${view.filters.q}"
        placeholder="Search posts"
        maxlength="200"
        autocomplete="off"
      />
      <button class="button" type="submit">Search</button>
      ${filters(view)}
    </form>
  </search>`

/** Says what was searched, and what a reader can change. */
const nothingFound = ({ q, ...filters }: Filters): string => {
  const isFiltered = hasFilter({ q: "", ...filters })
  if (q === "") return "No post matches these filters. Try fewer of them."
  if (searchQueryOf(q) === undefined) {
    return `“${q}” doesn't contain a word to search for. Enter at least one.`
  }
  const searched = `“${q}” in its title, description or public text`
  return isFiltered
    ? `No post with these filters has ${searched}. Try fewer words or filters.`
    : `No post has ${searched}. Try fewer or different words.`
}

const nothing = ({ categories, filters }: SearchView): Html =>
  html`<p class="note">${nothingFound(filters)}</p>
    ${chips(categories.slice(0, 12))}`

const HINT = html`<p class="note">
  Use quotes for an exact phrase, like <code>"penny press"</code>, and a hyphen to leave a word out, like
  <code>nano -bitcoin</code>. Text behind a paywall isn't searched.
</p>`

const NO_MORE = html`<p class="note">There are no more results.</p>`

const authorList = (authors: NonNullable<SearchView["found"]>["authors"]): Html | false =>
  authors.length > 0 &&
  html`<section aria-labelledby="authors">
    <h2 class="label" id="authors">Authors</h2>
    <ul class="chips">
      ${authors.map(
        ({ authorKind, handle, name }) =>
          html`<li>
            <a href="${authorPath(handle)}"
              ><span
                ><span dir="auto">${name}</span> <small>@${handle}</small> ${agentTag(authorKind)}</span
              ></a
            >
          </li>`
      )}
    </ul>
  </section>`

/** Says in which order the Posts are, and leads to the other one. Relevance compares a part of many Posts. */
const order = (filters: Filters, count: number | null): Html | false => {
  if (filters.q === "" || filters.sort === "most_reacted") return false
  if (filters.sort === "newest")
    return html`<p class="note">
      Newest first. <a href="${targetOf({ ...filters, sort: "" })}">Most relevant first</a>
    </p>`
  const newest = targetOf({ ...filters, sort: "newest" })
  return (count ?? 0) < TOTAL_MAX
    ? html`<p class="note">Most relevant first. <a href="${newest}">Newest first</a></p>`
    : html`<p class="note">The most relevant of them first. <a href="${newest}">All, newest first</a></p>`
}

const results = (view: SearchView): Html | false => {
  const { found } = view
  return (
    found !== null &&
    html`${authorList(found.authors)}
      <section aria-labelledby="found">
        <h2 class="label" id="found">
          ${found.count === null ? "More results" : countedTo(TOTAL_MAX, found.count, "result")}
        </h2>
        ${found.posts.length > 0 && order(view.filters, found.count)}${found.posts.length > 0 ? cards(found.posts) : found.isFurther ? NO_MORE : nothing(view)}${pager(found.next, found.isFurther ? targetOf(view.filters) : null)}
      </section>`
  )
}

/** Returns the search with its results. */
export const searchPage = (view: SearchView, baseUrl: string): Page => ({
  title: view.filters.q === "" ? "Search" : `${view.filters.q} · Search`,
  canonical: `${baseUrl}/search`,
  isIndexed: false,
  section: "/search",
  main: html`<header>
      <h1>Search</h1>
      ${form(view)}${HINT}
    </header>
    ${results(view)}`
})
