import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { Entry } from "../../engagement/notifications/feed/entries.sql.ts"
import { paidOf } from "../../engagement/notifications/mails/newsOf.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { DESK, receivedCommentsPath } from "../browser/paths.ts"
import { amount, counted } from "../pages/parts/values.ts"
import { GONE, titleOf } from "./sentence.ts"

/** Entries of one kind about one post, newest first. */
export interface Group {
  readonly newest: Entry
  readonly entries: ReadonlyArray<Entry>
}

/** Returns the name of an entry's group; null for an entry that stands alone. */
const keyOf = ({ data, post_id, type }: Entry): string | null => {
  if (type === "new_purchase") return `${paidOf(data)?.kind} ${post_id}`
  return type === "new_comment" || type === "comment_reply" || type === "new_follow"
    ? `${type} ${post_id}`
    : null
}

/** Groups entries by post and kind. A group stands where its newest entry is. */
export const groupsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Group> =>
  [...Map.groupBy(entries, (it) => keyOf(it) ?? it.id).values()].flatMap((all) =>
    all[0] === undefined ? [] : [{ newest: all[0], entries: all }]
  )

const sumOf = (entries: ReadonlyArray<Entry>): Html => {
  const raw = entries.reduce((sum, { data }) => sum + (paidOf(data)?.amountRaw ?? 0n), 0n)
  return html`${amount(xnoOfRaw(raw))} XNO`
}

/** Returns what happened several times, in a sentence. */
export const groupSentence = ({ entries, newest }: Group): Html => {
  const count = entries.length
  switch (newest.type) {
    case "new_purchase":
      if (paidOf(newest.data)?.kind === "purchase")
        return html`${counted(count, "reader")} bought ${titleOf(newest, "one of your posts")},
        ${sumOf(entries)}`
      return html`${counted(count, "tip")}${newest.title !== null && html` for ${titleOf(newest, "")}`},
      ${sumOf(entries)}`
    case "new_follow":
      return html`${counted(count, "new follower")}`
    case "comment_reply":
      return html`${counted(count, "reply", "replies")} to you on ${titleOf(newest, GONE)}`
    default:
      return html`${counted(count, "comment")} on ${titleOf(newest, GONE)}`
  }
}

/** Returns the page with all of a group; null if there is none. */
export const groupAddress = ({ newest: { is_own_post, post_id, type } }: Group): string | null => {
  if (type === "new_purchase") return `${DESK}/sales`
  return type === "new_comment" && is_own_post && post_id !== null
    ? receivedCommentsPath({ isAll: true, post: post_id })
    : null
}
