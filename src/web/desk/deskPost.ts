import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { OwnPost } from "../../publishing/posts/ownPosts.sql.ts"
import { counted, day } from "../pages/parts/values.ts"
import { publishPath } from "../write/writePage.ts"
import { READS_DAYS } from "./deskPosts.ts"
import { readsPath } from "./readsPage.ts"

/** Returns the title of a post, in the direction of its script. */
export const titleOf = ({ title }: Pick<OwnPost, "title">): Html =>
  html`<bdi>${title === "" ? "Untitled" : title}</bdi>`

const priceOf = ({ price_raw: raw }: OwnPost): string =>
  raw === null ? "free" : `${xnoOfRaw(BigInt(raw))} XNO`

const draft = (post: OwnPost): Html => {
  if (post.is_withdrawn) return html`Taken off the site by our moderators`
  return post.is_returning ? html`Draft, and back on the site in a few minutes` : html`Draft`
}

/** Returns the state of a post in words. */
export const stateOf = (post: OwnPost): Html => {
  const edited = html`edited on ${day(post.edited_at, "en")}`
  const reads = html`<a href="${readsPath(post.id)}">${counted(post.reads, "read")}</a> in ${READS_DAYS} days`
  const sold = html`${counted(post.purchases, "sale")}, ${counted(post.comments, "comment")}`
  return post.status === "draft"
    ? html`${draft(post)}, ${priceOf(post)}, ${post.purchases > 0 && html`${sold}, `}${edited}`
    : html`<a href="${publishPath(post.id)}">Published</a>, ${priceOf(post)}, ${reads}, ${sold}, ${edited}`
}
