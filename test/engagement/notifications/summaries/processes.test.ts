import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { freshDatabase } from "../../../support/Database.ts"
import { processOver } from "../../../support/TestClient.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { deeds, personOf } from "../deeds.ts"
import { day, summariesOf, tellDays } from "./days.ts"

const OWNERS = 30

layer(Layer.empty)("two processes", (it) => {
  it.effect("Two processes tell each owner of a day once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12))
      const [one, other] = yield* twoAssemblies("test_summaries_two_processes")
      const owners = yield* Effect.provide(
        Effect.gen(function* () {
          const { follow } = yield* deeds
          const fans = yield* Effect.all([personOf(101), personOf(102)])
          const made = yield* Effect.forEach(
            Array.from({ length: OWNERS }, (_, n) => n + 1),
            personOf
          )
          // Both fans meet the same owner at once, and each may write that the day is due.
          yield* Effect.forEach(
            made.flatMap((owner) => fans.map((fan) => [fan, owner] as const)),
            ([fan, owner]) => follow(fan, owner),
            { concurrency: 8 }
          )
          return made
        }),
        one
      )
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 7, 5))
      const told = yield* Effect.all([Effect.provide(tellDays, one), Effect.provide(tellDays, other)], {
        concurrency: 2
      })
      assert.isAtLeast(told[0] + told[1], OWNERS)
      for (const owner of owners)
        assert.deepStrictEqual(yield* Effect.provide(summariesOf(owner), other), [
          ["2026-11-22", day({ followers: 2 })]
        ])
      const left = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select from notification_summaries`)
      assert.isEmpty(yield* Effect.provide(left, one))
    })
  )

  it.effect("Two readers who first react to an owner do not wait for each other", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 12))
      const process = yield* processOver(yield* freshDatabase("test_summaries_waiting"), 1)
      const sql = Context.get(process, SqlClient.SqlClient)
      const here = Effect.provide(process)
      const [owner, ann, bob] = yield* here(Effect.all([personOf(1), personOf(2), personOf(3)]))
      const { follow } = yield* here(deeds)
      const followed = yield* Deferred.make<void>()
      const committing = yield* Deferred.make<void>()
      const holder = yield* here(follow(ann, owner)).pipe(
        Effect.andThen(Deferred.succeed(followed, undefined)),
        Effect.andThen(Deferred.await(committing)),
        sql.withTransaction,
        Effect.forkScoped
      )
      yield* Deferred.await(followed)
      // A statement that waited would meet its deadline, and end the test.
      yield* here(follow(bob, owner))
      yield* Deferred.succeed(committing, undefined)
      yield* Fiber.join(holder)
      assert.lengthOf(yield* sql`select from notification_summaries where owner_id = ${owner}`, 2)
      yield* TestClock.setTime(Date.UTC(2026, 10, 22, 7, 5))
      yield* here(tellDays)
      assert.deepStrictEqual(yield* here(summariesOf(owner)), [["2026-11-22", day({ followers: 2 })]])
    })
  )
})
