import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { EVENT_TYPES, EventType } from "../../../schemas/platform/EventType.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../sql/statements.ts"
import { leastIdAt } from "../time/leastIdAt.ts"
import { later, MINUTE_MILLIS } from "../time/now.ts"
import type { NextDue } from "../work/dueWork.ts"
import type { NewEvent } from "./facts.ts"

/** The advisory lock of the process that numbers events now. */
const LOCK = 7_104_251

/** Changes of a public Post within this time are one event. */
const UPDATE_MILLIS = 30_000

/** Time after which an id is one of a clock that is ahead. */
const AHEAD_MILLIS = 60 * MINUTE_MILLIS

/** An event without a number. */
const DueEvent = Schema.Struct({
  id: Schema.String,
  owner_id: OwnerId,
  type: EventType,
  subject_id: Schema.NullOr(Schema.String),
  data: Schema.Record(Schema.String, Schema.Unknown),
  timestamp: Timestamp
})
export type DueEvent = typeof DueEvent.Type

const NumberRow = Schema.Struct({ owner_id: OwnerId, last_sequence: Schema.FiniteFromString })

/** The number and the body of an event. */
interface Numbered {
  readonly id: string
  readonly sequence: number
  readonly body: string
}

/** Returns the condition that an owner gets events at this moment. `owner` names a column. */
const isListening = (sql: SqlClient.SqlClient, owner: Statement.Fragment, at: Date) => sql`
  exists (select from event_listeners l where l.owner_id = ${owner} and (l.polled_until > ${at} or l.has_webhooks))`

/** Makes the text of events, from which a statement reads them. An update of a Post waits for others. */
const textOf = (events: ReadonlyArray<NewEvent & { readonly id: string }>) =>
  JSON.stringify(
    events.map(({ at, cause, data, id, ownerId, subjectId, type }) => ({
      id,
      created_at: at,
      owner_id: ownerId,
      type,
      subject_id: subjectId,
      cause,
      data,
      due_at: type === "post.updated" ? later(at, UPDATE_MILLIS) : at
    }))
  )

/**
 * Inserts events of owners who listen at this moment, in a statement of their cause. `isCaused` is a condition of that
 * statement.
 */
export const insertEvents = (
  sql: SqlClient.SqlClient,
  events: ReadonlyArray<NewEvent & { readonly id: string }>,
  at: Date,
  isCaused: Statement.Fragment = sql`true`
) => sql`
  insert into events (id, created_at, owner_id, type, subject_id, cause, data, due_at)
  select e.id, e.created_at, e.owner_id, e.type, e.subject_id, e.cause, e.data, e.due_at
  from jsonb_to_recordset(${textOf(events)}::jsonb) e (
    id uuid, created_at timestamptz, owner_id uuid, type text, subject_id uuid, cause text, data jsonb,
    due_at timestamptz)
  where ${isListening(sql, sql`e.owner_id`, at)} and ${isCaused}`

/** The condition that this release knows the type of an event. It leaves those of a later one to that. */
const isKnown = (sql: SqlClient.SqlClient) => sql`type = any(${EVENT_TYPES}::text[])`

/** The time when the next event without a number is due. */
export const eventsDue: NextDue = (sql) =>
  sql`(select min(due_at) from events where sequence is null and ${isKnown(sql)})`

/** Statements over `events`, the outbox, and over `event_listeners`, the owners who get events. */
export const eventStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, run } = statements(sql, "events")
  // Written out: planned for a limit that is a parameter, PostgreSQL may read the whole table.
  const number = (value: number) => sql.literal(String(value))

  return {
    /** Records events of owners who listen, except those whose cause was recorded before. Returns true for some. */
    record: (events: ReadonlyArray<NewEvent & { readonly id: string }>, at: Date) => changed("record")`
      ${insertEvents(sql, events, at)} on conflict do nothing`,

    /** Records an update of a Post, or adds it to the one that has no number yet. */
    recordUpdate: (event: NewEvent & { readonly id: string }, at: Date) => changed("recordUpdate")`
      ${insertEvents(sql, [event], at)}
      on conflict (subject_id) where type = 'post.updated' and sequence is null do update
      set data = jsonb_build_object('changed', (
        select jsonb_agg(distinct name) from jsonb_array_elements((events.data -> 'changed') || (excluded.data -> 'changed')) name))`,

    /** Makes processes that number events take turns until the surrounding transaction ends. */
    lock: run("lock")`select pg_advisory_xact_lock(${LOCK})`,

    /** Returns the events that are due, oldest first, and locks them. One that is being added to is left for later. */
    due: (at: Date, limit: number) => many("due", DueEvent)`
      select id, owner_id, type, subject_id, data, wire_time(created_at) as timestamp
      from events where sequence is null and due_at <= ${at} and ${isKnown(sql)}
      order by due_at, id limit ${number(limit)} for no key update skip locked`,

    /** Reserves the next numbers of owners, and returns the last one of each. */
    reserve: (counts: ReadonlyMap<OwnerId, number>) => many("reserve", NumberRow)`
      insert into event_listeners as l (owner_id, last_sequence)
      select owner_id, count from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::bigint[]) n (owner_id, count)
      order by owner_id
      on conflict (owner_id) do update set last_sequence = l.last_sequence + excluded.last_sequence
      returning owner_id, last_sequence::text as last_sequence`,

    number: (events: ReadonlyArray<Numbered>) => run("number")`
      update events e set sequence = n.sequence, body = n.body
      from unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ sequence }) => sequence)}::bigint[],
        ${events.map(({ body }) => body)}::text[]) n (id, sequence, body)
      where e.id = n.id`,

    /** Makes an event without a number due later. */
    postpone: (id: string, until: Date) => run("postpone")`
      update events set due_at = ${until} where id = ${id} and sequence is null`,

    /** Deletes events without a number. */
    discard: (ids: ReadonlyArray<string>) => run("discard")`
      delete from events where id = any(${ids}::uuid[]) and sequence is null`,

    /** Makes an owner a listener until this time, or for longer. */
    listen: (owner: OwnerId, until: Date) => run("listen")`
      insert into event_listeners as l (owner_id, polled_until) values (${owner}, ${until})
      on conflict (owner_id) do update set polled_until = greatest(l.polled_until, excluded.polled_until)`,

    /** Says whether webhooks of an owner hear of events. */
    setHeard: (owner: OwnerId, hasWebhooks: boolean) => run("setHeard")`
      insert into event_listeners (owner_id, has_webhooks) values (${owner}, ${hasWebhooks})
      on conflict (owner_id) do update set has_webhooks = excluded.has_webhooks`,

    /** Deletes some events that were recorded before this time, oldest first. Returns true when there may be more. */
    sweep: (before: Date, limit: number) => changed("sweep")`
      delete from events where ctid = any(array(
        select ctid from events where id < ${leastIdAt(before)} order by id limit ${number(limit)}))`,

    /** Deletes some of those that `sweep` leaves, as a clock that was ahead made their ids. Returns true when there may be more. */
    sweepAhead: (before: Date, at: Date, limit: number) => changed("sweepAhead")`
      delete from events where ctid = any(array(
        select ctid from events where id > ${leastIdAt(later(at, AHEAD_MILLIS))} and created_at < ${before}
        order by id limit ${number(limit)}))`,

    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from events where ctid = any(array(select ctid from events where owner_id = ${owner} limit ${limit}))`,

    eraseListener: (owner: OwnerId) =>
      changed("eraseListener")`delete from event_listeners where owner_id = ${owner}`
  }
})

/** Erases the events of an owner and, after them, what makes the owner a listener: the dispatcher locks in this order. */
export const eventErasure = Effect.map(eventStatements, ({ eraseListener, eraseSome }) => ({
  eraseSome: Effect.fnUntraced(function* (owner: OwnerId, limit: number) {
    return (yield* eraseSome(owner, limit)) || (yield* eraseListener(owner))
  })
}))
