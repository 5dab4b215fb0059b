import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { OutsideHttpMemory } from "../../../layers/testing/OutsideHttpMemory.ts"
import { eventSchemas } from "../../../schemas/engagement/events/Event.ts"
import { examples } from "../../../src/engagement/webhooks/examples.ts"
import { publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { receiverOf } from "./receiver.ts"

const UNKNOWN = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

const errorsOf = (answer: { readonly body: any }): ReadonlyArray<string> =>
  answer.body.errors.map(({ code, field }: any) => `${field} ${code}`)

layer(service(database("test_webhooks")))("webhooks", (it) => {
  it.effect("A webhook has its secret once, and its hint afterwards", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(1)
      const { secret, webhook } = yield* owner.created({ description: "Shop" })
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepInclude(webhook, {
        url: owner.url,
        events: ["*"],
        description: "Shop",
        enabled: true,
        state: "active",
        disabledReason: null,
        waiting: 0
      })
      assert.strictEqual(webhook.secrets[0].hint, `whsec_…${secret.slice(-4)}`)
      assert.deepStrictEqual((yield* owner.list).body, { webhooks: [webhook] })
      const read = yield* owner.read(webhook.id)
      assert.deepStrictEqual(read.body, webhook)
      assert.notInclude(JSON.stringify(read.body), secret)
      assert.strictEqual(read.headers.get("cache-control"), "private, no-store")
    })
  )

  it.effect(
    "A repeat with the same key is the same answer with the secret; another intent is a conflict",
    () =>
      Effect.gen(function* () {
        const owner = yield* receiverOf(2)
        const key = { "idempotency-key": "first" }
        const made = yield* owner.create({}, key)
        const again = yield* owner.create({}, key)
        assert.strictEqual(again.status, 201)
        assert.deepStrictEqual(again.body, made.body)
        assert.strictEqual(again.headers.get("x-idempotency-replay"), "true")
        assert.isNull(made.headers.get("x-idempotency-replay"))
        const other = yield* owner.create({ events: ["post.published"] }, key)
        assert.strictEqual(other.status, 409)
        assert.include(other.body.type, "/problems/idempotency-conflict")
        assert.lengthOf((yield* owner.list).body.webhooks, 1)
      })
  )

  it.effect("An owner has ten webhooks, and also in a race", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(3)
      const answers = yield* Effect.all(
        Array.from({ length: 14 }, () => owner.create()),
        { concurrency: 14 }
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 201),
        10
      )
      const refused = answers.filter(({ status }) => status === 409)
      assert.lengthOf(refused, 4)
      assert.include(refused[0]?.body.type, "/problems/webhook-limit-reached")
    })
  )

  it.effect("A URL is refused for what is wrong with it", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(4)
      yield* (yield* OutsideHttpMemory).hide("inside.example")
      const cases = {
        nonsense: "invalid",
        "ftp://a.example/": "invalid",
        "https://a:b@a.example/": "invalid",
        "https://a.example/#x": "invalid",
        [`https://a.example/${"x".repeat(2_048)}`]: "too_long",
        "http://a.example/": "https_required",
        "https://a.example:25/": "port_not_allowed",
        "https://127.0.0.1/": "address_not_public",
        "https://localhost/": "address_not_public",
        "https://inside.example/": "address_not_public"
      }
      const { webhook } = yield* owner.created()
      for (const [url, code] of Object.entries(cases)) {
        for (const answer of [yield* owner.create({ url }), yield* owner.change(webhook.id, { url })]) {
          assert.strictEqual(answer.status, 422, url)
          assert.deepStrictEqual(errorsOf(answer), [`url ${code}`], url)
        }
      }
      // It is kept as browsers read it.
      const { webhook: made } = yield* owner.created({ url: "HTTPS://Bücher.example:443/ä?b" })
      assert.strictEqual(made.url, "https://xn--bcher-kva.example/%C3%A4?b")
    })
  )

  it.effect("Types of events are known, not repeated, and at least one", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(5)
      const cases = [
        [[], ["events required"]],
        [["post.published", "post.published"], ["events invalid"]],
        [["*", "post.published"], ["events invalid"]],
        [["post.published", "post.exploded"], ["events.1 unknown"]],
        [["webhook.test"], ["events.0 unknown"]]
      ] as const
      for (const [events, errors] of cases) {
        const answer = yield* owner.create({ events })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(errorsOf(answer), [...errors], JSON.stringify(events))
      }
      const unknown = yield* owner.create({ events: ["post.exploded"] })
      assert.include(unknown.body.errors[0].message, "comment.created")
    })
  )

  it.effect("A change keeps the other members, and needs at least one", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(6)
      const { webhook } = yield* owner.created({ description: "Shop" })
      yield* TestClock.adjust("1 second")
      const changed = (yield* owner.change(webhook.id, { events: ["tip.settled"] })).body
      assert.deepStrictEqual(changed, {
        ...webhook,
        events: ["tip.settled"],
        updatedAt: changed.updatedAt
      })
      assert.isAbove(Date.parse(changed.updatedAt), Date.parse(webhook.updatedAt))
      assert.isNull((yield* owner.change(webhook.id, { description: null })).body.description)
      const off = (yield* owner.change(webhook.id, { enabled: false })).body
      assert.deepInclude(off, { enabled: false, state: "disabled", disabledReason: "owner" })
      assert.deepInclude((yield* owner.change(webhook.id, { enabled: true })).body, {
        state: "active",
        disabledReason: null
      })
      assert.strictEqual((yield* owner.change(webhook.id, {})).status, 422)
    })
  )

  it.effect("A webhook of another owner is found by no operation, and a removal may be repeated", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(7)
      const stranger = yield* receiverOf(8)
      const { webhook } = yield* owner.created()
      const delivery = (yield* owner.test(webhook.id)).body.id
      for (const id of [webhook.id, UNKNOWN]) {
        for (const request of [
          stranger.read(id),
          stranger.change(id, { enabled: false }),
          stranger.change(id, { url: "https://b.example/" }),
          stranger.rotate(id),
          stranger.test(id),
          stranger.log(id),
          stranger.delivery(id, delivery),
          stranger.redeliverOne(id, delivery),
          stranger.redeliver(id, { since: "2026-01-01T00:00:00Z" })
        ])
          assert.strictEqual((yield* request).status, 404)
        assert.strictEqual((yield* stranger.remove(id)).status, 204)
      }
      assert.strictEqual((yield* owner.read(webhook.id)).status, 200)
      for (const _ of [1, 2]) assert.strictEqual((yield* owner.remove(webhook.id)).status, 204)
      assert.strictEqual((yield* owner.read(webhook.id)).status, 404)
    })
  )

  it.effect("A webhook has at most two secrets, and the earlier one for as long as it is asked for", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(9)
      const { secret, webhook } = yield* owner.created()
      const rotated = yield* owner.rotate(webhook.id)
      assert.strictEqual(rotated.status, 201)
      assert.notStrictEqual(rotated.body.secret, secret)
      const [newest, former] = rotated.body.webhook.secrets
      assert.isNull(newest.expiresAt)
      assert.strictEqual(Date.parse(former.expiresAt) - Date.parse(newest.createdAt), 86_400_000)
      assert.lengthOf((yield* owner.rotate(webhook.id, { keepSeconds: 60 })).body.webhook.secrets, 2)
      assert.lengthOf((yield* owner.rotate(webhook.id, { keepSeconds: 0 })).body.webhook.secrets, 1)
      for (const keepSeconds of [-1, 604_801, 1.5])
        assert.strictEqual((yield* owner.rotate(webhook.id, { keepSeconds })).status, 422)
    })
  )

  it.effect("A Publishing key is no credential for webhooks", () =>
    Effect.gen(function* () {
      const { send } = yield* TestClient
      const { key } = yield* publisher(10)
      for (const token of [undefined, key])
        assert.strictEqual(
          (yield* send("GET", "/api/v1/webhooks", token === undefined ? {} : { token })).status,
          401
        )
    })
  )

  it.effect("Each example of a test is the data of its type", () =>
    Effect.gen(function* () {
      for (const [type, event] of Object.entries(eventSchemas)) {
        const example = examples[type as keyof typeof examples]
        const decode = Schema.decodeUnknownEffect(event.fields.data as Schema.Codec<unknown>, {
          onExcessProperty: "error"
        })
        assert.deepStrictEqual(yield* decode(example), example as unknown, type)
      }
    })
  )
})
