import { type Html, html } from "./html.ts"

/** The field that searches the Posts. */
export const searchField: Html = html`<search>
  <form class="find" action="/search">
    <label class="sr" for="q">Search</label
    ><input
      type="search"
      id="q"
      name="q"
      placeholder="Search posts"
      maxlength="200"
      autocomplete="off"
    /><button class="button" type="submit">Search</button>
  </form>
</search>`
