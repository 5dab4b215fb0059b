import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertProblem, fieldCodes } from "../sessions/flows.ts"
import { keyAccess, keysOf } from "./keys.ts"

const named = (key: string) => ({ "idempotency-key": key })

layer(service(database("test_issuance")))("key issuance with an Idempotency-Key (4.1.3, 7, 8)", (it) => {
  const owner = (number: number) => Effect.flatMap(signIn(number), ({ accessToken }) => keysOf(accessToken))

  it.effect("A replay answers key-already-issued with the metadata, and without the secret", () =>
    Effect.gen(function* () {
      const keys = yield* owner(1)
      const first = yield* keys.issue({ label: "laptop" }, named("one"))
      assert.strictEqual(first.status, 200)
      const replay = yield* keys.issue({ label: "laptop" }, named("one"))
      assertProblem(replay, 409, "key-already-issued")
      assert.deepStrictEqual(replay.body.apiKey, first.body.apiKey)
      assert.notInclude(replay.text, first.body.key.split("_")[2])
      assert.lengthOf(yield* keys.list, 1)
      assert.strictEqual(yield* keyAccess(first.body.key), 200)
    })
  )

  it.effect("A replay shows the key as it is now", () =>
    Effect.gen(function* () {
      const keys = yield* owner(2)
      const first = yield* keys.issue({}, named("one"))
      const revoked = yield* keys.revoke(first.body.apiKey.keyId)
      assert.deepStrictEqual((yield* keys.issue({}, named("one"))).body.apiKey, revoked.body)
    })
  )

  it.effect("A changed intent is an idempotency-conflict", () =>
    Effect.gen(function* () {
      const keys = yield* owner(3)
      const first = { label: "laptop", expiresAt: "2030-01-01T00:00:00Z" }
      yield* keys.issue(first, named("one"))
      const changed = [
        {},
        { label: "laptop" },
        { ...first, label: "Laptop" },
        { ...first, label: null },
        { ...first, expiresAt: null },
        { ...first, expiresAt: "2030-01-01T00:00:00.001Z" }
      ]
      for (const request of changed) {
        const answer = yield* keys.issue(request, named("one"))
        assertProblem(answer, 409, "idempotency-conflict")
        assert.notProperty(answer.body, "apiKey")
      }
      assert.lengthOf(yield* keys.list, 1)
    })
  )

  it.effect("Another spelling of the same intent is a replay", () =>
    Effect.gen(function* () {
      const keys = yield* owner(4)
      const replayed = (request: unknown, name: string) =>
        Effect.map(keys.issue(request, named(name)), (answer) =>
          assertProblem(answer, 409, "key-already-issued")
        )
      yield* keys.issue({ label: "laptop", expiresAt: "2030-01-01T00:00:00Z" }, named("one"))
      yield* replayed({ expiresAt: "2030-01-01T01:00:00.000+01:00", label: " laptop " }, "one")
      yield* keys.issue({}, named("two"))
      yield* replayed({ label: null }, "two")
    })
  )

  it.effect("A key without expiry and one with the default expiry are two intents", () =>
    Effect.gen(function* () {
      const keys = yield* owner(5)
      yield* keys.issue({}, named("one"))
      assertProblem(yield* keys.issue({ expiresAt: null }, named("one")), 409, "idempotency-conflict")
    })
  )

  it.effect("A replay long after the expiry of the key is still a replay", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const request = { expiresAt: "2026-11-21T05:00:01Z" }
      yield* (yield* owner(6)).issue(request, named("one"))
      yield* TestClock.adjust("1000 days")
      assertProblem(yield* (yield* owner(6)).issue(request, named("one")), 409, "key-already-issued")
    })
  )

  it.effect("The same Idempotency-Key of another owner is independent", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* owner(7), yield* owner(8)]
      assert.strictEqual((yield* mine.issue({ label: "a" }, named("one"))).status, 200)
      assert.strictEqual((yield* theirs.issue({ label: "b" }, named("one"))).status, 200)
    })
  )

  it.effect("Each issuance without an Idempotency-Key makes a new key", () =>
    Effect.gen(function* () {
      const keys = yield* owner(9)
      yield* keys.issued()
      yield* keys.issued()
      assert.lengthOf(yield* keys.list, 2)
    })
  )

  it.effect("An issuance that failed frees the Idempotency-Key", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2030, 0, 1))
      const keys = yield* owner(10)
      assert.deepStrictEqual(
        fieldCodes(yield* keys.issue({ expiresAt: "2030-01-01T00:00:00Z" }, named("one"))),
        [["expiresAt", "out_of_range"]]
      )
      for (let i = 0; i < 5; i++) yield* keys.issued()
      assertProblem(yield* keys.issue({ label: "a" }, named("one")), 409, "key-limit-reached")
      yield* keys.revoke((yield* keys.list)[0]!.keyId)
      assert.strictEqual((yield* keys.issue({ label: "b" }, named("one"))).status, 200)
      // The limit is reached again, and a replay gets the same answer as before.
      assertProblem(yield* keys.issue({ label: "b" }, named("one")), 409, "key-already-issued")
    })
  )

  it.effect("An Idempotency-Key has 1 to 255 characters and no whitespace", () =>
    Effect.gen(function* () {
      const keys = yield* owner(11)
      const kept = ["a", "a".repeat(255), "6f1c3a52-8b7e-4c83-9a6f-2f8a1f0b8e11"]
      for (const key of kept) assert.strictEqual((yield* keys.issue({}, named(key))).status, 200)
      const refused = {
        too_short: [""],
        too_long: ["a".repeat(256), "a".repeat(1000)],
        invalid: ["a b", "a\tb", "a\u00a0b", "a\u0085b"]
      }
      for (const [code, names] of Object.entries(refused)) {
        for (const key of names) {
          assert.deepStrictEqual(
            fieldCodes(yield* keys.issue({}, named(key))),
            [["Idempotency-Key", code]],
            key
          )
        }
      }
      assert.lengthOf(yield* keys.list, kept.length)
    })
  )
})
