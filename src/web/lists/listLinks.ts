import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import type { CategoryCountView } from "./views.ts"

/** Categories as links. `last` leads to all of them. */
export const chips = (
  categories: ReadonlyArray<Pick<CategoryCountView, "name" | "slug">>,
  last?: { readonly path: string; readonly name: string }
): Html =>
  html`<ul class="chips">
    ${categories.map(({ name, slug }) => html`<li><a href="/c/${slug}">${name}</a></li>`)}
    ${last !== undefined && html`<li><a href="${last.path}">${last.name}</a></li>`}
  </ul>`

/** Returns the links of a page to its feeds. `start` is their address without their names. */
export const feedLinks = (start: string, title: string): NonNullable<Page["alternates"]> => [
  { type: "application/atom+xml", url: `${start}/atom.xml`, title: `${title} (Atom)` },
  { type: "application/rss+xml", url: `${start}/rss.xml`, title: `${title} (RSS)` },
  { type: "application/feed+json", url: `${start}/feed.json`, title: `${title} (JSON)` }
]
