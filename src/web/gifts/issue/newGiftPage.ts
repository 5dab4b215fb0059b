import type { Gift } from "../../../../schemas/payments/gifts/Gift.ts"
import { copyField } from "../../../platform/pages/copyField.ts"
import { outcome } from "../../../platform/pages/fields.ts"
import { html } from "../../../platform/pages/html.ts"
import type { Page } from "../../../platform/pages/layout.ts"
import { formPage } from "../../../platform/pages/messagePage.ts"
import { day } from "../../pages/parts/values.ts"
import { giftsPath } from "./giftsPath.ts"

interface NewGiftView {
  readonly gift: Gift
  readonly title: string
  /** The link of the gift, with its token. */
  readonly url: string
}

const first = (readers: number) =>
  readers === 1 ? "the first reader who opens it" : `the first ${readers} readers who open it`

/** Returns the page that shows the link of a new gift. No other page has it. */
export const newGiftPage = ({ gift, title, url }: NewGiftView): Page =>
  formPage({
    title: "Your gift",
    kicker: "Gifts",
    heading: html`Your gift: “<bdi>${title}</bdi>”`,
    content: html`${outcome("Your gift link is ready. Copy it now: we only show it once.")}${copyField("Gift link", url, url)}
      <p>
        Send it as it is. It works for
        ${first(gift.maxRedemptions)}${gift.expiresAt !== null && html`, until ${day(gift.expiresAt, "en")}`}.
      </p>
      <p id="live" class="sr" role="status"></p>
      <p class="note"><a href="${giftsPath(gift.postId)}">All gifts of this post</a></p>`
  })
