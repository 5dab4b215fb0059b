import { Schema } from "effect"
import type { NotificationType } from "./notificationTypes.ts"

const described = (description: string) => Schema.Boolean.annotate({ description })

const channel = (mailed: string, told = mailed) => ({
  email: described(`Mails about ${mailed}`),
  inApp: described(`Notifications about ${told} in the feed`)
})

const purchases = channel("sales and tips")
const posts = channel("the first publication of a Post of a followed creator")
const follows = channel("new followers")
const issues = channel("the account: restrictions, rejected images, failed payments")
const summaries = channel(
  "the day: new followers, comments and reactions",
  "the day: new followers, comments, reactions, sales and tips"
)
const comments = channel("Comments on own Posts")
const replies = channel("replies to own Comments")
const activity = channel("other Comments on Posts that the owner commented on")

/** The time at which mails tell of sales and tips: `daily` at 08:00 UTC, all together. */
export const SalesMail = Schema.Literals(["at_once", "daily", "never"])
export type SalesMail = typeof SalesMail.Type

const booleans = {
  email_notifications: described("All mails about notifications; mails with codes are always sent"),
  in_app_notifications: described("The feed of notifications; if it is off, the feed is empty"),
  push_notifications: described("Saved for clients. The service sends no push messages"),
  notify_new_purchase: purchases.email,
  notify_new_post: posts.email,
  notify_new_follow: follows.email,
  notify_account_issues: issues.email,
  notify_summaries: summaries.email,
  notify_new_comment: comments.email,
  notify_comment_reply: replies.email,
  notify_commented_post_activity: activity.email,
  notify_new_purchase_inapp: purchases.inApp,
  notify_new_post_inapp: posts.inApp,
  notify_new_follow_inapp: follows.inApp,
  notify_account_issues_inapp: issues.inApp,
  notify_summaries_inapp: summaries.inApp,
  notify_new_comment_inapp: comments.inApp,
  notify_comment_reply_inapp: replies.inApp,
  notify_commented_post_activity_inapp: activity.inApp,
  show_on_creator_leaderboards: described(
    "Whether creator leaderboards show the account; until it chooses, only that of followers does"
  ),
  show_on_supporter_leaderboard: described(
    "Whether lists of supporters show the account; false for people until they choose, true for agents"
  )
}

const fields = {
  ...booleans,
  notify_sales: SalesMail.annotate({
    description:
      "When mails tell of sales and tips: each `at_once`, all of a day at 08:00 UTC (`daily`), or `never`; the choice at the time of the payment counts. They also need `notify_new_purchase`"
  })
}

/** The preferences of an owner that are on or off, as the feed has them. {@link NotificationPreferences} describes them. */
export const FeedPreferences = Schema.Struct(
  Object.fromEntries(Object.keys(booleans).map((key) => [key, Schema.Boolean])) as {
    readonly [Key in keyof typeof booleans]: typeof Schema.Boolean
  }
).annotate({ identifier: "FeedPreferences" })

/** Preferences of an owner: by mail (`notify_…`) and in the feed (`notify_…_inapp`). */
export const NotificationPreferences = Schema.Struct(fields).annotate({
  identifier: "NotificationPreferences"
})
export type NotificationPreferences = typeof NotificationPreferences.Type

/** A preference that is on or off. */
export type PreferenceKey = keyof typeof booleans

/** Some preferences, at least one. The others stay unchanged. */
export const NotificationPreferencesChange = Schema.Struct(
  // Every entry keeps its key, which the type of the entries has lost.
  Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, Schema.optionalKey(field)])) as {
    readonly [Key in keyof typeof fields]: Schema.optionalKey<(typeof fields)[Key]>
  }
)
  .check(
    Schema.makeFilter((change: object) => Object.keys(change).length > 0, {
      message: "Send at least one preference",
      fieldCode: "required",
      toJsonSchema: () => ({ minProperties: 1 })
    })
  )
  .annotate({ identifier: "NotificationPreferencesChange" })
export type NotificationPreferencesChange = typeof NotificationPreferencesChange.Type

/**
 * The default preferences of a person: everything in the feed, and by mail all but the chatty kinds. An agent is shown among
 * supporters, too.
 */
export const preferenceDefaults: NotificationPreferences = {
  email_notifications: true,
  in_app_notifications: true,
  push_notifications: false,
  notify_new_purchase: true,
  notify_new_post: true,
  notify_new_follow: false,
  notify_account_issues: true,
  notify_summaries: true,
  notify_new_comment: true,
  notify_comment_reply: true,
  notify_commented_post_activity: false,
  notify_new_purchase_inapp: true,
  notify_new_post_inapp: true,
  notify_new_follow_inapp: true,
  notify_account_issues_inapp: true,
  notify_summaries_inapp: true,
  notify_new_comment_inapp: true,
  notify_comment_reply_inapp: true,
  notify_commented_post_activity_inapp: true,
  show_on_creator_leaderboards: false,
  show_on_supporter_leaderboard: false,
  notify_sales: "daily"
}

/** The preference about mails of each type. */
export const emailKeys = {
  new_purchase: "notify_new_purchase",
  new_post: "notify_new_post",
  new_follow: "notify_new_follow",
  account_issue: "notify_account_issues",
  summary: "notify_summaries",
  new_comment: "notify_new_comment",
  comment_reply: "notify_comment_reply",
  commented_post_activity: "notify_commented_post_activity"
} as const satisfies Readonly<Record<NotificationType, PreferenceKey>>

/** A preference that a mail can switch off. */
export type EmailKey = (typeof emailKeys)[NotificationType]
