import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { eventListStatements } from "../../../src/engagement/events/eventList.sql.ts"
import { eventsDue, eventStatements } from "../../../src/platform/events/events.sql.ts"
import { insertOwner } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"

/** Numbered events of two owners; 300 more wait. */
const EVENTS = soak(30_000, 100_000)

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* insertOwner(1)
  yield* insertOwner(2)
  // A statement of the service has five seconds.
  for (let from = 0; from < EVENTS; from += 10_000)
    yield* sql`
      insert into events (id, created_at, owner_id, type, data, due_at, sequence, body)
      select
        (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, at, o.id,
        case when n % 1000 = 0 then 'tip.settled' else 'post.published' end, '{}', at,
        n, '{}'
      from generate_series(${from + 1}::integer, ${from + 10_000}::integer) n
      cross join lateral (select timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second' as at) moment
      join (select id, row_number() over (order by id) - 1 as place from owners) o on o.place = n % 2`
  yield* sql`
    insert into events (id, created_at, owner_id, type, data, due_at)
    select md5('due' || n)::uuid, '2026-01-03', ${owner}, 'post.published', '{}', '2026-01-03'
    from generate_series(1, 300) n`
  yield* sql`insert into event_listeners (owner_id, last_sequence) values (${owner}, ${EVENTS})`
  yield* sql`analyze events, event_listeners, owners`
  return owner
})

layer(database("test_event_plans"))(`events among ${EVENTS}`, (it) => {
  it.effect("Reads, the dispatcher and sweeps read by indexes, and no more than they need", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* seed
      const list = yield* eventListStatements
      const events = yield* eventStatements
      const at = new Date("2026-01-04T00:00:00Z")
      const old = new Date("2026-01-01T00:01:00Z")
      const reads = [
        [101, list.page(owner, { after: 0.6 * EVENTS, types: undefined, limit: 100 })],
        [2_000, list.page(owner, { after: 0.6 * EVENTS, types: ["tip.settled"], limit: 100 })],
        [300, events.due(at, 500)],
        [1, sql`select ${eventsDue(sql)} as due_at`],
        [100, events.sweep(old, 5_000)],
        [300, events.sweepAhead(old, at, 5_000)]
      ] as const
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const)
        for (const [index, [most, read]] of reads.entries()) {
          const nodes = yield* planNodes(mode, read as Effect.Effect<unknown, unknown>)
          assert.notInclude(wholeTables(nodes), "events", `read ${index}, ${mode}`)
          assert.isAtMost(mostRows(nodes), most, `read ${index}, ${mode}`)
        }
    })
  )
})
