import { Schema } from "effect"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { RawAmount } from "../../../schemas/platform/Nano.ts"

/** The code of a returning owner. It is sent only to a mailbox that has an owner. */
const LoginCode = Schema.Struct({ kind: Schema.Literal("login_code"), code: EmailCode })

/** The code of a registration. A mailbox that has an owner is told to sign in instead. */
const RegistrationCode = Schema.Struct({ kind: Schema.Literal("registration_code"), code: EmailCode })

/** To the new mailbox of an owner: the code that confirms it, and the URL that does the same. */
const EmailChangeCode = Schema.Struct({
  kind: Schema.Literal("email_change_code"),
  code: EmailCode,
  confirmationUrl: Schema.String
})

/** To the former mailbox of an owner. */
const EmailChanged = Schema.Struct({ kind: Schema.Literal("email_changed") })

/** The link that switches mails of a kind off. */
const unsubscribe = { unsubscribeUrl: Schema.String }

/** A Comment, quoted, and the page that shows it among the others. */
const CommentNews = Schema.Struct({
  kind: Schema.Literals(["new_comment", "comment_reply", "commented_post_activity"]),
  actor: Schema.String,
  title: Schema.String,
  quote: Schema.String,
  url: Schema.String,
  ...unsubscribe
})

/** The first publication of a Post by a followed author. `quote` is its description. */
const NewPost = Schema.Struct({
  kind: Schema.Literal("new_post"),
  actor: Schema.String,
  title: Schema.String,
  quote: Schema.String,
  url: Schema.String,
  ...unsubscribe
})

/** A new follower, and the page of their Profile. */
const NewFollow = Schema.Struct({
  kind: Schema.Literal("new_follow"),
  actor: Schema.String,
  url: Schema.String,
  ...unsubscribe
})

/** Something that an owner has to know about their account. */
const AccountIssue = Schema.Struct({
  kind: Schema.Literal("account_issue"),
  /** Names the issue for programs. */
  issue: Schema.String,
  ...unsubscribe
})

/** The day of an owner in numbers. */
const Summary = Schema.Struct({
  kind: Schema.Literal("summary"),
  followers: Schema.Int,
  comments: Schema.Int,
  reactions: Schema.Int,
  sales: Schema.Int,
  tips: Schema.Int,
  ...unsubscribe
})

/** A sale or a tip. The actor is null for a payer without an account, and the title for a Post that is not public. */
const NewPurchase = Schema.Struct({
  kind: Schema.Literal("new_purchase"),
  paidAs: Schema.Literals(["purchase", "tip"]),
  amountRaw: RawAmount,
  actor: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  ...unsubscribe
})

/** The content of a mail about a notification. Names, titles and quotes are texts of strangers. */
const NotificationContent = Schema.Union([
  CommentNews,
  NewPost,
  NewFollow,
  AccountIssue,
  Summary,
  NewPurchase
])
export type NotificationContent = typeof NotificationContent.Type

/**
 * The content of a mail. The service posts login and registration codes for every mailbox that a request names. It
 * looks the owner up only when the mail leaves (spec 4.1).
 */
export const MailContent = Schema.Union([
  LoginCode,
  RegistrationCode,
  EmailChangeCode,
  EmailChanged,
  ...NotificationContent.members
])
export type MailContent = typeof MailContent.Type
