import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { OutsideFailure, type PostAnswer } from "../../../src/platform/ports/OutsideHttp.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { deliver, eventOf, receiverOf, takeTurns } from "./receiver.ts"

interface Message {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Returns the signature that the library makes of a message. Its check of the time would need the clock of the machine. */
const signatureBy = (secret: string, { body, headers }: Message) =>
  new StandardWebhook(secret).sign(
    headers["webhook-id"] ?? "",
    DateTime.toDateUtc(DateTime.makeUnsafe(Number(headers["webhook-timestamp"]) * 1_000)),
    body
  )

/** Returns the signatures that a message has. */
const signaturesOf = ({ headers }: Message) => headers["webhook-signature"]?.split(" ")

layer(service(database("test_webhook_turns")))("turns at webhooks", (it) => {
  it.effect("A publication arrives, signed, with the bytes that the list of events has", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const owner = yield* receiverOf(1)
      const { secret, webhook } = yield* owner.created()
      const { id } = yield* author.published({ title: "Heard far away" })
      yield* deliver
      const posted = yield* owner.posted
      const message = posted.find((it) => eventOf(it).type === "post.published")
      assert.isDefined(message)
      assert.deepStrictEqual(signaturesOf(message!), [signatureBy(secret, message!)])
      assert.deepStrictEqual(Object.keys(message!.headers).toSorted(), [
        "content-type",
        "user-agent",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp"
      ])
      const event = eventOf(message!)
      assert.strictEqual(message!.headers["webhook-id"], event.id)
      assert.strictEqual(event.data.post.id, id)
      const listed = (yield* owner.send("GET", "/api/v1/events")).body.data
      assert.deepStrictEqual(
        listed.find((it: any) => it.id === event.id),
        event
      )
      const [delivery] = (yield* owner.log(webhook.id, "?type=post.published")).body.data
      assert.deepInclude(delivery, {
        state: "delivered",
        attempts: 1,
        eventId: event.id,
        nextAttemptAt: null
      })
      const { attemptLog, body } = (yield* owner.delivery(webhook.id, delivery.id)).body
      assert.strictEqual(body, message!.body)
      assert.deepInclude(attemptLog[0], { number: 1, trigger: "schedule", status: 200, code: null })
    })
  )

  it.effect(
    "A failure is tried again with the same id and body, and ten give it up and end the webhook",
    () =>
      Effect.gen(function* () {
        let owner = yield* receiverOf(2)
        const { webhook } = yield* owner.created()
        yield* owner.answers({ status: 500, response: new TextEncoder().encode("broken\0") })
        const { id } = (yield* owner.test(webhook.id)).body
        yield* takeTurns
        const failing = (yield* owner.read(webhook.id)).body
        assert.deepInclude(failing, { state: "failing", waiting: 1 })
        assert.deepInclude(failing.lastFailure, { code: "http_status", status: 500 })
        const first = (yield* owner.delivery(webhook.id, id)).body
        assert.deepInclude(first.attemptLog[0], { trigger: "test", response: "broken\uFFFD" })
        const bounds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
        for (const seconds of bounds) {
          const { lastAttempt, nextAttemptAt } = (yield* owner.delivery(webhook.id, id)).body
          const wait = (Date.parse(nextAttemptAt) - Date.parse(lastAttempt.at)) / 1_000
          assert.isAtMost(wait, seconds)
          assert.isAtLeast(wait, seconds * 0.8)
          yield* TestClock.adjust(`${seconds} seconds`)
          // The session of the one before has ended.
          owner = yield* receiverOf(2)
          yield* takeTurns
        }
        const posted = yield* owner.posted
        assert.lengthOf(posted, 10)
        assert.strictEqual(new Set(posted.map(({ body, headers }) => body + headers["webhook-id"])).size, 1)
        const given = (yield* owner.delivery(webhook.id, id)).body
        assert.deepInclude(given, { state: "failed", attempts: 10, nextAttemptAt: null })
        assert.deepInclude((yield* owner.read(webhook.id)).body, {
          state: "disabled",
          disabledReason: "failing"
        })
        const notices = (yield* owner.send("GET", "/api/v1/notifications")).body.notifications
        assert.deepStrictEqual(notices.map(({ data }: any) => data.code).toSorted(), [
          "webhook_disabled",
          "webhook_failing"
        ])

        // The delivery arrives once the webhook is on again.
        assert.strictEqual((yield* owner.redeliverOne(webhook.id, id)).status, 409)
        assert.strictEqual((yield* owner.test(webhook.id)).status, 409)
        yield* owner.answers({ status: 204 })
        yield* owner.change(webhook.id, { enabled: true })
        assert.strictEqual((yield* owner.redeliverOne(webhook.id, id)).status, 202)
        yield* takeTurns
        const arrived = (yield* owner.delivery(webhook.id, id)).body
        assert.deepInclude(arrived, { state: "delivered", attempts: 11 })
        assert.deepInclude(arrived.attemptLog.at(-1), { number: 11, trigger: "manual", status: 204 })
        assert.lengthOf(arrived.attemptLog, 11)
      })
  )

  it.effect("A server without an answer rests, and what was not sent stays due and uncounted", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(4)
      const { webhook } = yield* owner.created()
      yield* owner.answers(new OutsideFailure({ reason: "timeout" }))
      const first = (yield* owner.test(webhook.id)).body.id
      const second = (yield* owner.test(webhook.id)).body.id
      yield* takeTurns
      assert.lengthOf(yield* owner.posted, 1)
      const attempts = [first, second].map((id) => owner.delivery(webhook.id, id))
      const bodies = (yield* Effect.all(attempts)).map(({ body }) => body)
      assert.deepStrictEqual(bodies.map((it) => it.attempts).toSorted(), [0, 1])
      assert.deepStrictEqual(
        bodies.flatMap((it) => it.lastAttempt ?? []).map(({ code, status }: any) => [code, status]),
        [["timeout", null]]
      )
      yield* owner.answers({ status: 200 })
      assert.strictEqual(yield* takeTurns, 0)
      yield* TestClock.adjust("5 seconds")
      yield* takeTurns
      for (const request of attempts) assert.strictEqual((yield* request).body.state, "delivered")
      assert.deepInclude((yield* owner.read(webhook.id)).body, { state: "active", failingSince: null })

      // A person who asks does not wait for the end of a rest.
      yield* owner.answers(new OutsideFailure({ reason: "connection" }))
      yield* owner.test(webhook.id)
      yield* takeTurns
      yield* owner.answers({ status: 200 })
      const third = (yield* owner.test(webhook.id)).body.id
      assert.strictEqual(yield* takeTurns, 1)
      assert.strictEqual((yield* owner.delivery(webhook.id, third)).body.state, "delivered")
    })
  )

  it.effect("Both secrets sign after a rotation, until the former one ends", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(5)
      const { secret, webhook } = yield* owner.created()
      const rotated = (yield* owner.rotate(webhook.id, { keepSeconds: 60 })).body.secret
      yield* owner.test(webhook.id)
      yield* takeTurns
      yield* TestClock.adjust("60 seconds")
      yield* owner.test(webhook.id)
      yield* takeTurns
      const [both, one] = yield* owner.posted
      assert.deepStrictEqual(signaturesOf(both!), [signatureBy(rotated, both!), signatureBy(secret, both!)])
      assert.deepStrictEqual(signaturesOf(one!), [signatureBy(rotated, one!)])
    })
  )

  it.effect("A wake during a turn neither ends its lease nor is lost", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(6)
      const { webhook } = yield* owner.created()
      const arrived = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<Partial<PostAnswer>>()
      yield* owner.answers(() => Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(answer)))
      yield* owner.test(webhook.id)
      const turn = yield* Effect.forkChild(takeTurns)
      yield* Deferred.await(arrived)
      const second = (yield* owner.test(webhook.id)).body.id
      // A second process finds nothing to claim.
      assert.strictEqual(yield* takeTurns, 0)
      yield* Deferred.succeed(answer, {})
      yield* Fiber.join(turn)
      assert.lengthOf(yield* owner.posted, 2)
      assert.strictEqual((yield* owner.delivery(webhook.id, second)).body.state, "delivered")
    })
  )

  it.effect("A webhook that is turned off during a request gets no other one, and its outcome is kept", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(7)
      const { webhook } = yield* owner.created()
      const first = (yield* owner.test(webhook.id)).body.id
      yield* owner.test(webhook.id)
      yield* owner.answers(() =>
        Effect.as(Effect.orDie(owner.change(webhook.id, { enabled: false })), { status: 200 })
      )
      yield* takeTurns
      assert.lengthOf(yield* owner.posted, 1)
      const states = (yield* owner.log(webhook.id)).body.data.map(({ state }: any) => state)
      assert.deepStrictEqual(states.toSorted(), ["delivered", "waiting"])
      assert.strictEqual((yield* owner.read(webhook.id)).body.state, "disabled")
      assert.isString(first)
    })
  )

  it.effect("A webhook that is deleted during a request gets no other one", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(8)
      const { webhook } = yield* owner.created()
      yield* owner.test(webhook.id)
      yield* owner.test(webhook.id)
      yield* owner.answers(() => Effect.as(Effect.orDie(owner.remove(webhook.id)), { status: 200 }))
      yield* takeTurns
      assert.lengthOf(yield* owner.posted, 1)
    })
  )

  it.effect(
    "A delivery that is sent again during an attempt that fails stays due, and no rest holds it",
    () =>
      Effect.gen(function* () {
        const owner = yield* receiverOf(20)
        const { webhook } = yield* owner.created()
        const { id } = (yield* owner.test(webhook.id)).body
        yield* TestClock.adjust("1 second")
        yield* owner.answers(() =>
          owner.redeliverOne(webhook.id, id).pipe(
            Effect.orDie,
            Effect.tap(() => owner.answers({ status: 204 })),
            Effect.andThen(Effect.fail(new OutsideFailure({ reason: "connection" })))
          )
        )
        yield* takeTurns
        const { attemptLog, state } = (yield* owner.delivery(webhook.id, id)).body
        assert.strictEqual(state, "delivered")
        assert.deepStrictEqual(
          attemptLog.map(({ code, trigger }: any) => [trigger, code]),
          [
            ["test", "connection"],
            ["manual", null]
          ]
        )
      })
  )

  it.effect("A turn whose lease ended records nothing", () =>
    Effect.gen(function* () {
      const owner = yield* receiverOf(9)
      const { webhook } = yield* owner.created()
      const id = (yield* owner.test(webhook.id)).body.id
      const sql = yield* SqlClient.SqlClient
      yield* owner.answers(() =>
        Effect.as(Effect.orDie(sql`update webhooks set attempts = attempts + 1 where id = ${webhook.id}`), {
          status: 200
        })
      )
      yield* takeTurns
      assert.deepInclude((yield* owner.delivery(webhook.id, id)).body, { state: "waiting", attempts: 0 })
      yield* owner.answers({ status: 200 })
      yield* TestClock.adjust("60 seconds")
      yield* takeTurns
      assert.deepInclude((yield* owner.delivery(webhook.id, id)).body, { state: "delivered", attempts: 1 })
    })
  )

  it.effect("Events of a time when the webhook was off are sent on request, and at most 10,000 wait", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(10)
      const owner = yield* receiverOf(10)
      const { webhook } = yield* owner.created({ events: ["post.published"] })
      yield* owner.change(webhook.id, { enabled: false })
      const since = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) - 1_000))
      yield* author.published()
      yield* author.published()
      yield* deliver
      assert.lengthOf(yield* owner.posted, 0)
      assert.strictEqual((yield* owner.redeliver(webhook.id, { since })).status, 409)
      yield* owner.change(webhook.id, { enabled: true })
      assert.deepStrictEqual((yield* owner.redeliver(webhook.id, { since })).body, { count: 2 })
      yield* takeTurns
      const posted = yield* owner.posted
      assert.lengthOf(posted, 2)
      const sequences = posted.map((it) => eventOf(it).sequence)
      assert.deepStrictEqual(
        sequences,
        sequences.toSorted((a, b) => a - b)
      )
      assert.deepStrictEqual((yield* owner.redeliver(webhook.id, { since })).body, { count: 0 })

      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into webhook_deliveries (id, webhook_id, event_id, type, state, trigger, due_at, event_at, created_at)
        select gen_random_uuid(), ${webhook.id}, gen_random_uuid(), 'post.published', 'waiting', 'schedule',
          'infinity', created_at, created_at from webhooks, generate_series(1, 10000) where id = ${webhook.id}`
      yield* author.published()
      yield* deliver
      assert.lengthOf(yield* owner.posted, 2)
      assert.strictEqual((yield* owner.read(webhook.id)).body.waiting, 10_000)
      assert.deepStrictEqual((yield* owner.redeliver(webhook.id, { since })).body, { count: 1 })
      yield* takeTurns
      assert.lengthOf(yield* owner.posted, 3)

      // More than one transaction holds the webhook for.
      const left = (where: string) =>
        sql`select from webhook_deliveries where webhook_id = ${webhook.id} and ${sql.literal(where)}`
      yield* owner.change(webhook.id, { enabled: true })
      assert.isEmpty(yield* left("due_at = 'infinity'"))
      assert.lengthOf(yield* left("state = 'waiting'"), 10_000)
      yield* owner.remove(webhook.id)
      assert.isEmpty(yield* left("true"))
      assert.strictEqual((yield* owner.read(webhook.id)).status, 404)
    })
  )
})
