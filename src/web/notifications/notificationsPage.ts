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
import { since } from "../pages/parts/since.ts"
import { type Group, groupAddress, groupSentence, groupsOf } from "./groups.ts"
import { addressOf, issueOf, sentenceOf } from "./sentence.ts"

/** The path of the page with what happened to an owner. */
const NOTIFICATIONS_PATH = `${DESK}/notifications` as const

const QUOTE_MAX = 200

/** A page of notifications. */
export interface Place {
  /** True for the list that also has those that were read long ago. */
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
  /** The moment at which the page is read. */
  readonly now: Date
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

const mute = (entry: Entry, { place }: NotificationsView): Html | false =>
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

const isNew = ({ is_read }: Entry): boolean => !is_read

const linked = (address: string | null, sentence: Html): Html =>
  address === null ? sentence : html`<a href="${address}">${sentence}</a>`

/** The reason for a decision, and how to object to it. */
const decision = (entry: Entry, contact: string | undefined): Html => {
  const reason = reasonOf(entry.data)
  return html`${reason !== null && html`<p>Reason: “<bdi>${reason}</bdi>”</p>`}${issueOf(entry).isDecision && html`<p class="note">${objectionTo(contact)}</p>`}`
}

/** The words of a comment, and the reason of moderators. */
const said = (entry: Entry, { contact }: NotificationsView): Html => {
  const isIssue = entry.type === "account_issue"
  return html`${
    (DISCUSSIONS.has(entry.type) || isIssue) &&
    entry.quote !== null &&
    html`<p class="said">“<bdi>${brief(entry.quote, QUOTE_MAX)}</bdi>”</p>`
  }${isIssue && decision(entry, contact)}`
}

const single = (entry: Entry): Html =>
  html`${linked(addressOf(entry), sentenceOf(entry))}${
    entry.actor_kind === "agent" && html` ${agentTag(entry.actor_kind)}`
  }`

/** The entries of a group, each with its own link. */
const each = ({ entries }: Group, view: NotificationsView): Html =>
  html`<details>
    <summary>All ${entries.length}</summary>
    <ul class="plain">
      ${entries.map(
        (entry) =>
          html`<li>
            ${single(entry)}${said(entry, view)}
            <span class="hint">${since(entry.created_at, view.now)}</span>
          </li>`
      )}
    </ul>
  </details>`

const item = (group: Group, view: NotificationsView): Html => {
  const { entries, newest } = group
  const isOne = entries.length === 1
  return html`<li>
    <p>
      ${isOne ? single(newest) : linked(groupAddress(group), groupSentence(group))}${
        entries.some(isNew) && !view.entries.every(isNew) && html` <span class="tag">New</span>`
      }
    </p>
    ${isOne && said(newest, view)}
    <p class="hint">${since(newest.created_at, view.now)}</p>
    ${!isOne && each(group, view)}
    <div class="by">${mute(newest, view)}</div>
  </li>`
}

const chip = (path: string, label: string, isCurrent: boolean): Html =>
  html`<li>
    ${isCurrent ? html`<a href="${path}" aria-current="page">${label}</a>` : html`<a href="${path}">${label}</a>`}
  </li>`

const list = (view: NotificationsView): Html =>
  view.entries.length === 0
    ? html`<p class="lede">
        ${view.place.isAll ? "Comments, sales, followers and news about your account appear here." : "You're all caught up."}
      </p>`
    : html`<ol class="thread">
        ${groupsOf(view.entries).map((group) => item(group, view))}
      </ol>`

/** Marks as read what is new on the page, without a press where there is a script; or everything, when there is more. */
const marks = ({ entries, next, place }: NotificationsView): Html | false => {
  const ids = entries.filter(isNew).map(({ id }) => id)
  return (
    ids.length > 0 &&
    html`<div class="act">
      <form method="post" action="${NOTIFICATIONS_PATH}/read" data-seen>
        ${placeFields(place)}${hidden("ids", ids.join(" "))}<button class="button quiet" type="submit">
          Mark these as read
        </button>
      </form>
      ${
        next !== null &&
        html`<form method="post" action="${NOTIFICATIONS_PATH}/read">
          ${placeFields({ isAll: place.isAll, after: undefined })}${hidden("ids", "all")}<button
            class="button quiet"
            type="submit"
          >
            Mark all read
          </button>
        </form>`
      }
    </div>`
  )
}

/** Returns the page with what happened to an owner: what is new or was read within the hour, or everything. */
export const notificationsPage = (view: NotificationsView): Page => {
  const { done, next, place } = view
  const { isAll } = place
  const first = notificationsPath({ isAll, after: undefined })
  return formPage({
    title: "Notifications",
    isWide: true,
    scripts: ["seen"],
    content: html`${deskMenu(NOTIFICATIONS_PATH, view.isModerator)}${done !== null && isDone(done) && outcome(told[done])}
      <ul class="chips">
        ${chip(NOTIFICATIONS_PATH, "New", !isAll)}${chip(notificationsPath({ isAll: true, after: undefined }), "All", isAll)}${chip(MAIL_SETTINGS_PATH, "Settings", false)}
      </ul>
      ${marks(view)}${list(view)}${pager(
        next === null ? null : notificationsPath({ isAll, after: next }),
        place.after === undefined ? null : first
      )}`
  })
}
