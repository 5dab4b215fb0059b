import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { keysOf } from "../../../accounts/api-keys/keys.ts"
import { ADMIN_TOKEN, administrator } from "../../../support/actors/administrator.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { soak } from "../../../support/soak.ts"
import { TestClient, type TestAnswer } from "../../../support/TestClient.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { wrongCounts } from "../../../support/wrongCounts.ts"
import { inSeconds, publishAllDue } from "./scheduling.ts"

const ROUNDS = soak(2, 40)

describe("a schedule that is due in two processes", () => {
  it.effect("A draft is published exactly once while its author and moderators act", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_schedules_races", { adminToken: ADMIN_TOKEN })
      const [first, second] = processes
      const sql = Context.get(first, SqlClient.SqlClient)
      const client = Context.get(second, TestClient)
      let people = 0

      /** Races the publication in both processes with an act of a person. Returns the draft afterwards. */
      const race = Effect.fnUntraced(function* (
        act: (
          id: string,
          author: Effect.Success<ReturnType<typeof authorOf>>
        ) => Effect.Effect<unknown, unknown, TestClient | Scope.Scope>
      ) {
        const author = yield* Effect.provide(authorOf(++people), first)
        const { id } = yield* Effect.provide(author.draft(), first)
        yield* client.send("PUT", `/api/v1/posts/${id}/schedule`, {
          token: author.key,
          body: { publishAt: yield* inSeconds(60) }
        })
        yield* TestClock.adjust("60 seconds")
        yield* Effect.all(
          [
            Effect.provide(publishAllDue, first),
            Effect.provide(publishAllDue, second),
            Effect.provide(Effect.scoped(act(id, author)), second)
          ],
          { concurrency: "unbounded" }
        )
        yield* Effect.provide(publishAllDue, first)
        const [row] = yield* sql<{
          readonly status: string
          readonly failure: string | null
          readonly waits: boolean
        }>`
          select p.status, s.failure ->> 'reason' as failure, s.id is not null and s.failure is null as waits
          from posts p left join scheduled_publications s on s.id = p.id where p.id = ${id}`
        if (row !== undefined && row.status === "published") assert.isNull(row.failure)
        return row
      })

      const send =
        (method: string, path: (id: string) => string, request: object = {}) =>
        (id: string, author: { readonly key: string }): Effect.Effect<TestAnswer, never, TestClient> =>
          Effect.flatMap(TestClient, (it) =>
            it.send(method, `/api/v1/posts/${path(id)}`, { token: author.key, ...request })
          )
      const published = { status: "published", failure: null, waits: false }

      for (let round = 0; round < ROUNDS; round++) {
        const nothing = yield* race(() => Effect.void)
        assert.deepStrictEqual(nothing, published)
        const byHand = yield* race(
          send("POST", (id) => `${id}/publish`, { headers: { "idempotency-key": "by-hand" } })
        )
        assert.deepStrictEqual(byHand, published)
        const edited = yield* race(send("PATCH", (id) => id, { body: { description: "Other words" } }))
        assert.deepStrictEqual(edited, published)
        const deleted = yield* race(send("DELETE", (id) => id))
        if (deleted !== undefined) assert.deepStrictEqual(deleted, published)
        const unpublished = yield* race(send("POST", (id) => `${id}/unpublish`))
        assert.isFalse(unpublished?.waits)
        assert.isNull(unpublished?.failure)
        const cancelled = yield* race(send("DELETE", (id) => `${id}/schedule`))
        assert.isFalse(cancelled?.waits)
        assert.isNull(cancelled?.failure)
        const later = yield* inSeconds(3_600)
        const moved = yield* race(send("PUT", (id) => `${id}/schedule`, { body: { publishAt: later } }))
        assert.strictEqual(moved?.waits, moved?.status === "draft")
        const revoked = yield* race((_, author) =>
          Effect.gen(function* () {
            const keys = yield* keysOf(author.accessToken)
            yield* Effect.flatMap(keys.list, (all) => keys.revoke(all[0]!.keyId))
          })
        )
        assert.strictEqual(revoked?.failure, revoked?.status === "draft" ? "key_revoked" : null)
        const restricted = yield* race((_, { handle }) =>
          Effect.gen(function* () {
            const admin = yield* administrator()
            yield* admin["accounts.restrict"]({ handle, reason: "Spam" })
          }).pipe(Effect.provide(second))
        )
        if (restricted?.status === "draft") assert.strictEqual(restricted.failure, "account_restricted")
      }
      assert.deepStrictEqual(yield* wrongCounts(sql), [])
      const deadlocks = yield* sql<{ readonly deadlocks: number }>`
        select deadlocks::integer from pg_stat_database where datname = current_database()`
      assert.deepStrictEqual(deadlocks, [{ deadlocks: 0 }])
    })
  )
})
