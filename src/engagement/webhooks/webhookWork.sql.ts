import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  AttemptTrigger,
  type DeliveryState,
  StoredAttempt
} from "../../../schemas/engagement/webhooks/Delivery.ts"
import { DisabledReason, type LastFailure } from "../../../schemas/engagement/webhooks/Webhook.ts"
import { OwnerId, WebhookId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../platform/work/lease.ts"
import { StoredSecret } from "./secrets.ts"

/** Names the work of sending to webhooks. */
export const WEBHOOKS = "webhooks"

export const webhookQueue: WorkQueue = {
  table: "webhooks",
  condition: "disabled_reason is null",
  isLeasedApart: true
}

/** The URL and the secrets. An owner may change both during a turn. */
const target = { url: Schema.String, secrets: Schema.Array(StoredSecret) }

const ClaimedRow = Schema.Struct({
  id: WebhookId,
  attempts: Schema.Int,
  owner_id: OwnerId,
  rests: Schema.Int,
  due_at: Schema.Date,
  ...target
})
export type ClaimedWebhook = typeof ClaimedRow.Type

/** A delivery that is due. The body is null when its event is too old to be kept. */
const DueRow = Schema.Struct({
  id: Schema.String,
  event_id: Schema.String,
  body: Schema.NullOr(Schema.String),
  attempts: Schema.Int,
  failures: Schema.Int,
  trigger: AttemptTrigger,
  due_at: Schema.Date,
  event_at: Schema.Date,
  log: Schema.Array(StoredAttempt),
  responses: Schema.NullOr(Schema.Record(Schema.String, Schema.String))
})
export type DueDelivery = typeof DueRow.Type

/** The webhook after an attempt. */
const RecordedRow = Schema.Struct({
  ...target,
  /** True when the owner made the delivery due again during an attempt that failed. */
  is_renewed: Schema.Boolean,
  is_disabled: Schema.Boolean,
  disabled_reason: Schema.NullOr(DisabledReason),
  failing_since: Schema.NullOr(Schema.Date),
  failures: Schema.Int,
  is_told: Schema.Boolean,
  last_success_at: Schema.NullOr(Schema.Date)
})

/** An attempt and what it means. */
export interface RecordedAttempt {
  readonly delivery: Pick<DueDelivery, "id" | "due_at" | "trigger">
  readonly state: DeliveryState
  readonly dueAt: Date
  readonly failures: number
  readonly log: ReadonlyArray<StoredAttempt>
  readonly responses: Readonly<Record<string, string>> | null
  readonly responsesUntil: Date
  /** Null for a success. */
  readonly failure: LastFailure | null
  readonly hasAnswered: boolean
  readonly at: Date
}

const HeldRow = Schema.Struct({ due_at: Schema.Date })

const DueAtRow = Schema.Struct({ is_due: Schema.Boolean })

/** Statements of turns: leased work on a webhook and its deliveries. */
export const webhookWork = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "webhookWork")
  const { due, held, leased } = leases(sql, webhookQueue)

  return {
    claim: (claim: Claim) => many("claim", ClaimedRow)`
      with ${due(claim)}
      update webhooks w set ${leased(claim)}, is_resting = false from due where w.id = due.id
      returning w.id, w.attempts, w.owner_id, w.rests, w.due_at, w.url, w.secrets`,

    /** Makes a webhook due whose turn was cut off. */
    release: (lease: Lease, at: Date) => changed("release")`
      update webhooks set leased_until = ${at} where ${held(lease)}`,

    due: (webhook: WebhookId, at: Date, limit: number) => many("due", DueRow)`
      select d.id, d.event_id, coalesce(d.body, e.body) as body, d.attempts, d.failures, d.trigger, d.due_at, d.event_at,
        d.log, d.responses
      from webhook_deliveries d left join events e on e.id = d.event_id
      where d.webhook_id = ${webhook} and d.state = 'waiting' and d.due_at <= ${at}
      order by d.sequence nulls first limit ${limit}`,

    /**
     * Records an attempt under the lease: first of the webhook, then of the delivery. None if the lease was lost. A delivery
     * that its owner made due again meanwhile stays due, and gets only the log of a failure.
     */
    record: (lease: Lease, attempt: RecordedAttempt) => maybe("record", RecordedRow)`
      with webhook as (
        update webhooks set rests = case when ${attempt.hasAnswered} then 0 else rests end,
          ${
            attempt.failure === null
              ? sql`failures = 0, failing_since = null, told_at = null, last_success_at = ${attempt.at}`
              : sql`failures = failures + 1, failing_since = coalesce(failing_since, ${attempt.at}),
                  last_failure = ${JSON.stringify(attempt.failure)}::jsonb`
          }
        where ${held(lease)}
        returning id, url, secrets, disabled_reason, failing_since, failures, told_at, last_success_at),
      delivery as (
        select d.id, ${attempt.failure !== null}
          and (d.due_at <> ${attempt.delivery.due_at} or d.trigger <> ${attempt.delivery.trigger}) as is_renewed
        from webhook_deliveries d join webhook w on w.id = d.webhook_id
        where d.id = ${attempt.delivery.id} for no key update of d)
      update webhook_deliveries d set attempts = d.attempts + 1,
        state = case when n.is_renewed then d.state else ${attempt.state} end,
        due_at = case when n.is_renewed then d.due_at else ${attempt.dueAt} end,
        failures = case when n.is_renewed then d.failures else ${attempt.failures} end,
        trigger = case when n.is_renewed then d.trigger else 'schedule' end, log = ${JSON.stringify(attempt.log)}::jsonb,
        responses = ${attempt.responses === null ? null : JSON.stringify(attempt.responses)}::jsonb,
        responses_until = ${attempt.responses === null ? null : attempt.responsesUntil}::timestamptz,
        delivered_at = ${attempt.failure === null ? attempt.at : null}::timestamptz
      from webhook w, delivery n where d.webhook_id = w.id and d.id = n.id
      returning n.is_renewed, w.url, w.secrets, w.disabled_reason is not null as is_disabled, w.disabled_reason, w.failing_since,
        w.failures, w.told_at is not null as is_told, w.last_success_at`,

    /** Removes a delivery whose event is gone. */
    drop: (webhook: WebhookId, id: string) =>
      run("drop")`delete from webhook_deliveries where webhook_id = ${webhook} and id = ${id}`,

    setTold: (lease: Lease, at: Date) => changed("setTold")`
      update webhooks set told_at = ${at} where ${held(lease)}`,

    /** Holds a webhook under its lease until the surrounding transaction ends. */
    hold: (lease: Lease) => maybe("hold", HeldRow)`
      select due_at from webhooks where ${held(lease)} for no key update`,

    /**
     * Ends a turn on a webhook that is held. Call it after `hold`, in a statement of its own: it then sees all that was made
     * due before the lock. Returns true when something is due now.
     */
    end: (webhook: WebhookId, at: Date) => one("end", DueAtRow)`
      update webhooks set leased_until = ${at}, due_at = coalesce((
        select min(due_at) from webhook_deliveries where webhook_id = ${webhook} and state = 'waiting'), 'infinity')
      where id = ${webhook} returning due_at <= ${at} as is_due`,

    /** Ends a turn whose server gave no answer: the webhook rests until then, and what is due stays due. */
    endWithRest: (webhook: WebhookId, until: Date, rests: number) => run("endWithRest")`
      update webhooks set leased_until = ${until}, is_resting = true, rests = ${rests} where id = ${webhook}`
  }
})
