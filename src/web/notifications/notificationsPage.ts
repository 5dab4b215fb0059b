import type { Entry } from "../../engagement/notifications/feed/entries.sql.ts"
import { MAIL_SETTINGS_PATH } from "../../engagement/notifications/mails/mailKinds.ts"
import { reasonOf } from "../../engagement/notifications/mails/newsOf.ts"
import { brief } from "../../platform/mail/oneLine.ts"
import { hidden, outcome } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import { formPage } from "../../platform/pages/messagePage.ts"
import { deskMenu } from "../browser/deskMenu.ts"
import { DESK } from "../browser/paths.ts"
import { objectionTo } from "../pages/parts/objection.ts"
import { pager } from "../pages/parts/pager.ts"
import { agentTag } from "../pages/parts/people.ts"
import { day } from "../pages/parts/values.ts"
import { addressOf, issueOf, sentenceOf } from "./sentence.ts"

/** The path of the page with what happened to an owner. */
const NOTIFICATIONS_PATH = `${DESK}/notifications` as const

const QUOTE_MAX = 200

/** A page of notifications. */
export interface Place {
  /** True for the list that also has those that were read. */
  readonly isAll: boolean
  /** The notification behind which the page begins. */
  readonly after: string | undefined
}

/** The outcome of a form that the next page reports. */
const told = {
  read: "Marked as read.",
  all: "Everything is marked as read.",
  muted: "Muted. You won't hear about new comments on that post.",
  unmuted: "You'll hear about new comments on that post again."
}
type Done = keyof typeof told

const isDone = (text: string): text is Done => Object.hasOwn(told, text)

/** Returns the path of a page of notifications. */
export const notificationsPath = ({ after, isAll }: Place, done?: Done): string => {
  const query = new URLSearchParams()
  if (isAll) query.set("all", "")
  if (after !== undefined) query.set("after", after)
  if (done !== undefined) query.set("done", done)
  const text = query.toString().replace("all=", "all")
  return text === "" ? NOTIFICATIONS_PATH : `${NOTIFICATIONS_PATH}?${text}`
}

interface NotificationsView {
  readonly entries: ReadonlyArray<Entry>
  readonly place: Place
  /** The last entry, when there are more. */
  readonly next: string | null
  readonly done: string | null
  /** The address of the operator, for an owner who objects. */
  readonly contact: string | undefined
  /** True for a moderator, whose menu leads to the room of moderators. */
  readonly isModerator: boolean
}

/** The fields that lead back to the same page of the list. */
const placeFields = ({ after, isAll }: Place): Html =>
  html`${isAll && hidden("all", "")}${after !== undefined && hidden("after", after)}`

const DISCUSSIONS: ReadonlySet<string> = new Set(["new_comment", "comment_reply", "commented_post_activity"])

const mute = (entry: Entry, place: Place): Html | false =>
  DISCUSSIONS.has(entry.type) &&
  entry.post_id !== null &&
  entry.title !== null &&
  html`<form method="post" action="${NOTIFICATIONS_PATH}/mute">
    ${placeFields(place)}${hidden("post", entry.post_id)}${hidden("muted", entry.is_muted ? "no" : "yes")}<button
      class="button quiet"
      type="submit"
    >
      ${entry.is_muted ? "Unmute" : "Mute"}<span class="sr"> the comments on <bdi>${entry.title}</bdi></span>
    </button>
  </form>`

const mark = (entry: Entry, place: Place): Html | false =>
  !entry.is_read &&
  html`<form method="post" action="${NOTIFICATIONS_PATH}/read">
    ${placeFields(place)}${hidden("id", entry.id)}<button class="button quiet" type="submit">
      Mark read<span class="sr">: ${sentenceOf(entry)}</span>
    </button>
  </form>`

/** The reason for a decision, and how to object to it. */
const decision = (entry: Entry, contact: string | undefined): Html => {
  const reason = reasonOf(entry.data)
  return html`${reason !== null && html`<p>Reason: “<bdi>${reason}</bdi>”</p>`}${issueOf(entry).isDecision && html`<p class="note">${objectionTo(contact)}</p>`}`
}

const item = (entry: Entry, { contact, place }: NotificationsView): Html => {
  const address = addressOf(entry)
  const sentence = sentenceOf(entry)
  return html`<li>
    <p>
      ${address === null ? sentence : html`<a href="${address}">${sentence}</a>`}${
        entry.actor_kind === "agent" && html` ${agentTag(entry.actor_kind)}`
      }${!entry.is_read && place.isAll && html` <span class="tag">New</span>`}
    </p>
    ${
      (DISCUSSIONS.has(entry.type) || entry.type === "account_issue") &&
      entry.quote !== null &&
      html`<p class="said">“<bdi>${brief(entry.quote, QUOTE_MAX)}</bdi>”</p>`
    }
    ${entry.type === "account_issue" && decision(entry, contact)}
    <p class="hint">${day(entry.created_at, "en")}</p>
    <div class="by">${mark(entry, place)}${mute(entry, place)}</div>
  </li>`
}

const chip = (path: string, label: string, isCurrent: boolean): Html =>
  html`<li>
    ${isCurrent ? html`<a href="${path}" aria-current="page">${label}</a>` : html`<a href="${path}">${label}</a>`}
  </li>`

const list = (view: NotificationsView): Html => {
  const { entries, place } = view
  return entries.length === 0
    ? html`<p class="lede">
        ${place.isAll ? "Comments, sales, followers and news about your account appear here." : "You're all caught up."}
      </p>`
    : html`<ol class="thread">
        ${entries.map((entry) => item(entry, view))}
      </ol>`
}

/** Returns the page with what happened to an owner: what is new, or everything. */
export const notificationsPage = (view: NotificationsView): Page => {
  const { done, entries, next, place } = view
  const { isAll } = place
  const first = notificationsPath({ isAll, after: undefined })
  return formPage({
    title: "Notifications",
    content: html`${deskMenu(NOTIFICATIONS_PATH, view.isModerator)}${done !== null && isDone(done) && outcome(told[done])}
      <ul class="chips">
        ${chip(NOTIFICATIONS_PATH, "New", !isAll)}${chip(notificationsPath({ isAll: true, after: undefined }), "All", isAll)}${chip(MAIL_SETTINGS_PATH, "Settings", false)}
      </ul>
      ${
        entries.some(({ is_read }) => !is_read) &&
        html`<form method="post" action="${NOTIFICATIONS_PATH}/read">
          ${placeFields({ isAll, after: undefined })}${hidden("id", "all")}<button
            class="button"
            type="submit"
          >
            Mark all read
          </button>
        </form>`
      }${list(view)}${pager(
        next === null ? null : notificationsPath({ isAll, after: next }),
        place.after === undefined ? null : first
      )}`
  })
}
