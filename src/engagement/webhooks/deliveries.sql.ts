import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type DeliveriesQuery, REDELIVERED_MAX } from "../../../schemas/engagement/webhooks/Delivery.ts"
import { ALL_EVENTS, WAITING_MAX } from "../../../schemas/engagement/webhooks/Webhook.ts"
import { OwnerId, WebhookDeliveryId, WebhookId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import { leastIdAt } from "../../platform/time/leastIdAt.ts"
import { later, MINUTE_MILLIS } from "../../platform/time/now.ts"
import { DeliveryRow } from "./webhookRow.ts"

/**
 * Deliveries of a webhook that one transaction of its owner changes at most. The dispatcher waits for a webhook that is held, and
 * with it the events of all owners.
 */
export const HELD_MAX = 1_000

/** Deliveries that one page of a log reads at most. With filters, a page has fewer than its limit when they are rare. */
const FILTERED_MAX = 2_000

/** Time by which the clock of the process that made a delivery may be behind the one that recorded its event. */
const CLOCKS_MILLIS = 60 * MINUTE_MILLIS

/** A delivery that is not saved yet. */
export interface NewDelivery {
  readonly id: string
  readonly webhookId: WebhookId
  readonly eventId: string
}

interface Slice extends Omit<DeliveriesQuery, "cursor" | "limit"> {
  readonly after: WebhookDeliveryId | undefined
  readonly limit: number
}

const LoggedRow = Schema.Struct({
  ...DeliveryRow.fields,
  body: Schema.NullOr(Schema.String),
  responses: Schema.NullOr(Schema.Record(Schema.String, Schema.String))
})

/** A webhook that events may go to. `room` is the number of deliveries that may be queued before those that wait are counted. */
const ReceiverRow = Schema.Struct({
  id: WebhookId,
  owner_id: OwnerId,
  events: Schema.Array(Schema.String),
  room: Schema.Int,
  counted_at: Schema.NullOr(Schema.Date)
})
export type ReceiverRow = typeof ReceiverRow.Type

const RoomRow = Schema.Struct({ id: WebhookId, room: Schema.Int })

const SliceRow = Schema.Struct({
  deliveries: Schema.Array(DeliveryRow),
  /** The last delivery that was read; null when the slice is full, and when all were read. */
  read_until: Schema.NullOr(WebhookDeliveryId)
})

const MissedRow = Schema.Struct({ id: Schema.String })

/** Statements over `webhook_deliveries`, for owners and for those who make deliveries. */
export const deliveryStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "webhookDeliveries")

  const columns = sql`
    d.id, d.webhook_id, d.event_id, d.type, d.sequence::text as sequence, d.state, d.attempts,
    wire_time(d.created_at) as created_at, wire_time(d.due_at) as due_at, wire_time(d.delivered_at) as delivered_at, d.log`

  const isAfter = (after: WebhookDeliveryId | undefined) =>
    after === undefined ? sql`true` : sql`id < ${after}`
  // A delivery is made after its event, so a page since a moment ends there.
  const isSince = (since: Timestamp | undefined) =>
    since === undefined
      ? sql`true`
      : sql`id >= ${leastIdAt(later(DateTime.toDateUtc(DateTime.makeUnsafe(since)), -CLOCKS_MILLIS))}`
  // Written out: planned for a limit that is a parameter, PostgreSQL may read the whole log.
  const number = (value: number) => sql.literal(String(value))

  return {
    /** Returns the webhooks of these owners that are on, and holds them in the order of all who hold several. */
    receivers: (owners: ReadonlyArray<OwnerId>) => many("receivers", ReceiverRow)`
      select w.id, w.owner_id, w.events, w.room, w.counted_at
      from webhooks w where w.owner_id = any(${owners}::uuid[]) and w.disabled_reason is null
      order by w.id for no key update of w`,

    /** Counts what waits for webhooks that are held, and returns the room that is left. */
    count: (webhooks: ReadonlyArray<WebhookId>, at: Date) => many("count", RoomRow)`
      update webhooks w set counted_at = ${at}, room = ${WAITING_MAX} - (select count(*)::int from (
        select from webhook_deliveries d where d.webhook_id = w.id and d.state = 'waiting' limit ${WAITING_MAX}) waiting)
      where w.id = any(${webhooks}::uuid[]) returning w.id, w.room`,

    /** Saves deliveries of events that have their numbers, and wakes their webhooks, which are held. `counts` is by webhook. */
    queue: (deliveries: ReadonlyArray<NewDelivery>, counts: ReadonlyMap<WebhookId, number>, at: Date) => run(
      "queue"
    )`
      with made as (
        insert into webhook_deliveries
          (id, webhook_id, event_id, type, sequence, state, trigger, due_at, event_at, created_at)
        select n.id, n.webhook_id, e.id, e.type, e.sequence, 'waiting', 'schedule', ${at}, e.created_at, ${at}
        from unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ webhookId }) => webhookId)}::uuid[],
          ${deliveries.map(({ eventId }) => eventId)}::uuid[]) n (id, webhook_id, event_id)
        join events e on e.id = n.event_id
        on conflict (webhook_id, event_id) do nothing)
      update webhooks w set due_at = least(w.due_at, ${at}), room = w.room - n.count
      from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::int[]) n (id, count) where w.id = n.id`,

    insertTest: (delivery: NewDelivery & { readonly body: string; readonly at: Date }) => one(
      "insertTest",
      DeliveryRow
    )`
      insert into webhook_deliveries as d
        (id, webhook_id, event_id, type, body, state, trigger, due_at, event_at, created_at)
      values (${delivery.id}, ${delivery.webhookId}, ${delivery.eventId}, 'webhook.test', ${delivery.body}, 'waiting',
        'test', ${delivery.at}, ${delivery.at}, ${delivery.at})
      returning ${columns}`,

    /**
     * Returns the newest deliveries of a webhook, and one beyond the slice when there are more. With filters, it may stop
     * before, at the same moment's `read_until`.
     */
    slice: (webhook: WebhookId, { after, limit, since, state, type }: Slice) => {
      const read = sql`
        webhook_deliveries where webhook_id = ${webhook} and ${isAfter(after)} and ${isSince(since)} order by id desc`
      return one("slice", SliceRow)`
      select coalesce(found.deliveries, '[]') as deliveries, case when found.count <= ${limit} then (
        select id from ${read} offset ${number(FILTERED_MAX - 1)} limit 1) end as read_until
      from (select count(*) as count, jsonb_agg(to_jsonb(d) order by d.id desc) as deliveries from (
        select ${columns} from (select * from ${read} limit ${number(FILTERED_MAX)}) d
        where ${state === undefined ? sql`true` : sql`d.state = ${state}`}
          and ${type === undefined ? sql`true` : sql`d.type = ${type}`}
          and ${since === undefined ? sql`true` : sql`d.event_at >= ${since}`}
        order by d.id desc limit ${number(limit + 1)}) d) found`
    },

    /** Returns a delivery with its log. The body of an event is the event's own. */
    find: (webhook: WebhookId, id: WebhookDeliveryId) => maybe("find", LoggedRow)`
      select ${columns}, coalesce(d.body, e.body) as body, d.responses
      from webhook_deliveries d left join events e on e.id = d.event_id
      where d.id = ${id} and d.webhook_id = ${webhook}`,

    /** Makes a delivery due, with a schedule that begins again. */
    again: (webhook: WebhookId, id: WebhookDeliveryId, at: Date) => maybe("again", DeliveryRow)`
      update webhook_deliveries d set state = 'waiting', due_at = ${at}, failures = 0, trigger = 'manual'
      where d.id = ${id} and d.webhook_id = ${webhook} returning ${columns}`,

    /** Makes some of what waits for a webhook due. Returns true when there may be more. */
    hasten: (webhook: WebhookId, at: Date, limit: number) => changed("hasten")`
      update webhook_deliveries set due_at = ${at}, failures = 0 where ctid = any(array(
        select ctid from webhook_deliveries
        where webhook_id = ${webhook} and state = 'waiting' and (due_at > ${at} or failures > 0)
        order by due_at limit ${limit} for no key update))`,

    cancelWaiting: (webhook: WebhookId) => run("cancelWaiting")`
      update webhook_deliveries set state = 'cancelled' where webhook_id = ${webhook} and state = 'waiting'`,

    /** Returns events of a time that a webhook subscribes to and did not get, and one more when there are too many. */
    missed: (
      owner: OwnerId,
      webhook: WebhookId,
      types: ReadonlyArray<string>,
      since: Timestamp,
      until: Timestamp | undefined
    ) => many("missed", MissedRow)`
      select e.id from events e
      where e.owner_id = ${owner} and e.sequence is not null and e.created_at >= ${since}
        and ${until === undefined ? sql`true` : sql`e.created_at < ${until}`}
        and ${types.includes(ALL_EVENTS) ? sql`true` : sql`e.type = any(${types}::text[])`}
        and not exists (select from webhook_deliveries d
          where d.webhook_id = ${webhook} and d.event_id = e.id and d.state = 'delivered')
      order by e.sequence limit ${REDELIVERED_MAX + 1}`,

    /** Returns true for a webhook with more than 20,000 waiting deliveries: its owner sends no more again. */
    isOverfull: (webhook: WebhookId) => changed("isOverfull")`
      select from webhook_deliveries where webhook_id = ${webhook} and state = 'waiting'
      offset ${WAITING_MAX + REDELIVERED_MAX} limit 1`,

    /** Makes events due for a webhook, also those that have a delivery, unless it arrived meanwhile. */
    queueAgain: (deliveries: ReadonlyArray<NewDelivery>, webhook: WebhookId, at: Date) => run("queueAgain")`
      insert into webhook_deliveries as d
        (id, webhook_id, event_id, type, sequence, state, trigger, due_at, event_at, created_at)
      select n.id, ${webhook}::uuid, e.id, e.type, e.sequence, 'waiting', 'manual', ${at}, e.created_at, ${at}
      from unnest(${deliveries.map(({ id }) => id)}::uuid[], ${deliveries.map(({ eventId }) => eventId)}::uuid[]) n (id, event_id)
      join events e on e.id = n.event_id
      on conflict (webhook_id, event_id) do update
      set state = 'waiting', due_at = excluded.due_at, failures = 0, trigger = 'manual'
      where d.state <> 'delivered'`,

    /** Deletes some deliveries of a webhook. Returns true when there may be more. */
    removeSome: (webhook: WebhookId, limit: number) => changed("removeSome")`
      delete from webhook_deliveries where ctid = any(array(
        select ctid from webhook_deliveries where webhook_id = ${webhook} order by id limit ${limit}
        for update skip locked))`,

    sweep: (before: Date, limit: number) => changed("sweep")`
      delete from webhook_deliveries where ctid = any(array(
        select ctid from webhook_deliveries where created_at < ${before} order by created_at limit ${limit}
        for update skip locked))`,

    /** Forgets answers whose time has come. */
    sweepResponses: (at: Date, limit: number) => changed("sweepResponses")`
      update webhook_deliveries set responses = null, responses_until = null where ctid = any(array(
        select ctid from webhook_deliveries where responses is not null and responses_until < ${at}
        order by responses_until limit ${limit} for no key update skip locked))`
  }
})
