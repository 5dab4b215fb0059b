import { Struct } from "effect"
import { ACTION_REASON_MAX } from "../../../../schemas/accounts/administration/rpc.ts"
import { xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import type { Letter } from "../../../platform/mail/Letter.ts"
import { brief } from "../../../platform/mail/oneLine.ts"
import { shownXno } from "../../../platform/nano/shownXno.ts"
import { objection } from "../../../platform/ports/operatorContact.ts"
import { issueWordsOf } from "./issues.ts"
import { MAIL_SETTINGS_PATH, mailKeys, mailKinds } from "./mailKinds.ts"
import type { SoldRow } from "./notificationMails.sql.ts"

/** A Comment, quoted, and the page that shows it among the others; or a Post, with its description. */
interface PublicationNews {
  readonly kind: "new_comment" | "comment_reply" | "commented_post_activity" | "new_post"
  readonly actor: string
  readonly title: string
  readonly quote: string
  readonly url: string
}

/** A new follower, and the page of their Profile. */
interface FollowNews {
  readonly kind: "new_follow"
  readonly actor: string
  readonly url: string
}

/** Something that an owner has to know about their account. `issue` names it for programs. */
interface IssueNews {
  readonly kind: "account_issue"
  readonly issue: string
  /** The title of the Post that it is about. */
  readonly title: string | null
  /** The owner's own Comment that it is about. */
  readonly comment: string | null
  /** The sentence that a moderator wrote for the owner. */
  readonly reason: string | null
}

/** The day of an owner in numbers. */
interface SummaryNews extends Day {
  readonly kind: "summary"
}

/** A sale or a tip. The actor is null for a payer without an account, and the title for a Post that is not public. */
interface PaymentNews {
  readonly kind: "new_purchase"
  readonly paidAs: "purchase" | "tip"
  readonly amountRaw: bigint
  readonly actor: string | null
  readonly title: string | null
}

/** The sales and tips of a day by Post, the largest sums first. */
interface DailySalesNews {
  readonly kind: "daily_sales"
  readonly sold: ReadonlyArray<SoldRow>
}

/** The news in a mail about a notification. Names, titles and quotes are texts of strangers. */
export type News = (PublicationNews | FollowNews | IssueNews | SummaryNews | PaymentNews | DailySalesNews) & {
  /** Switches mails of the kind off. */
  readonly unsubscribeUrl: string
}

/** The site that sends a mail, and how its readers reach the operator. */
interface Sender {
  readonly siteName: string
  readonly contact: string | undefined
}

const NAME_MAX = 60
const TITLE_MAX = 100
const QUOTE_MAX = 200

/** Says why the mail comes. */
const closingOf = ({ kind }: News) =>
  `You're receiving this because you asked to hear about ${mailKinds[mailKeys[kind]]}.`

/** Returns the sentences about an issue of an account. */
const issueText = ({ comment, issue, reason, title }: IssueNews): string => {
  const { after, before, joint } = issueWordsOf(issue)
  const named = after === "" || title === null ? "" : `${joint}“${brief(title, TITLE_MAX) || "Untitled"}”`
  const quoted = comment === null ? "" : ` You wrote: “${brief(comment, TITLE_MAX)}”`
  return `${before}${named}${after}${quoted}${reason === null ? "" : " They gave this reason:"}`
}

/** The numbers of a day. */
type Day = Readonly<Record<keyof typeof dayWords, number>>

/** Words for one and for several. */
const dayWords = {
  followers: ["new follower", "new followers"],
  comments: ["new comment", "new comments"],
  reactions: ["new reaction", "new reactions"],
  sales: ["sale", "sales"],
  tips: ["tip", "tips"]
} as const

/** Returns the numbers of a day that are not zero. */
export const dayText = (day: Day): string => {
  const numbers = Struct.keys(dayWords).flatMap((name) => {
    const [one, several] = dayWords[name]
    return day[name] === 0 ? [] : [`${day[name]} ${day[name] === 1 ? one : several}`]
  })
  return `Since yesterday: ${numbers.join(", ")}.`
}

/** Returns a sentence about a payment, which is the subject of its mail, too. */
const paidText = ({ actor, amountRaw, paidAs, title }: PaymentNews): string => {
  const payer = actor === null ? "A reader" : brief(actor, NAME_MAX)
  const amount = `${shownXno(xnoOfRaw(amountRaw))} XNO`
  const post = title === null ? undefined : `“${brief(title, TITLE_MAX)}”`
  return paidAs === "purchase"
    ? `${payer} bought ${post ?? "one of your posts"} for ${amount}`
    : `${payer} tipped you ${amount}${post === undefined ? "" : ` for ${post}`}`
}

/** Posts whose sales a mail tells. */
export const SOLD_POSTS_MAX = 20

const xnoText = (raw: string) => `${shownXno(xnoOfRaw(BigInt(raw)))} XNO`

const counted = (count: number, one: string) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : `${one}s`}`

/** Returns what readers paid for a post, or for comments and the profile. */
const soldLines = ({ post_id, sales, sales_raw, tips, tips_raw, title }: SoldRow): ReadonlyArray<string> => {
  const post = `“${brief(title === null || title === "" ? "Untitled" : title, TITLE_MAX)}”`
  const tipped = post_id === null ? "on your comments and profile" : `for ${post}`
  return [
    ...(sales === 0 ? [] : [`${counted(sales, "reader")} bought ${post}: ${xnoText(sales_raw)}`]),
    ...(tips === 0 ? [] : [`${counted(tips, "tip")} ${tipped}: ${xnoText(tips_raw)}`])
  ]
}

/** Returns the subject and the sentences of a mail about the sales and tips of a day. */
const dailySalesWords = (sold: ReadonlyArray<SoldRow>) => {
  const [{ earned_raw, payments } = { earned_raw: "0", payments: 0 }] = sold
  const lines = sold.slice(0, SOLD_POSTS_MAX).flatMap(soldLines)
  return {
    subject: `You earned ${xnoText(earned_raw)} since yesterday`,
    message: `${counted(payments, "payment")} since yesterday:`,
    lines: sold.length > SOLD_POSTS_MAX ? [...lines, "And more on your desk."] : lines
  }
}

/** Returns the subject and the first sentence of a mail about a Comment or a Post, and the words on its button. */
const publicationWords = ({
  kind,
  ...news
}: PublicationNews): readonly [subject: string, message: string, label: string] => {
  const actor = brief(news.actor, NAME_MAX)
  const title = brief(news.title, TITLE_MAX)
  switch (kind) {
    case "new_comment":
      return [`${actor} commented on ${title}`, `${actor} commented on “${title}”:`, "Read the comment"]
    case "comment_reply":
      return [
        `${actor} replied to you on ${title}`,
        `${actor} replied to you on “${title}”:`,
        "Read the reply"
      ]
    case "commented_post_activity":
      return [
        `${actor} also commented on ${title}`,
        `${actor} also commented on “${title}”:`,
        "Read the comment"
      ]
    case "new_post":
      return [`${actor} published ${title}`, `${actor} published “${title}”:`, "Read the post"]
  }
}

/**
 * Returns the text of a mail about a notification. Strangers chose the names, titles and quotes: each is one line of
 * bounded length, without the characters that would end a header or turn its letters around.
 */
export const notificationLetterOf = (news: News, { contact, siteName }: Sender): Letter => {
  const choices = { unsubscribeUrl: news.unsubscribeUrl, settingsPath: MAIL_SETTINGS_PATH }
  const rest = { closing: closingOf(news), choices }
  switch (news.kind) {
    case "account_issue": {
      const { action: own, isDecision } = issueWordsOf(news.issue)
      const action =
        own === undefined
          ? { label: "Open your notifications", url: "/desk/notifications" }
          : { label: own.label, url: own.path }
      return {
        subject: `About your ${siteName} account`,
        message: issueText(news),
        ...(news.reason === null ? {} : { quote: brief(news.reason, ACTION_REASON_MAX) }),
        action,
        ...(isDecision ? { note: objection(contact) } : {}),
        ...rest
      }
    }
    case "summary": {
      const action = { label: "Open your desk", url: "/desk" }
      return { subject: `Your day on ${siteName}`, message: dayText(news), action, ...rest }
    }
    case "daily_sales": {
      const action = { label: "See your sales", url: "/desk/sales" }
      return { ...dailySalesWords(news.sold), action, ...rest }
    }
    case "new_purchase": {
      const action = { label: "See your sales", url: "/desk/sales" }
      return { subject: paidText(news), message: `${paidText(news)}.`, action, ...rest }
    }
    case "new_follow": {
      const actor = brief(news.actor, NAME_MAX)
      const action = { label: "See their profile", url: news.url }
      return { subject: `${actor} now follows you`, message: `${actor} now follows you.`, action, ...rest }
    }
    default: {
      const [subject, message, label] = publicationWords(news)
      const quote = brief(news.quote, QUOTE_MAX)
      return { subject, message, quote, action: { label, url: news.url }, ...rest }
    }
  }
}
