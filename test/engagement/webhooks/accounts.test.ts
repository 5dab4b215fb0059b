import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Restrictions } from "../../../src/engagement/moderation/Restrictions.ts"
import { exportedWebhooks, webhookErasure } from "../../../src/engagement/webhooks/accountWebhooks.ts"
import { Webhooks } from "../../../src/engagement/webhooks/Webhooks.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { deliver, receiverOf, takeTurns } from "./receiver.ts"

const heard = (owner: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        readonly has_webhooks: boolean
      }>`select has_webhooks from event_listeners where owner_id = ${owner}`,
      ([row]) => row?.has_webhooks
    )
  )

layer(service(database("test_webhook_accounts")))("webhooks of accounts", (it) => {
  it.effect("The webhooks of a restricted account rest, and go on afterwards", () =>
    Effect.gen(function* () {
      const restrictions = yield* Restrictions
      const { run } = yield* Transactions
      const owner = yield* receiverOf(1)
      const { webhook } = yield* owner.created()
      const { webhook: off } = yield* owner.created({ url: "https://off.example/" })
      yield* owner.change(off.id, { enabled: false })
      const { id } = (yield* owner.test(webhook.id)).body
      yield* run(restrictions.close(owner.id))
      assert.strictEqual(yield* takeTurns, 0)
      const resting = (yield* owner.read(webhook.id)).body
      assert.deepInclude(resting, { state: "disabled", disabledReason: "account_restricted", waiting: 1 })
      assert.strictEqual((yield* owner.create()).status, 403)
      assert.strictEqual((yield* owner.test(webhook.id)).status, 403)
      assert.strictEqual((yield* owner.log(webhook.id)).status, 200)
      yield* run(restrictions.reopen(owner.id))
      yield* takeTurns
      assert.strictEqual((yield* owner.delivery(webhook.id, id)).body.state, "delivered")
      assert.strictEqual((yield* owner.read(off.id)).body.disabledReason, "owner")
    })
  )

  it.effect("An account that was restricted since its session was checked gets no live webhook", () =>
    Effect.gen(function* () {
      const restrictions = yield* Restrictions
      const { run } = yield* Transactions
      const { change, create, list } = yield* Webhooks
      const owner = yield* receiverOf(20)
      const { webhook } = yield* owner.created()
      yield* run(restrictions.close(owner.id))
      const request = { url: owner.url, events: ["*"] }
      const refusals = [
        yield* Effect.flip(create(owner.id, request, undefined)),
        yield* Effect.flip(change(owner.id, webhook.id, { enabled: true }))
      ]
      for (const { _tag } of refusals) assert.strictEqual(_tag, "AccountRestricted")
      assert.deepStrictEqual(
        (yield* list(owner.id)).map(({ state }) => state),
        ["disabled"]
      )
    })
  )

  it.effect("An export has the URLs and events, and an erased account has no webhook", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(2)
      const { webhook } = yield* owner.created({ events: ["tip.settled"] })
      for (let count = 0; count < 3; count++) yield* owner.test(webhook.id)
      assert.deepStrictEqual(yield* (yield* exportedWebhooks)(owner.id), [
        { url: owner.url, events: ["tip.settled"] }
      ])
      const { eraseSome } = yield* webhookErasure
      let steps = 0
      while (yield* eraseSome(owner.id, 2)) steps += 1
      assert.strictEqual(steps, 3)
      assert.deepStrictEqual((yield* owner.list).body, { webhooks: [] })
    })
  )

  it.effect(
    "Answers are kept for a week, deliveries for thirty days, and events while a webhook was on within thirty",
    () =>
      Effect.gen(function* () {
        const { sweep } = yield* Webhooks
        let owner = yield* receiverOf(3)
        const { webhook } = yield* owner.created({ events: ["post.published"] })
        const { webhook: on } = yield* owner.created({ url: "https://on.example/" })
        yield* owner.answers({ status: 200, response: new TextEncoder().encode("thanks") })
        const { id } = (yield* owner.test(webhook.id)).body
        yield* takeTurns
        const responseOf = Effect.map(
          Effect.suspend(() => owner.delivery(webhook.id, id)),
          ({ body }) => body.attemptLog[0].response
        )
        const wait = Effect.fnUntraced(function* (time: "7 days" | "1 second" | "23 days" | "31 days") {
          yield* TestClock.adjust(time)
          yield* sweep
          owner = yield* receiverOf(3)
        })
        yield* sweep
        assert.strictEqual(yield* responseOf, "thanks")
        yield* wait("7 days")
        assert.strictEqual(yield* responseOf, "thanks")
        yield* wait("1 second")
        assert.isNull(yield* responseOf)
        yield* wait("23 days")
        assert.strictEqual((yield* owner.delivery(webhook.id, id)).status, 404)

        for (const it of [webhook.id, on.id]) yield* owner.change(it, { enabled: false })
        yield* sweep
        assert.isTrue(yield* heard(owner.id))
        yield* wait("31 days")
        assert.isFalse(yield* heard(owner.id))
        yield* owner.change(webhook.id, { enabled: true })
        assert.isTrue(yield* heard(owner.id))
        const author = yield* authorOf(3)
        yield* author.published()
        yield* deliver
        assert.lengthOf(
          (yield* owner.posted).filter(({ body }) => body.includes("post.published")),
          1
        )
        yield* owner.remove(webhook.id)
        yield* owner.remove(on.id)
        yield* sweep
        assert.isFalse(yield* heard(owner.id))
      })
  )
})
