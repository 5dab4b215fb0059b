import type { Gift } from "../../../../schemas/payments/gifts/Gift.ts"
import { hidden } from "../../../platform/pages/fields.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import { day } from "../../pages/parts/values.ts"
import { giftsPath } from "./giftsPath.ts"

const nameOf = ({ createdAt, label }: Gift): Html =>
  label === null ? html`Gift of ${day(createdAt, "en")}` : html`<bdi>${label}</bdi>`

const until = ({ expiresAt }: Gift, before: string): Html =>
  expiresAt === null ? html`` : html`, ${before} ${day(expiresAt, "en")}`

const stateOf = (gift: Gift): Html => {
  const { accessEndedAt, maxRedemptions, redemptions, state } = gift
  const count = html`${redemptions.toLocaleString("en")} of ${maxRedemptions.toLocaleString("en")} opened`
  if (state === "active") return html`${count}${until(gift, "until")}`
  if (state === "exhausted") return count
  if (state === "expired")
    return html`${count}, ended ${gift.expiresAt !== null && day(gift.expiresAt, "en")}`
  if (redemptions === 0) return html`taken back`
  const from = accessEndedAt === null ? ", readers keep access" : ", including from its readers"
  return html`${count}, taken back${from}`
}

/** A button that ends a gift, and the access by it when it is `revoke`. */
const end = (redeemed: "keep" | "revoke", name: string): Html =>
  html`<button class="button quiet" type="submit" name="redeemed" value="${redeemed}">${name}</button>`

const KEEP = "Stop new readers from opening it"
const REVOKE = "Take it back from its readers, too"

/** Returns the ends that are still possible for a gift: none if it has no readers and can get none. */
const endsOf = ({ accessEndedAt, redemptions, state }: Gift): ReadonlyArray<Html> => [
  ...(state === "active" ? [end("keep", redemptions === 0 ? "Take it back" : KEEP)] : []),
  ...(redemptions > 0 && accessEndedAt === null ? [end("revoke", REVOKE)] : [])
]

const item = (gift: Gift): Html => {
  const ends = endsOf(gift)
  return html`<li>
    <span>${nameOf(gift)}</span>
    <span class="size">${stateOf(gift)}</span>
    ${
      ends.length > 0 &&
      html`<details>
        <summary>Take back<span class="sr"> ${nameOf(gift)}</span></summary>
        <form class="fields" method="post" action="${giftsPath(gift.postId)}/end">
          ${hidden("gift", gift.id)}
          <p>You can't undo this.</p>
          ${ends}
        </form>
      </details>`
    }
  </li>`
}

/** Returns the list of the gifts of a Post, each with the buttons that end it. */
export const giftList = (gifts: ReadonlyArray<Gift>): Html | false =>
  gifts.length > 0 &&
  html`<section class="files" aria-labelledby="gifts">
    <h2 class="label" id="gifts">Gifts of this post</h2>
    <ul>
      ${gifts.map(item)}
    </ul>
  </section>`
