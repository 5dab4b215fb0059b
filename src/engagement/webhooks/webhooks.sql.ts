import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  type DisabledReason,
  WAITING_MAX,
  type WebhookChange,
  type WebhookRequest
} from "../../../schemas/engagement/webhooks/Webhook.ts"
import { OwnerId, type WebhookId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { DAY_MILLIS, later } from "../../platform/time/now.ts"
import type { StoredSecret } from "./secrets.ts"
import { WebhookRow } from "./webhookRow.ts"

/** Days for which events are recorded for an owner whose webhooks are turned off. */
const HEARD_DAYS = 30

/** A webhook that is not saved yet. */
interface NewWebhook extends WebhookRequest {
  readonly id: WebhookId
  readonly ownerId: OwnerId
  readonly secret: StoredSecret
  readonly at: Date
}

const CountRow = Schema.Struct({ count: Schema.Int })

const OwnerRow = Schema.Struct({ owner_id: OwnerId })

const ExportRow = Schema.Struct({ url: Schema.String, events: Schema.Array(Schema.String) })

const StateRow = Schema.Struct({ state: Schema.String, count: Schema.Int })

const jsonOf = (value: unknown) => JSON.stringify(value)

/** Statements over `webhooks`, for their owners. */
export const webhookStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "webhooks")

  const columns = sql`
    w.id, w.url, w.events, w.description, w.disabled_reason, wire_time(w.failing_since) as failing_since,
    wire_time(w.last_success_at) as last_success_at, w.last_failure, w.secrets,
    wire_time(w.created_at) as created_at, wire_time(w.updated_at) as updated_at,
    (select count(*)::int from (
      select from webhook_deliveries d where d.webhook_id = w.id and d.state = 'waiting' limit ${WAITING_MAX}) waiting
    ) as waiting`

  const isHeard = (at: Date) => sql`
    (w.disabled_at is null or w.disabled_at > ${later(at, -HEARD_DAYS * DAY_MILLIS)})`

  return {
    count: (owner: OwnerId) =>
      Effect.map(
        one("count", CountRow)`select count(*)::int as count from webhooks where owner_id = ${owner}`,
        ({ count }) => count
      ),

    insert: ({ at, description = null, events, id, ownerId, secret, url }: NewWebhook) => one(
      "insert",
      WebhookRow
    )`
      insert into webhooks as w (id, owner_id, url, events, description, secrets, leased_until, created_at, updated_at)
      values (${id}, ${ownerId}, ${url}, ${events}::text[], ${description}, ${jsonOf([secret])}::jsonb, ${at}, ${at}, ${at})
      returning ${columns}`,

    list: (owner: OwnerId) => many("list", WebhookRow)`
      select ${columns} from webhooks w where w.owner_id = ${owner} order by w.id`,

    find: (owner: OwnerId, id: WebhookId) => maybe("find", WebhookRow)`
      select ${columns} from webhooks w where w.id = ${id} and w.owner_id = ${owner}`,

    /** Returns a webhook, and holds it until the surrounding transaction ends. Its deliveries are locked after it. */
    hold: (owner: OwnerId, id: WebhookId) => maybe("hold", WebhookRow)`
      select ${columns} from webhooks w where w.id = ${id} and w.owner_id = ${owner} for no key update of w`,

    change: (id: WebhookId, { description, events, url }: WebhookChange, at: Date) => run("change")`
      update webhooks set url = coalesce(${url ?? null}, url), events = coalesce(${events ?? null}::text[], events),
        description = ${description === undefined ? sql`description` : sql`${description}`}, updated_at = ${at}
      where id = ${id}`,

    /** Turns a webhook on, and forgets its failures. */
    enable: (id: WebhookId, at: Date) => run("enable")`
      update webhooks set disabled_reason = null, disabled_at = null, failures = 0, failing_since = null, told_at = null,
        rests = 0, updated_at = ${at}
      where id = ${id}`,

    disable: (id: WebhookId, reason: DisabledReason, at: Date) => run("disable")`
      update webhooks set disabled_reason = ${reason}, disabled_at = ${at}, updated_at = ${at} where id = ${id}`,

    /** Turns off a webhook that its owner deletes. Returns false without one. */
    stop: (owner: OwnerId, id: WebhookId, at: Date) => changed("stop")`
      update webhooks set disabled_reason = 'owner', disabled_at = ${at} where id = ${id} and owner_id = ${owner}`,

    setSecrets: (id: WebhookId, secrets: ReadonlyArray<StoredSecret>, at: Date) => run("setSecrets")`
      update webhooks set secrets = ${jsonOf(secrets)}::jsonb, updated_at = ${at} where id = ${id}`,

    /**
     * Makes a webhook due, and ends a rest. A turn that is under way keeps its lease, and sees the new time. What waits is
     * counted before more is queued.
     */
    wake: (id: WebhookId, at: Date) => run("wake")`
      update webhooks set due_at = ${at}, is_resting = false, room = 0, counted_at = null,
        leased_until = case when is_resting then ${at} else leased_until end
      where id = ${id}`,

    remove: (owner: OwnerId, id: WebhookId) =>
      changed("remove")`delete from webhooks where id = ${id} and owner_id = ${owner}`,

    /** Turns off the webhooks of an account that is restricted. */
    rest: (owner: OwnerId, at: Date) => changed("rest")`
      update webhooks set disabled_reason = 'account_restricted', disabled_at = ${at}
      where id in (
        select id from webhooks where owner_id = ${owner} and disabled_reason is null order by id for no key update)`,

    isResting: (owner: OwnerId) => changed("isResting")`
      select from webhooks where owner_id = ${owner} and disabled_reason = 'account_restricted' limit 1`,

    /** Turns them on again. */
    resume: (owner: OwnerId, at: Date) => changed("resume")`
      update webhooks set disabled_reason = null, disabled_at = null, due_at = ${at}
      where id in (
        select id from webhooks where owner_id = ${owner} and disabled_reason = 'account_restricted'
        order by id for no key update)`,

    /** Returns some owners for whom events are recorded although no webhook of theirs was on for 30 days. */
    unheard: (at: Date) => many("unheard", OwnerRow)`
      select l.owner_id from event_listeners l where l.has_webhooks and not exists (
        select from webhooks w where w.owner_id = l.owner_id and ${isHeard(at)}) limit 100`,

    /** Returns true for an owner with a webhook that was on within 30 days. */
    isHeard: (owner: OwnerId, at: Date) => changed("isHeard")`
      select from webhooks w where w.owner_id = ${owner} and ${isHeard(at)} limit 1`,

    exported: (owner: OwnerId) => many("exported", ExportRow)`
      select url, events from webhooks where owner_id = ${owner} order by id`,

    countByState: many("countByState", StateRow)`
      select case when disabled_reason is not null then 'disabled' when failing_since is not null then 'failing'
        else 'active' end as state, count(*)::int as count
      from webhooks group by 1`,

    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      with deliveries as (
        delete from webhook_deliveries where ctid = any(array(
          select d.ctid from webhook_deliveries d join webhooks w on w.id = d.webhook_id
          where w.owner_id = ${owner} limit ${limit} for update of d))
        returning id),
      gone as (
        delete from webhooks where owner_id = ${owner} and not exists (select from deliveries) returning id)
      select id from deliveries union all select id from gone`
  }
})
