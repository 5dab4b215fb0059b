import { type EmailKey, emailKeys } from "../../../../schemas/engagement/notifications/Preferences.ts"

/** The preference about each type of mail. The sales of a day have a mail, and no notification of their own. */
export const mailKeys = { ...emailKeys, daily_sales: "notify_new_purchase" } as const
export type MailType = keyof typeof mailKeys

/** The path of the page on which an owner chooses mails. */
export const MAIL_SETTINGS_PATH = "/desk/notifications/settings"

/** The subject of the mails that each preference governs, after "about". */
export const mailKinds: Readonly<Record<EmailKey, string>> = {
  notify_new_purchase: "sales and tips",
  notify_new_post: "new posts from authors you follow",
  notify_new_follow: "new followers",
  notify_account_issues: "your account",
  notify_summaries: "your day in numbers",
  notify_new_comment: "comments on your posts",
  notify_comment_reply: "replies to your comments",
  notify_commented_post_activity: "other comments on posts you commented on"
}
