import type {
  Subscriber,
  SubscriberCounts,
  SubscriberState
} from "../../../schemas/engagement/subscribers/Subscriber.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { buttonTo } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { READERS } from "../browser/paths.ts"
import { counted } from "../pages/parts/values.ts"
import { BRING } from "./bringPage.ts"

export interface ReadersView {
  readonly counts: SubscriberCounts
  readonly readers: ReadonlyArray<Subscriber>
  /** The address that was looked for; empty for all readers. */
  readonly q: string
  /** The path of the next page. */
  readonly next: string | null
  readonly isRemoved: boolean
  /** True where readers can subscribe. */
  readonly isOpen: boolean
  /** The public page of the author, which has the form. */
  readonly authorPath: string
  readonly isModerator: boolean
}

const states: Readonly<Record<SubscriberState, string>> = {
  pending: "not confirmed yet",
  active: "gets your posts",
  ended: "unsubscribed",
  bounced: "the mailbox refuses your posts",
  complained: "marked a mail as spam"
}

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" })

const dayOf = ({ confirmedAt, createdAt, endedAt }: Subscriber) =>
  DAY.format(Date.parse(endedAt ?? confirmedAt ?? createdAt))

const reader = (it: Subscriber): Html =>
  html`<li>
    <span><bdi>${it.email}</bdi><br /><span class="size">${states[it.state]}, ${dayOf(it)}</span></span>
    ${
      it.endedAt === null &&
      html`<form method="post" action="${READERS}/remove">
        ${hidden("id", it.id)}<button class="button quiet" type="submit">
          Remove<span class="sr"> ${it.email}</span>
        </button>
      </form>`
    }
  </li>`

const summary = ({ counts: { active, pending } }: ReadersView) =>
  pending === 0
    ? `${counted(active, "reader")} ${active === 1 ? "gets" : "get"} your posts by email.`
    : `${counted(active, "reader")} ${active === 1 ? "gets" : "get"} your posts by email. ${pending.toLocaleString("en")} more ${pending === 1 ? "hasn't" : "haven't"} confirmed yet.`

const search = ({ q }: ReadersView): Html =>
  html`<form class="find" role="search" action="${READERS}">
    <input
      type="search"
      name="q"
      maxlength="320"
      value="${q}"
      placeholder="ada@example.org"
      aria-label="Find a reader by address"
      dir="auto"
    /><button class="button quiet" type="submit">Find</button>
  </form>`

const empty = ({ authorPath, isOpen, q }: ReadersView): Html =>
  q === ""
    ? html`<p class="lede">
          ${isOpen ? "Readers find the form on your page and at the end of each post." : "Posts by email are turned off on this site."}
        </p>
        ${buttonTo(authorPath, "See your page")}`
    : html`<p class="lede">No reader has this address.</p>`

/** Returns the page with the readers who get the posts of an author by mail. Only the author sees it. */
export const readersPage = (view: ReadersView): Page => {
  const isEmpty = view.readers.length === 0 && view.q === ""
  return {
    title: "Readers",
    isIndexed: false,
    main: html`<div class="message wide">
      <h1>Readers</h1>
      ${deskMenu(READERS, view.isModerator)}${view.isRemoved && outcome("Removed. This reader gets no more posts from you.")}
      <p class="lede">${summary(view)}</p>
      ${!isEmpty && search(view)}${
        view.readers.length === 0
          ? empty(view)
          : html`<section class="files">
              <ul>
                ${view.readers.map(reader)}
              </ul>
            </section>`
      }
      <p class="act">
        ${view.q !== "" && html`<a class="button quiet" href="${READERS}">All readers</a> `}${view.next !== null && html`<a class="button quiet" href="${view.next}">Older</a> `}${!isEmpty && html`<a class="button quiet" href="${READERS}/export.csv">Download (CSV)</a> `}${view.isOpen && html`<a class="button quiet" href="${BRING}">Bring readers</a>`}
      </p>
    </div>`
  }
}
