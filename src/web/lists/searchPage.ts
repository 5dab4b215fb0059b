import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { cards } from "../pages/parts/cards.ts"
import { pager } from "../pages/parts/pager.ts"
import { counted } from "../pages/parts/values.ts"
import { chips } from "./listLinks.ts"
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

const form = (
  { access, author, category, language, q }: Filters,
  categories: SearchView["categories"]
): Html => {
  const choices = [{ value: "", name: "All" }, ...categories.map(({ name, slug }) => ({ value: slug, name }))]
  return html`<search>
    <form class="find" action="/search">
      <label class="sr" for="q">Words</label>
      <input
        type="search"
        id="q"
        name="q"
        value="${q}"
        placeholder="Search titles and texts"
        maxlength="200"
        autocomplete="off"
      />
      <button class="button" type="submit">Search</button>
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
          <input
            type="text"
            name="language"
            value="${language}"
            placeholder="en"
            maxlength="35"
            autocomplete="off"
        /></label>
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
      </div>
    </form>
  </search>`
}

const nothing = (categories: SearchView["categories"]): Html =>
  html`<p class="note">Nothing has all of these words. Try fewer of them, or another filter.</p>
    ${chips(categories.slice(0, 12))}`

const HINT = html`<p class="note">
  Put a phrase in quotes, as in <code>"penny press"</code>, and a minus before a word that must not occur, as
  in <code>nano -bitcoin</code>.
</p>`

const results = ({ categories, found }: SearchView): Html | false =>
  found !== null &&
  html`<section aria-labelledby="found">
    <h2 class="label" id="found">
      ${found.count === null ? "More results" : counted(found.count, "result")}
    </h2>
    ${found.posts.length === 0 ? nothing(categories) : cards(found.posts)}${pager(found.next, null)}
  </section>`

/** Returns the search with its results. */
export const searchPage = (view: SearchView, baseUrl: string): Page => ({
  title: view.filters.q === "" ? "Search · Pennypress" : `${view.filters.q} · Search · Pennypress`,
  canonical: `${baseUrl}/search`,
  isIndexed: false,
  section: "/search",
  main: html`<header>
      <h1>Search</h1>
      ${form(view.filters, view.categories)}${HINT}
    </header>
    ${results(view)}`
})
