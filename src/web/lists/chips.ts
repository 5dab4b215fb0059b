import { type Html, html } from "../../platform/pages/html.ts"
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
