import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Dispatcher } from "../../../src/engagement/events/Dispatcher.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"
import { receiverOf, takeTurns } from "./receiver.ts"

/** Makes deliveries wait forever. */
const fill = Effect.fnUntraced(function* (webhook: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into webhook_deliveries (id, webhook_id, event_id, type, state, trigger, due_at, event_at, created_at)
    select gen_random_uuid(), ${webhook}, gen_random_uuid(), 'post.published', 'waiting', 'schedule', 'infinity',
      created_at, created_at
    from webhooks, generate_series(1, ${count}::int) where id = ${webhook}`
})

/** Numbers the events that are due. Returns how often waiting deliveries were counted meanwhile. */
const dispatch = Effect.gen(function* () {
  const { dispatch } = yield* Dispatcher
  const { statements } = yield* statementsOf(dispatch)
  return statements.filter((text) => text.includes("set counted_at")).length
})

layer(service(database("test_webhook_room")))("the room of a webhook", (it) => {
  it.effect("What waits is counted when the room is used up, and a full webhook once in ten seconds", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(1)
      const owner = yield* receiverOf(1)
      const { webhook } = yield* owner.created({ events: ["post.published"] })
      const waiting = sql<{ readonly count: number }>`
        select count(*)::int4 as count from webhook_deliveries where webhook_id = ${webhook.id} and state = 'waiting'`
      const publish = Effect.gen(function* () {
        yield* author.published()
        const counted = yield* dispatch
        const [row] = yield* waiting
        return [counted, row?.count]
      })

      yield* fill(webhook.id, 9_997)
      assert.deepStrictEqual(yield* publish, [1, 9_998])
      assert.deepStrictEqual(yield* publish, [0, 9_999])
      assert.deepStrictEqual(yield* publish, [0, 10_000])
      assert.deepStrictEqual(yield* publish, [0, 10_000])
      yield* sql`
        delete from webhook_deliveries where id in (
          select id from webhook_deliveries where webhook_id = ${webhook.id} and due_at = 'infinity' limit 3)`
      assert.deepStrictEqual(yield* publish, [0, 9_997])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* publish, [1, 9_998])
      assert.deepStrictEqual(yield* publish, [0, 9_999])
      assert.deepStrictEqual(yield* publish, [0, 10_000])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* publish, [1, 10_000])
      assert.deepStrictEqual(yield* publish, [0, 10_000])
      assert.strictEqual((yield* owner.read(webhook.id)).body.waiting, 10_000)
    })
  )

  it.effect("A full webhook is counted again when the clock was set back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(4)
      const owner = yield* receiverOf(4)
      const { webhook } = yield* owner.created({ events: ["post.published"] })
      yield* sql`update webhooks set room = 0, counted_at = created_at + interval '1 hour' where id = ${webhook.id}`
      yield* author.published()
      assert.strictEqual(yield* dispatch, 1)
      assert.strictEqual((yield* owner.read(webhook.id)).body.waiting, 1)
    })
  )

  it.effect("What an owner makes due is counted before more is queued", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const owner = yield* receiverOf(2)
      const { webhook } = yield* owner.created({ events: ["post.published"] })
      yield* author.published()
      assert.strictEqual(yield* dispatch, 1)
      yield* author.published()
      assert.strictEqual(yield* dispatch, 0)
      yield* owner.test(webhook.id)
      yield* author.published()
      assert.strictEqual(yield* dispatch, 1)
    })
  )

  it.effect("An owner sends nothing again as long as more than 20,000 deliveries wait", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(3)
      const owner = yield* receiverOf(3)
      const { webhook } = yield* owner.created({ events: ["post.published"] })
      yield* author.published()
      yield* dispatch
      yield* owner.answers({ status: 500 })
      yield* takeTurns
      yield* fill(webhook.id, 20_000)
      const since = "1970-01-01T00:00:00Z"
      const refused = yield* owner.redeliver(webhook.id, { since })
      assert.strictEqual(refused.status, 422)
      assert.deepInclude(refused.body.errors[0], { field: "since", code: "too_many" })
      yield* sql`
        delete from webhook_deliveries where id = (
          select id from webhook_deliveries where webhook_id = ${webhook.id} and due_at = 'infinity' limit 1)`
      assert.deepStrictEqual((yield* owner.redeliver(webhook.id, { since })).body, { count: 1 })
    })
  )
})
