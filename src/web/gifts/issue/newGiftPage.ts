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
  readers === 1 ? "the first who opens it reads" : `the first ${readers} readers who open it read`

/** Returns the page that shows the link of a new gift. No other page has it. */
export const newGiftPage = ({ gift, title, url }: NewGiftView): Page =>
  formPage({
    title: "Your gift",
    kicker: "Gifts",
    heading: html`Your gift of “<bdi>${title}</bdi>”`,
    content: html`${outcome("The gift is made. Copy its link now: it is shown this once.")}${copyField("The link of the gift", url, url)}
      <p>
        Pass it on as it is: ${first(gift.maxRedemptions)} the Post.
        ${gift.expiresAt === null ? "It has no end." : html`It can be opened until ${day(gift.expiresAt, "en")}.`}
      </p>
      <p id="live" class="sr" role="status"></p>
      <p class="note"><a href="${giftsPath(gift.postId)}">All gifts of this Post</a></p>`
  })
