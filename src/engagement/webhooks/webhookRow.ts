import { Schema } from "effect"
import { type Delivery, DeliveryState, StoredAttempt } from "../../../schemas/engagement/webhooks/Delivery.ts"
import { DisabledReason, LastFailure, type Webhook } from "../../../schemas/engagement/webhooks/Webhook.ts"
import { WebhookDeliveryId, WebhookId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { StoredSecret } from "./secrets.ts"

/** A webhook as its owner sees it; times are in their wire form. */
export const WebhookRow = Schema.Struct({
  id: WebhookId,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  description: Schema.NullOr(Schema.String),
  disabled_reason: Schema.NullOr(DisabledReason),
  failing_since: Schema.NullOr(Timestamp),
  last_success_at: Schema.NullOr(Timestamp),
  last_failure: Schema.NullOr(LastFailure),
  waiting: Schema.Int,
  secrets: Schema.Array(StoredSecret),
  created_at: Timestamp,
  updated_at: Timestamp
})
export type WebhookRow = typeof WebhookRow.Type

const stateOf = ({ disabled_reason, failing_since }: WebhookRow): Webhook["state"] => {
  if (disabled_reason !== null) return "disabled"
  return failing_since === null ? "active" : "failing"
}

/** Returns a webhook as its owner sees it. */
export const webhookOf = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  events: row.events,
  description: row.description,
  enabled: row.disabled_reason === null,
  state: stateOf(row),
  disabledReason: row.disabled_reason,
  failingSince: row.failing_since,
  lastSuccessAt: row.last_success_at,
  lastFailure: row.last_failure,
  waiting: row.waiting,
  secrets: row.secrets.map(({ createdAt, expiresAt, hint, id }) => ({ id, hint, createdAt, expiresAt })),
  createdAt: row.created_at,
  updatedAt: row.updated_at
})

/** A delivery as the owner of its webhook sees it. */
export const DeliveryRow = Schema.Struct({
  id: WebhookDeliveryId,
  webhook_id: WebhookId,
  event_id: Schema.String,
  /** A text: a release that knows fewer types still reads the log. */
  type: Schema.String,
  sequence: Schema.NullOr(Schema.FiniteFromString),
  state: DeliveryState,
  attempts: Schema.Int,
  created_at: Timestamp,
  due_at: Timestamp,
  delivered_at: Schema.NullOr(Timestamp),
  log: Schema.Array(StoredAttempt)
})
export type DeliveryRow = typeof DeliveryRow.Type

/** Returns a delivery as its owner sees it. */
export const deliveryOf = (row: DeliveryRow): Delivery => {
  const last = row.log.at(-1)
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    type: row.type,
    sequence: row.sequence,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: row.state === "waiting" ? row.due_at : null,
    deliveredAt: row.delivered_at,
    lastAttempt:
      last === undefined
        ? null
        : { at: last.at, code: last.code, status: last.status, durationMillis: last.durationMillis }
  }
}
