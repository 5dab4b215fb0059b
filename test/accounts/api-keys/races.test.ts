import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { signIn } from "../../support/actors/owner.ts"
import type { TestAnswer } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { assertProblem } from "../sessions/flows.ts"
import { keyAccess, type KeyMetadata, keysOf } from "./keys.ts"

const atOnce = <A, E, R>(count: number, effect: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, (_, index) => effect(index)),
    { concurrency: "unbounded" }
  )

const isActive = ({ revokedAt }: KeyMetadata) => revokedAt === null

/** Returns the one answer that succeeded; every other must be this problem. */
const onlyWinner = (answers: ReadonlyArray<TestAnswer>, status: number, slug: string) => {
  const winners = answers.filter((it) => it.status === 200)
  for (const answer of answers) if (answer.status !== 200) assertProblem(answer, status, slug)
  assert.lengthOf(winners, 1)
  return winners[0]!
}

layer(twoServices("test_key_races"))("Publishing keys in two parallel processes (4.1, 5.7)", (it) => {
  const owner = (number: number) => Effect.flatMap(signIn(number), ({ accessToken }) => keysOf(accessToken))

  it.effect("Of 20 concurrent creations, five make an active key", () =>
    Effect.gen(function* () {
      const keys = yield* owner(1)
      const answers = yield* atOnce(20, () => keys.issue())
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        5
      )
      for (const answer of answers) if (answer.status !== 200) assertProblem(answer, 409, "key-limit-reached")
      assert.lengthOf(yield* keys.list, 5)
    })
  )

  it.effect("Twenty creations with one Idempotency-Key issue one key", () =>
    Effect.gen(function* () {
      const keys = yield* owner(2)
      const answers = yield* atOnce(20, () => keys.issue({ label: "a" }, { "idempotency-key": "one" }))
      const winner = onlyWinner(answers, 409, "key-already-issued")
      for (const answer of answers) assert.deepStrictEqual(answer.body.apiKey, winner.body.apiKey)
      assert.deepStrictEqual(yield* keys.list, [winner.body.apiKey])
    })
  )

  it.effect("Creations of different intents with one Idempotency-Key issue one key", () =>
    Effect.gen(function* () {
      const keys = yield* owner(3)
      const answers = yield* atOnce(10, (index) =>
        keys.issue({ label: String(index) }, { "idempotency-key": "one" })
      )
      const winner = onlyWinner(answers, 409, "idempotency-conflict")
      assert.deepStrictEqual(yield* keys.list, [winner.body.apiKey])
    })
  )

  it.effect("Twenty rotations of one key replace it once", () =>
    Effect.gen(function* () {
      const keys = yield* owner(4)
      const { apiKey, key } = yield* keys.issued()
      const winner = onlyWinner(yield* atOnce(20, () => keys.rotate(apiKey.keyId)), 404, "not-found")
      assert.deepStrictEqual((yield* keys.list).filter(isActive), [winner.body.apiKey])
      assert.strictEqual(yield* keyAccess(key), 401)
      assert.strictEqual(yield* keyAccess(winner.body.key), 200)
    })
  )

  it.effect("A rotation and a revocation of one key leave only keys that their owner received", () =>
    Effect.gen(function* () {
      const keys = yield* owner(5)
      for (let round = 0; round < 20; round++) {
        const { apiKey, key } = yield* keys.issued()
        const calls = [keys.rotate(apiKey.keyId), keys.revoke(apiKey.keyId)]
        const answers = yield* Effect.all(round % 2 === 0 ? calls : calls.toReversed(), {
          concurrency: "unbounded"
        })
        const [rotated, revoked] = (round % 2 === 0 ? answers : answers.toReversed()) as [
          TestAnswer,
          TestAnswer
        ]
        assert.strictEqual(revoked.status, 200)
        assert.isNotNull(revoked.body.revokedAt)
        assert.strictEqual(yield* keyAccess(key), 401)
        const active = (yield* keys.list).filter(isActive)
        if (rotated.status === 200) {
          assert.deepStrictEqual(active, [rotated.body.apiKey])
          yield* keys.revoke(rotated.body.apiKey.keyId)
        } else {
          assertProblem(rotated, 404, "not-found")
          assert.deepStrictEqual(active, [])
        }
      }
    })
  )

  it.effect("Concurrent rotations of five keys and creations leave five active keys", () =>
    Effect.gen(function* () {
      const keys = yield* owner(6)
      const issued = yield* Effect.all(Array.from({ length: 5 }, () => keys.issued()))
      const [rotations, creations] = yield* Effect.all(
        [atOnce(5, (index) => keys.rotate(issued[index]!.apiKey.keyId)), atOnce(10, () => keys.issue())],
        { concurrency: "unbounded" }
      )
      for (const { status } of rotations) assert.strictEqual(status, 200)
      for (const answer of creations) assertProblem(answer, 409, "key-limit-reached")
      assert.lengthOf((yield* keys.list).filter(isActive), 5)
    })
  )
})
