import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { counted, day } from "../pages/parts/values.ts"
import { publishPath } from "../write/writePage.ts"
import type { DeskPost } from "./desk.sql.ts"

/** Returns the title of a post, in the direction of its script. */
export const titleOf = ({ title }: DeskPost): Html => html`<bdi>${title === "" ? "Untitled" : title}</bdi>`

const priceOf = ({ price_raw: raw }: DeskPost): string =>
  raw === null ? "free" : `${xnoOfRaw(BigInt(raw))} XNO`

const draft = (post: DeskPost): Html => {
  if (post.is_withdrawn) return html`Taken off the site by our moderators`
  return post.is_returning ? html`Draft, and back on the site in a few minutes` : html`Draft`
}

/** Returns the state of a post in words. */
export const stateOf = (post: DeskPost): Html => {
  const edited = html`edited on ${day(post.edited_at, "en")}`
  const sold = html`${counted(post.purchases, "sale")}, ${counted(post.comments, "comment")}`
  return post.status === "draft"
    ? html`${draft(post)}, ${priceOf(post)}, ${post.purchases > 0 && html`${sold}, `}${edited}`
    : html`<a href="${publishPath(post.id)}">Published</a>, ${priceOf(post)}, ${sold}, ${edited}`
}
