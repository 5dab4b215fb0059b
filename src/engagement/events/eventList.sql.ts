import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ListedEventType } from "../../../schemas/engagement/events/Event.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

const EventRow = Schema.Struct({ sequence: Schema.Int, body: Schema.String })
export type EventRow = typeof EventRow.Type

/** Events that one request with types reads at most, of any type. A page has fewer than its limit when they are rare. */
const READ_MAX = 2_000

const PageRow = Schema.Struct({
  polled_until: Schema.NullOr(Schema.Date),
  last_sequence: Schema.FiniteFromString,
  /** The oldest event that is kept; null without one. */
  oldest_sequence: Schema.NullOr(Schema.FiniteFromString),
  oldest_at: Schema.NullOr(Timestamp),
  /** The last event that the statement read, of any type; null without one. */
  read_until: Schema.NullOr(Schema.FiniteFromString),
  /** True when the statement may not have read all events after the cursor. */
  is_cut: Schema.Boolean,
  events: Schema.Array(EventRow)
})

interface Slice {
  /** The number of the last event of the page before; 0 begins. */
  readonly after: number
  readonly types: ReadonlyArray<ListedEventType> | undefined
  readonly limit: number
}

/** Statements that read the events of an owner. */
export const eventListStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many, one } = statements(sql, "eventList")
  // Written out: planned for a limit that is a parameter, PostgreSQL may read all events of the owner.
  const number = (value: number) => sql.literal(String(value))

  return {
    /** Returns the next events of an owner, and one beyond when there are more, with the state of the list at the same moment. */
    page: (owner: OwnerId, { after, limit, types }: Slice) => {
      const read = types === undefined ? limit + 1 : READ_MAX
      return one("page", PageRow)`
      with read as materialized (
        select sequence, type, body from events where owner_id = ${owner} and sequence > ${after}
        order by sequence limit ${number(read)})
      select l.polled_until, coalesce(l.last_sequence, 0)::text as last_sequence,
        oldest.sequence::text as oldest_sequence, wire_time(oldest.created_at) as oldest_at,
        (select max(sequence) from read)::text as read_until, (select count(*) from read) = ${read} as is_cut,
        coalesce((
          select jsonb_agg(jsonb_build_object('sequence', e.sequence, 'body', e.body) order by e.sequence)
          from (
            select * from read ${types === undefined ? sql`` : sql`where type = any(${types})`}
            order by sequence limit ${number(limit + 1)}) e), '[]') as events
      from (select ${owner}::uuid as owner_id) asked
      left join event_listeners l on l.owner_id = asked.owner_id
      left join lateral (
        select sequence, created_at from events where owner_id = asked.owner_id and sequence is not null
        order by sequence limit 1) oldest on true`
    },

    /** Returns events of an owner in their order, for an archive. */
    all: (owner: OwnerId, after: EventRow | undefined, limit: number) => many("all", EventRow)`
      select sequence::int4 as sequence, body from events
      where owner_id = ${owner} and sequence > ${after?.sequence ?? 0} order by sequence limit ${number(limit)}`
  }
})
