import { Struct } from "effect"
import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import { type Letter, SERVICE_NAME } from "./Letter.ts"
import type { NotificationContent } from "./MailContent.ts"
import { brief } from "./oneLine.ts"

const NAME_MAX = 60
const TITLE_MAX = 100
const QUOTE_MAX = 200

const closing = "You get this mail because your account has mails of this kind switched on."

/** Returns the sentence about an issue of an account. A restricted account gets no mail, so its restriction is not here. */
const issueText = (issue: string): string => {
  switch (issue) {
    case "account_unrestricted":
      return "Your account is no longer restricted. Its Posts and comments will be public again shortly."
    case "image_rejected":
      return "An image that you uploaded was rejected by the screening, and is no longer shown."
    case "image_failed":
      return "An image that you uploaded could not be screened, and is no longer shown. Save it again and upload the new file."
    case "attachment_rejected":
      return "A ZIP that you attached to a Post was rejected by the screening, and was taken off the Post."
    case "attachment_failed":
      return "A ZIP that you attached to a Post could not be screened, and was taken off the Post. Pack it again and attach the new file."
    case "payment_lapsed":
      return "The network has not confirmed a payment of yours for seven days. If it ever does, you get what you paid for."
    default:
      return "Something about your account needs your attention. See your notifications."
  }
}

type Day = Extract<NotificationContent, { readonly kind: "summary" }>

/** Words for one and for several. */
const dayWords = {
  followers: ["new follower", "new followers"],
  comments: ["new comment", "new comments"],
  reactions: ["new reaction", "new reactions"],
  sales: ["sale", "sales"],
  tips: ["tip", "tips"]
} as const

/** Returns the numbers of a day that are not zero. */
const dayText = (day: Day): string => {
  const numbers = Struct.keys(dayWords).flatMap((name) => {
    const [one, several] = dayWords[name]
    return day[name] === 0 ? [] : [`${day[name]} ${day[name] === 1 ? one : several}`]
  })
  return `Since yesterday: ${numbers.join(", ")}.`
}

type Paid = Extract<NotificationContent, { readonly kind: "new_purchase" }>

const paidText = ({ actor, amountRaw, paidAs, title }: Paid): string => {
  const payer = actor === null ? "A reader" : brief(actor, NAME_MAX)
  const post = title === null ? undefined : `“${brief(title, TITLE_MAX)}”`
  const amount = `${xnoOfRaw(amountRaw)} XNO`
  return paidAs === "purchase"
    ? `${payer} bought ${post ?? "a Post of yours"} for ${amount}.`
    : `${payer} tipped you ${amount}${post === undefined ? "" : ` for ${post}`}.`
}

/**
 * Returns the text of a mail about a notification. Strangers chose the names, titles and quotes: each is one line of
 * bounded length within the text, and none is in the subject.
 */
export const notificationLetterOf = (content: NotificationContent): Letter => {
  const { unsubscribeUrl } = content
  if (content.kind === "account_issue") {
    const subject = `About your ${SERVICE_NAME} account`
    return { subject, message: issueText(content.issue), closing, unsubscribeUrl }
  }
  if (content.kind === "summary") {
    return { subject: `Your day on ${SERVICE_NAME}`, message: dayText(content), closing, unsubscribeUrl }
  }
  if (content.kind === "new_purchase") {
    const subject = content.paidAs === "purchase" ? "You sold a Post" : "You received a tip"
    return { subject, message: paidText(content), closing, unsubscribeUrl }
  }
  const { url } = content
  const actor = brief(content.actor, NAME_MAX)
  if (content.kind === "new_follow") {
    return {
      subject: "You have a new follower",
      message: `${actor} follows you now.`,
      url,
      closing,
      unsubscribeUrl
    }
  }
  const title = brief(content.title, TITLE_MAX)
  const common = { quote: brief(content.quote, QUOTE_MAX), url, closing, unsubscribeUrl }
  switch (content.kind) {
    case "new_comment":
      return {
        subject: "A new comment on your Post",
        message: `${actor} commented on your Post “${title}”:`,
        ...common
      }
    case "comment_reply":
      return {
        subject: "A reply to your comment",
        message: `${actor} replied to your comment on “${title}”:`,
        ...common
      }
    case "commented_post_activity":
      return {
        subject: "A new comment in a discussion of yours",
        message: `${actor} commented on “${title}”, where you commented, too:`,
        ...common
      }
    case "new_post":
      return {
        subject: "A new Post by an author whom you follow",
        message: `${actor} published “${title}”:`,
        ...common
      }
  }
}
