import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { WebhookDeliveries } from "../../../src/engagement/webhooks/WebhookDeliveries.ts"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"
import { receiverOf, takeTurns } from "./receiver.ts"

layer(service(database("test_webhook_log")))("the log of a webhook", (it) => {
  it.effect("The log has pages, states and types", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(11)
      const { webhook } = yield* owner.created()
      const ids = []
      for (let count = 0; count < 5; count++) {
        ids.push((yield* owner.test(webhook.id)).body.id)
        yield* TestClock.adjust("1 second")
      }
      yield* owner.answers({ status: 200, response: new TextEncoder().encode("thanks") })
      yield* takeTurns
      const first = (yield* owner.log(webhook.id, "?limit=3")).body
      const rest = (yield* owner.log(webhook.id, `?limit=3&cursor=${first.pagination.nextCursor}`)).body
      assert.deepStrictEqual(
        [...first.data, ...rest.data].map(({ id }: any) => id),
        ids.toReversed()
      )
      assert.deepInclude(rest.pagination, { hasMore: false, nextCursor: null })
      assert.lengthOf((yield* owner.log(webhook.id, "?state=waiting")).body.data, 0)
      assert.lengthOf((yield* owner.log(webhook.id, "?type=webhook.test")).body.data, 5)
      assert.lengthOf((yield* owner.log(webhook.id, "?since=2100-01-01T00:00:00Z")).body.data, 0)
      assert.strictEqual((yield* owner.log(webhook.id, "?cursor=1.x.y")).status, 422)
    })
  )

  it.effect("A page of a filter reads 2,000 deliveries at most, and its cursor leads to older ones", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* receiverOf(12)
      const { webhook } = yield* owner.created()
      const { id } = (yield* owner.test(webhook.id)).body
      yield* sql`
        insert into webhook_deliveries
          (id, webhook_id, event_id, type, sequence, state, trigger, due_at, event_at, created_at, delivered_at)
        select ('ffffffff-ffff-7000-8000-' || lpad(n::text, 12, '0'))::uuid, id, gen_random_uuid(), 'post.published', n,
          'delivered', 'schedule', created_at, created_at, created_at, created_at
        from webhooks, generate_series(1, 2000) n where id = ${webhook.id}`
      const waiting = "?state=waiting&limit=10"
      const first = (yield* owner.log(webhook.id, waiting)).body
      assert.isEmpty(first.data)
      assert.isTrue(first.pagination.hasMore)
      const second = (yield* owner.log(webhook.id, `${waiting}&cursor=${first.pagination.nextCursor}`)).body
      assert.deepStrictEqual(
        second.data.map((it: any) => it.id),
        [id]
      )
      assert.deepInclude(second.pagination, { hasMore: false, nextCursor: null })
      const delivered = (yield* owner.log(webhook.id, "?state=delivered&limit=10")).body
      assert.lengthOf(delivered.data, 10)
      assert.isTrue(delivered.pagination.hasMore)
    })
  )

  it.effect("A page since a moment reads nothing that was made long before it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust("2 hours")
      const owner = yield* receiverOf(13)
      const { webhook } = yield* owner.created()
      const { createdAt, id } = (yield* owner.test(webhook.id)).body
      yield* sql`
        insert into webhook_deliveries
          (id, webhook_id, event_id, type, sequence, state, trigger, due_at, event_at, created_at, delivered_at)
        select ('00000000-0001-7000-8000-' || lpad(n::text, 12, '0'))::uuid, id, gen_random_uuid(), 'post.published', n,
          'delivered', 'schedule', 'epoch', 'epoch', 'epoch', 'epoch'
        from webhooks, generate_series(1, 2000) n where id = ${webhook.id}`
      const { data, pagination } = (yield* owner.log(webhook.id, `?since=${createdAt}`)).body
      assert.deepStrictEqual(
        data.map((it: any) => it.id),
        [id]
      )
      assert.deepInclude(pagination, { hasMore: false, nextCursor: null })
    })
  )

  it.effect("A page and the place where it ended are read by one statement", () =>
    Effect.gen(function* () {
      const { list } = yield* WebhookDeliveries
      const owner = yield* receiverOf(14)
      const id = yield* ownerIdOf(owner.accessToken)
      const { webhook } = yield* owner.created()
      yield* owner.test(webhook.id)
      for (const filters of [{}, { state: "failed" }, { type: "post.published" }] as const) {
        const { statements } = yield* statementsOf(list(id, webhook.id, filters))
        assert.lengthOf(
          statements.filter((text) => text.includes("from webhook_deliveries")),
          1
        )
      }
    })
  )
})
