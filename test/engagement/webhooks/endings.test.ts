import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { receiverOf, takeTurns } from "./receiver.ts"

layer(service(database("test_webhook_endings")))("ends of webhooks", (it) => {
  it.effect("An answer 410 ends the webhook, and cancels what waits", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(3)
      const { webhook } = yield* owner.created()
      yield* owner.answers({ status: 410 })
      const made = [yield* owner.test(webhook.id), yield* owner.test(webhook.id)]
      yield* takeTurns
      assert.lengthOf(yield* owner.posted, 1)
      assert.deepInclude((yield* owner.read(webhook.id)).body, { disabledReason: "gone", waiting: 0 })
      for (const { body } of made)
        assert.strictEqual((yield* owner.delivery(webhook.id, body.id)).body.state, "cancelled")
    })
  )

  it.effect("A crash while a webhook ends undoes all of it, and the next turn ends it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* receiverOf(4)
      const { webhook } = yield* owner.created()
      const ids = [(yield* owner.test(webhook.id)).body.id, (yield* owner.test(webhook.id)).body.id]
      const states = Effect.forEach(ids, (id) =>
        Effect.map(owner.delivery(webhook.id, id), ({ body }) => [body.state, body.attempts])
      )
      yield* owner.answers({ status: 410 })
      // The notice is the last step.
      yield* sql`alter table notifications add constraint broken check (false) not valid`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(takeTurns)))
      assert.deepInclude((yield* owner.read(webhook.id)).body, {
        state: "active",
        waiting: 2,
        lastFailure: null
      })
      assert.deepStrictEqual(yield* states, [
        ["waiting", 0],
        ["waiting", 0]
      ])
      yield* sql`alter table notifications drop constraint broken`
      yield* TestClock.adjust("60 seconds")
      yield* takeTurns
      assert.deepInclude((yield* owner.read(webhook.id)).body, { disabledReason: "gone", waiting: 0 })
      assert.deepStrictEqual((yield* states).toSorted(), [
        ["cancelled", 0],
        ["cancelled", 1]
      ])
    })
  )
})
