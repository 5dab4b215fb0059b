import { Schema } from "effect"

/** The kind of a notification. */
export const NotificationType = Schema.Literals([
  "new_purchase",
  "new_post",
  "new_follow",
  "account_issue",
  "summary",
  "new_comment",
  "comment_reply",
  "commented_post_activity"
]).annotate({ identifier: "NotificationType" })
export type NotificationType = typeof NotificationType.Type
