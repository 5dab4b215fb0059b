import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { EmailAddress, EmailAddressInput } from "../../platform/EmailAddress.ts"
import { SubscriberId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

/** Default number of readers of a page. */
export const SUBSCRIBERS_DEFAULT = 50
/** Readers of a page, at most. */
export const SUBSCRIBERS_MAX = 100

/** A request to get the posts of an author by mail. */
export const SubscriptionRequest = Schema.Struct({ email: EmailAddressInput }).annotate({
  identifier: "SubscriptionRequest"
})

/** The answer to every such request. It tells nothing about the address. */
export const SubscriptionAnswer = Schema.Struct({ message: Schema.String })
  .annotate({ identifier: "SubscriptionAnswer" })
  .pipe(HttpApiSchema.status(202))
export type SubscriptionAnswer = typeof SubscriptionAnswer.Type

/**
 * `pending`: asked, and not confirmed. `active`: gets the posts. `ended`: unsubscribed, or removed by the author. `bounced`: the
 * mailbox refused three mails in a row. `complained`: marked a mail of this service as spam.
 */
export const SubscriberState = Schema.Literals(["pending", "active", "ended", "bounced", "complained"])
export type SubscriberState = typeof SubscriberState.Type

/** The way by which a reader came: a form of this site, or a list that the author brought. */
export const SubscriberSource = Schema.Literals(["form", "import"])

/** A reader who gets the posts of an author by mail, as the author sees them. */
export const Subscriber = Schema.Struct({
  id: SubscriberId,
  email: EmailAddress,
  state: SubscriberState,
  source: SubscriberSource,
  createdAt: Timestamp,
  confirmedAt: Schema.NullOr(Timestamp),
  endedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Subscriber" })
export type Subscriber = typeof Subscriber.Type

export const SubscribersQuery = Schema.Struct({
  state: Schema.optionalKey(SubscriberState),
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: SUBSCRIBERS_MAX, default: SUBSCRIBERS_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
})
export type SubscribersQuery = typeof SubscribersQuery.Type

/** The readers of an author who wait to be confirmed, and those who get mail. */
export const SubscriberCounts = Schema.Struct({ pending: Schema.Int, active: Schema.Int })
export type SubscriberCounts = typeof SubscriberCounts.Type

/** Readers of an author, newest first. */
export const SubscriberPage = Schema.Struct({
  data: Schema.Array(Subscriber),
  counts: SubscriberCounts,
  pagination
}).annotate({ identifier: "SubscriberPage" })
export type SubscriberPage = typeof SubscriberPage.Type
