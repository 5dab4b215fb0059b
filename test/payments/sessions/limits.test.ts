import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { newKey, sale } from "./sessionWorld.ts"

layer(service(database("test_sessions_limits"), 1, { rateLimitFactor: 1 }))("limits of sessions", (it) => {
  it.effect("An address may open 20 sessions and read 600 times in a minute", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { postId } = yield* sale
      const open = (from: string) =>
        Effect.suspend(() =>
          client.send("POST", "/api/payment-sessions", {
            body: { kind: "tip", postId, amountXno: "1" },
            headers: { "idempotency-key": newKey() },
            from
          })
        )
      const opened = yield* Effect.replicateEffect(open("192.0.2.1"), 20)
      assert.deepStrictEqual([...new Set(opened.map(({ status }) => status))], [201])
      const refused = yield* open("192.0.2.1")
      assert.deepStrictEqual(refusalOf(refused), [429, "rate_limited"])
      assert.isNotNull(refused.headers.get("retry-after"))
      assert.strictEqual((yield* open("192.0.2.2")).status, 201)

      const { sessionId, token } = opened[0]!.body
      const read = client.send("GET", `/api/payment-sessions/${sessionId}`, {
        headers: { "x-session-token": token },
        from: "192.0.2.3"
      })
      const reads = yield* Effect.replicateEffect(read, 600)
      assert.deepStrictEqual([...new Set(reads.map(({ status }) => status))], [200])
      assert.deepStrictEqual(refusalOf(yield* read), [429, "rate_limited"])
    })
  )
})

const texts = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom("1", "0.5", "-1", "1e30", "0x1", "9".repeat(90), "00", " 1", "١", "\0")
)
const members = fc.oneof(texts, fc.jsonValue({ maxDepth: 2 }))
const bodies = fc.record(
  {
    kind: fc.oneof(fc.constantFrom("purchase", "tip"), members),
    postId: members,
    commentId: members,
    handle: members,
    amountRaw: members,
    amountXno: members
  },
  { requiredKeys: [] }
)

layer(service(database("test_sessions_hostile")))("hostile requests", (it) => {
  it.effect("Hostile requests open nothing and break nothing", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { postId } = yield* sale
      const run = Effect.runPromiseWith(yield* Effect.context())
      const check = Effect.fnUntraced(function* (body: object, named: boolean, text: string) {
        const answer = yield* client.send("POST", "/api/payment-sessions", {
          body: named ? { ...body, postId } : body,
          headers: { "idempotency-key": newKey() }
        })
        assert.include([201, 404, 409, 422], answer.status, answer.text)
        const id = answer.status === 201 ? answer.body.sessionId : postId
        const strange = yield* client.send("GET", `/api/payment-sessions/${id}`, {
          headers: { "x-session-token": encodeURIComponent(text.toWellFormed()) }
        })
        assert.include([403, 404], strange.status)
      })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(bodies, fc.boolean(), texts, (body, named, text) => run(check(body, named, text))),
          { numRuns: 300 }
        )
      )
    })
  )
})
