import {
  type Gift,
  GIFT_LABEL_CHARACTERS_MAX,
  GIFT_REDEMPTIONS_MAX
} from "../../../../schemas/payments/gifts/Gift.ts"
import type { PostId } from "../../../../schemas/platform/Ids.ts"
import { field, hidden, outcome } from "../../../platform/pages/fields.ts"
import { type Html, html } from "../../../platform/pages/html.ts"
import type { Page } from "../../../platform/pages/layout.ts"
import { formPage } from "../../../platform/pages/messagePage.ts"
import { pager } from "../../pages/parts/pager.ts"
import { giftList } from "./giftList.ts"
import { type GiftEnd, giftsPath } from "./giftsPath.ts"
import type { GiftTerms, WrongTerms } from "./giftTerms.ts"
import type { OwnPost } from "./ownPosts.ts"

interface GiftsView {
  readonly postId: PostId
  readonly post: OwnPost
  /** Names the gift of this page, so that it is made only once, however often the form is sent. */
  readonly key: string
  readonly terms: GiftTerms
  readonly wrong: WrongTerms
  /** The day from which a gift may last. */
  readonly today: string
  readonly gifts: ReadonlyArray<Gift>
  /** The path of the next page of gifts, and of the first. */
  readonly next: string | null
  readonly first: string | null
  readonly done: GiftEnd | null
  /** The reason why no gift was made, in a sentence. */
  readonly refusal: string | null
}

const words: Readonly<Record<GiftEnd, string>> = {
  closed: "No one else can open this gift. Readers who already opened it keep access.",
  ended: "This gift was taken back, including from readers who had opened it."
}

const told = ({ done, refusal }: GiftsView): Html | false => {
  if (refusal !== null) return outcome(html`<strong class="bad">${refusal}</strong>`)
  return done !== null && outcome(words[done])
}

const label = ({ terms, wrong }: GiftsView): Html =>
  field({
    name: "label",
    label: "Note to yourself",
    hint: "For example, who it's for. Optional, and only you see it.",
    wrong: wrong.label,
    control: ({ by, isInvalid }) =>
      html`<input
        id="label"
        name="label"
        type="text"
        maxlength="${GIFT_LABEL_CHARACTERS_MAX}"
        dir="auto"
        autocomplete="off"
        value="${terms.label}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })

const readers = ({ terms, wrong }: GiftsView): Html =>
  field({
    name: "readers",
    label: "Readers who may open it",
    hint: "How many readers can open the link. First come, first served.",
    wrong: wrong.readers,
    isFocused: wrong.label === undefined,
    control: ({ by, isInvalid }) =>
      html`<input
        id="readers"
        name="readers"
        type="number"
        required
        min="1"
        max="${GIFT_REDEMPTIONS_MAX}"
        autocomplete="off"
        value="${terms.readers}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })

const lastDay = ({ terms, today, wrong }: GiftsView): Html =>
  field({
    name: "until",
    label: "Last day to open it",
    hint: "Ends at midnight UTC. Anyone who has opened it keeps access. Leave empty for no end date.",
    wrong: wrong.until,
    isFocused: wrong.label === undefined && wrong.readers === undefined,
    control: ({ by, isInvalid }) =>
      html`<input
        id="until"
        name="until"
        type="date"
        min="${today}"
        max="9999-12-31"
        autocomplete="off"
        value="${terms.until}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })

const form = (view: GiftsView): Html =>
  html`<form class="fields" method="post" action="${giftsPath(view.postId)}">
    ${hidden("key", view.key)}${label(view)}${readers(view)}${lastDay(view)}<button
      class="button"
      type="submit"
    >
      Create gift link
    </button>
  </form>`

const about = ({ post }: GiftsView): Html =>
  post.isForSale
    ? html`<p class="lede">
        Anyone with the link can read “<a href="${post.path}"><bdi>${post.title}</bdi></a
        >” for free.
      </p>`
    : html`<p class="lede">
        “<bdi>${post.title}</bdi>” isn't for sale right now. You can give published posts that have a price.
      </p>`

/** Returns the page on which an author makes gifts of a Post, and ends those that were made. */
export const giftsPage = (view: GiftsView): Page => {
  const { first, gifts, next, post } = view
  return formPage({
    title: "Give a post",
    kicker: "Gifts",
    heading: html`Give this post`,
    content: html`${told(view)}${about(view)}${post.isForSale && form(view)}${giftList(gifts)}${pager(next, first)}
      <p class="note"><a href="/give">All your posts with a price</a></p>`
  })
}
