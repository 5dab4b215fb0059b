import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { TAG_MAX, TAG_MIN } from "../../../src/payments/sessions/tags.ts"
import { database } from "../../support/Database.ts"
import { service, type ServiceOptions } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { openSession, sale, sessionOf } from "./sessionWorld.ts"

/** Replaces the source of tags: it gives these, one after the other, and then begins again. */
const withTags = (tags: ReadonlyArray<number>): ServiceOptions => {
  let given = 0
  return {
    changePorts: (ports) =>
      Layer.effect(
        SecureRandom.SecureRandom,
        Effect.map(SecureRandom.SecureRandom, (random) => ({
          ...random,
          intBetween: (min: number, max: number) =>
            min === TAG_MIN && max === TAG_MAX
              ? Effect.sync(() => tags[given++ % tags.length]!)
              : random.intBetween(min, max)
        }))
      ).pipe(Layer.provideMerge(ports))
  }
}

describe("the tags of sessions", () => {
  it.effect("A tag that a live session of the address has is not given twice", () =>
    Effect.gen(function* () {
      const { author, buy } = yield* sale
      const tagOf = ({ amount, base }: { readonly amount: bigint; readonly base: bigint }) => amount - base
      assert.deepStrictEqual([tagOf(yield* buy), tagOf(yield* buy), tagOf(yield* buy)], [7n, 8n, 9n])
      // Another base, and another address, have tags of their own.
      const tip = yield* sessionOf({ kind: "tip", handle: author.handle, amountXno: "1" })
      assert.strictEqual(tagOf(tip), 7n)
    }).pipe(Effect.provide(service(database("test_sessions_tags"), 1, withTags([7, 7, 8, 7, 8, 8, 9, 7]))))
  )

  it.effect("A thousand concurrent sessions of one amount in two processes ask for different amounts", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const answers = yield* Effect.all(
        Array.from({ length: 1_000 }, () => openSession({ kind: "purchase", postId })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [201])
      assert.strictEqual(new Set(answers.map(({ body }) => body.amountRaw)).size, 1_000)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select count(*)::int4 as watched from watched_accounts`, [
        { watched: 1 }
      ])
    }).pipe(Effect.provide(twoServices("test_sessions_thousand")))
  )

  it.effect("A hundred identical requests open one session", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const key = "5f0c7a52-6f3c-4b0e-9d52-ffffffffffff"
      const answers = yield* Effect.all(
        Array.from({ length: 100 }, () => openSession({ kind: "purchase", postId }, { key })),
        { concurrency: "unbounded" }
      )
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepStrictEqual(statuses, [...Array.from({ length: 99 }, () => 200), 201])
      assert.strictEqual(new Set(answers.map(({ body }) => `${body.sessionId} ${body.token}`)).size, 1)
    }).pipe(Effect.provide(twoServices("test_sessions_identical")))
  )
})
