import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookDeliveryId, WebhookId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { deliveryStatements, HELD_MAX } from "../../../src/engagement/webhooks/deliveries.sql.ts"
import { webhookStatements } from "../../../src/engagement/webhooks/webhooks.sql.ts"
import { webhookQueue, webhookWork } from "../../../src/engagement/webhooks/webhookWork.sql.ts"
import { nextDueOf } from "../../../src/platform/work/lease.ts"
import { insertOwner, ownerId } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, wholeTables } from "../../support/plans.ts"

const OWNERS = 10_000
/** Events of the first owner, and as many of all others together. Both of the owner's webhooks have deliveries of each. */
const EVENTS = 20_000
/** Deliveries of the first webhook that wait, half of them for later. */
const WAITING = 10_000
/** Events of one transaction of the dispatcher. */
const NUMBERED = 500

const uuid = (kind: string, n: number | string) =>
  `00000000-0000-7000-8${kind}00-${String(n).padStart(12, "0")}`
const [FULL, BUSY] = [1, 2].map((n) => WebhookId.make(uuid("a", n))) as [WebhookId, WebhookId]
const AT = new Date("2026-01-04T00:00:00Z")

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* insertOwner(1)
  yield* sql`
    insert into owners (id, kind, wallet_public_key, name, handle, created_at)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'wallet', sha256(n::text::bytea), 'New User',
      'user_' || n, '2026-01-01' from generate_series(2, ${OWNERS}::int) n`
  yield* sql`
    insert into webhooks (id, owner_id, url, events, secrets, due_at, leased_until, created_at, updated_at)
    select ('00000000-0000-7000-8a00-' || lpad(n::text, 12, '0'))::uuid,
      ('00000000-0000-4000-8000-' || lpad(greatest(n - 1, 1)::text, 12, '0'))::uuid, 'https://a.example/', array['*'],
      '[]', case when n = 1 then ${AT}::timestamptz else 'infinity' end, '2026-01-01', '2026-01-01', '2026-01-01'
    from generate_series(1, ${OWNERS + 1}::int) n`
  // A statement of the service has five seconds.
  for (let from = 0; from < 2 * EVENTS; from += 10_000)
    yield* sql`
      insert into events (id, created_at, owner_id, type, data, due_at, sequence, body)
      select md5(n::text)::uuid, at, ('00000000-0000-4000-8000-' ||
          lpad(case when n <= ${EVENTS} then '1' else (2 + n % ${OWNERS - 1})::text end, 12, '0'))::uuid,
        'post.published', '{}', at, n, repeat('a snapshot ', 60)
      from generate_series(${from + 1}::int, ${from + 10_000}::int) n
      cross join lateral (select timestamptz '2026-01-01 00:00:00Z' + n * interval '1 second' as at) moment`
  for (let from = 0; from < 2 * EVENTS; from += 10_000)
    yield* sql`
      insert into webhook_deliveries (id, webhook_id, event_id, type, sequence, state, trigger, due_at, event_at, created_at)
      select (lpad(to_hex((extract(epoch from e.created_at) * 1000)::bigint), 12, '0') || '7000' || w.place || '000' ||
          lpad(to_hex(e.sequence), 12, '0'))::uuid, w.id, e.id, e.type, e.sequence,
        case when w.id = ${FULL} and e.sequence > ${EVENTS - WAITING} then 'waiting' else 'delivered' end,
        'schedule', case when e.sequence % 2 = 0 then '2026-01-05'::timestamptz else e.created_at end, e.created_at,
        e.created_at
      from events e join (
        select id, owner_id, case when id = ${FULL} then '8' else '9' end as place from webhooks) w
        on w.owner_id = e.owner_id
      where e.sequence > ${from} and e.sequence <= ${from + 10_000}`
  yield* sql`analyze events, webhooks, webhook_deliveries, owners`
  return owner
})

layer(database("test_webhook_plans"))("webhooks with 60,000 deliveries", (it) => {
  it.effect("Owners, the dispatcher, turns and sweeps read by indexes, and no more than they need", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* seed
      const webhooks = yield* webhookStatements
      const deliveries = yield* deliveryStatements
      const work = yield* webhookWork
      const [delivery] = yield* sql<{ readonly id: string }>`
        select id from webhook_deliveries where webhook_id = ${FULL} and state = 'waiting' limit 1`
      const id = WebhookDeliveryId.make(delivery!.id)
      const eventIds = yield* sql<{ readonly id: string }>`
        select id from events where sequence <= ${NUMBERED} order by sequence`
      const made = Array.from({ length: NUMBERED }, (_, n) => ({
        id: uuid("c", n),
        webhookId: BUSY,
        eventId: eventIds[n]!.id
      }))
      const slice = (filters: object) =>
        deliveries.slice(BUSY, { after: undefined, limit: 50, ...filters } as never)
      const other = deliveries.missed(
        ownerId(2),
        WebhookId.make(uuid("a", 3)),
        ["*"],
        Timestamp.make("2026-01-01T00:00:00.000000Z"),
        undefined
      )
      const reads = [
        ["list", WAITING, webhooks.list(owner)],
        ["find", WAITING, webhooks.find(owner, FULL)],
        ["hold", WAITING, webhooks.hold(owner, FULL)],
        ["count", 2, webhooks.count(owner)],
        ["log", 51, slice({})],
        ["log of a state", 51, slice({ state: "delivered" })],
        [
          "receivers",
          NUMBERED,
          deliveries.receivers(Array.from({ length: NUMBERED }, (_, n) => ownerId(n + 2)))
        ],
        ["room", WAITING, deliveries.count([FULL, BUSY], AT)],
        ["queue", NUMBERED, deliveries.queue(made, new Map([[BUSY, NUMBERED]]), AT)],
        ["find a delivery", 1, deliveries.find(FULL, id)],
        ["again", 1, deliveries.again(FULL, id, AT)],
        ["queueAgain", NUMBERED, deliveries.queueAgain(made, BUSY, AT)],
        ["hasten", 2 * WAITING, deliveries.hasten(FULL, AT, HELD_MAX)],
        ["missed", 10, other],
        ["removeSome", HELD_MAX, deliveries.removeSome(FULL, HELD_MAX)],
        ["sweep", 5_000, deliveries.sweep(new Date("2026-01-01T01:00:00Z"), 5_000)],
        ["sweepResponses", 1, deliveries.sweepResponses(AT, 5_000)],
        ["next due", 1, sql`select ${nextDueOf(webhookQueue)(sql)} as due_at`],
        ["due", 2 * WAITING, work.due(FULL, AT, 50)],
        ["end", 1, work.end(FULL, AT)]
      ] as const
      const claim = ["claim", 32, work.claim({ at: AT, leaseUntil: AT, limit: 32 })] as const
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const)
        // The plan of a claim depends on its limit.
        for (const [name, most, read] of mode === "force_custom_plan" ? [claim, ...reads] : reads) {
          const nodes = yield* planNodes(mode, read as Effect.Effect<unknown, unknown>)
          const whole = wholeTables(nodes)
          for (const table of ["events", "webhook_deliveries", "webhooks"])
            assert.notInclude(whole, table, `${name}, ${mode}`)
          assert.isAtMost(mostRows(nodes), most, `${name}, ${mode}`)
        }
    })
  )
})
