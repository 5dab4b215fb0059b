import { Schema } from "effect"
import { Cursor, pagination } from "../../platform/Cursor.ts"
import { isUuid, WebhookDeliveryId, WebhookId } from "../../platform/Ids.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { DateTimeInput, Timestamp } from "../../platform/Timestamp.ts"
import { FailureCode, NamedEventType } from "./Webhook.ts"

/** Number of attempts that the log of a delivery keeps, the last ones. */
export const ATTEMPTS_LOGGED_MAX = 12
/** Days for which the beginning of an answer is kept. */
export const RESPONSE_KEPT_DAYS = 7
/** Days for which deliveries and events are kept. */
export const DELIVERIES_KEPT_DAYS = 30
/** Default number of deliveries of a page, and the most. */
export const DELIVERIES_DEFAULT = 50
export const DELIVERIES_MAX = 100
/** Maximum number of events that one request sends again. */
export const REDELIVERED_MAX = 10_000

/** `failed` was given up after ten failures; `cancelled` waited for a server that answered 410. */
export const DeliveryState = Schema.Literals(["waiting", "delivered", "failed", "cancelled"])
export type DeliveryState = typeof DeliveryState.Type

const attempt = {
  at: Timestamp,
  code: Schema.NullOr(FailureCode).annotate({ description: "The reason of a failure; null for a success" }),
  status: Schema.NullOr(Schema.Int),
  durationMillis: Schema.Int
}

const LastAttempt = Schema.Struct(attempt)

/** The cause of an attempt: the schedule, the owner, or a test. */
export const AttemptTrigger = Schema.Literals(["schedule", "manual", "test"])
export type AttemptTrigger = typeof AttemptTrigger.Type

/** An attempt as it is stored: without the answer, which is kept for a shorter time. */
export const StoredAttempt = Schema.Struct({ number: Schema.Int, trigger: AttemptTrigger, ...attempt })
export type StoredAttempt = typeof StoredAttempt.Type

/** An attempt of a delivery. */
export const Attempt = Schema.Struct({
  ...StoredAttempt.fields,
  response: Schema.NullOr(Schema.String).annotate({
    description: `The first 1,024 bytes of the answer as text, for ${RESPONSE_KEPT_DAYS} days`
  })
}).annotate({ identifier: "WebhookAttempt" })

/** The delivery of an event to a webhook. */
export const Delivery = Schema.Struct({
  id: WebhookDeliveryId,
  webhookId: WebhookId,
  eventId: Schema.String.check(isUuid()).annotate({ description: "The header webhook-id" }),
  type: Schema.String.annotate({ description: "The type of the event; later releases have more" }),
  sequence: Schema.NullOr(Schema.Int).annotate({ description: "Null for a test" }),
  state: DeliveryState,
  attempts: Schema.Int.annotate({ description: "Number of requests that were made" }),
  createdAt: Timestamp,
  nextAttemptAt: Schema.NullOr(Timestamp),
  deliveredAt: Schema.NullOr(Timestamp),
  lastAttempt: Schema.NullOr(LastAttempt)
}).annotate({ identifier: "WebhookDelivery" })
export type Delivery = typeof Delivery.Type

/** A delivery with its body and its log. */
export const DeliveryWithLog = Schema.Struct({
  ...Delivery.fields,
  body: Schema.String.annotate({ description: "The body as every attempt sends it, to the byte" }),
  attemptLog: Schema.Array(Attempt)
}).annotate({ identifier: "WebhookDeliveryWithLog" })
export type DeliveryWithLog = typeof DeliveryWithLog.Type

/** The query of a log. An empty cursor begins it. */
export const DeliveriesQuery = Schema.Struct({
  state: Schema.optionalKey(DeliveryState),
  type: Schema.optionalKey(NamedEventType),
  since: Schema.optionalKey(DateTimeInput),
  limit: Schema.optionalKey(
    queryInteger({ minimum: 1, maximum: DELIVERIES_MAX, default: DELIVERIES_DEFAULT })
  ),
  cursor: Schema.optionalKey(Cursor)
})
export type DeliveriesQuery = typeof DeliveriesQuery.Type

/** Deliveries of a webhook, newest first. */
export const DeliveryPage = Schema.Struct({ data: Schema.Array(Delivery), pagination }).annotate({
  identifier: "WebhookDeliveryPage"
})
export type DeliveryPage = typeof DeliveryPage.Type

/** A test. The event that arrives is a `webhook.test` with an example of this type. */
export const TestRequest = Schema.Struct({ type: Schema.optionalKey(NamedEventType) }).annotate({
  identifier: "WebhookTestRequest"
})
export type TestRequest = typeof TestRequest.Type

/** The time whose events are sent again: from `since` on, and before `until`. */
export const RedeliveryRequest = Schema.Struct({
  since: DateTimeInput,
  until: Schema.optionalKey(DateTimeInput)
}).annotate({ identifier: "WebhookRedeliveryRequest" })
export type RedeliveryRequest = typeof RedeliveryRequest.Type

/** Number of deliveries that are due now. */
export const Redelivery = Schema.Struct({ count: Schema.Int }).annotate({ identifier: "WebhookRedelivery" })
