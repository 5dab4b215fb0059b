import { Option, Schema } from "effect"
import { RawAmount } from "../../../../schemas/platform/Nano.ts"
import type { News } from "./notificationLetters.ts"
import type { MailFacts, SoldRow } from "./notificationMails.sql.ts"

/** The addresses in a mail, and the sales in a mail about a day. */
interface Told {
  /** `PublicBaseUrl`. */
  readonly origin: string
  readonly sold: ReadonlyArray<SoldRow>
  readonly unsubscribeUrl: string
}

const Day = Schema.Struct({
  followers: Schema.Int,
  comments: Schema.Int,
  reactions: Schema.Int,
  sales: Schema.Int,
  tips: Schema.Int
})
const Paid = Schema.Struct({ kind: Schema.Literals(["purchase", "tip"]), amountRaw: RawAmount })
const readPaid = Schema.decodeUnknownOption(Paid)
const readDay = Schema.decodeUnknownOption(Day)

type Data = Readonly<Record<string, unknown>> | null

/** Returns the sentence that a moderator wrote for the owner. */
export const reasonOf = (data: Data): string | null => {
  const reason = data?.["reason"]
  return typeof reason === "string" ? reason : null
}

/** Returns the payment that a notification is about. */
export const paidOf = (data: Data): typeof Paid.Type | undefined => Option.getOrUndefined(readPaid(data))

/** Returns the numbers of a summary. */
export const dayOf = (data: Data): typeof Day.Type | undefined => Option.getOrUndefined(readDay(data))

/** Returns what a mail says; undefined if its subject is no longer public, and for a type without mails. */
export const newsOf = (facts: MailFacts, { origin, sold, unsubscribeUrl }: Told): News | undefined => {
  const { actor_handle, actor_name: actor, author_handle, comment, description, slug, title, type } = facts
  if (type === "account_issue") {
    const { own_comment, own_title } = facts
    const reason = reasonOf(facts.data)
    return {
      kind: type,
      issue: facts.code ?? "",
      title: title ?? own_title,
      comment: own_comment,
      reason,
      unsubscribeUrl
    }
  }
  if (type === "daily_sales") return sold.length === 0 ? undefined : { kind: type, sold, unsubscribeUrl }
  if (type === "summary") {
    const all = dayOf(facts.data)
    if (all === undefined) return undefined
    // Sales and tips have mails of their own.
    const day = { ...all, sales: 0, tips: 0 }
    const isEmpty = Object.values(day).every((count) => count === 0)
    return isEmpty ? undefined : { kind: type, ...day, unsubscribeUrl }
  }
  if (type === "new_purchase") {
    const paid = paidOf(facts.data)
    if (paid === undefined) return undefined
    const { amountRaw, kind: paidAs } = paid
    return { kind: type, paidAs, amountRaw, actor, title, unsubscribeUrl }
  }
  if (actor === null || actor_handle === null) return undefined
  if (type === "new_follow") return { kind: type, actor, url: `${origin}/@${actor_handle}`, unsubscribeUrl }
  const quote = type === "new_post" ? description : comment
  if (title === null || author_handle === null || slug === null || quote === null) return undefined
  const post = `${origin}/@${author_handle}/${slug}`
  if (type === "new_post") return { kind: type, actor, title, quote, url: post, unsubscribeUrl }
  const url = `${post}/comments?thread=${facts.thread_root_id}#c-${facts.comment_id}`
  return { kind: type, actor, title, quote, url, unsubscribeUrl }
}
