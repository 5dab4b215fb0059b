import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

/** Owners on each side of the author, so that they fill the pages of the table. */
const OTHERS = 200

const insertOwners = Effect.fnUntraced(function* (prefix: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into owners (id, kind, name, handle, created_at)
    select gen_random_uuid(), 'guest', 'Other ' || n, ${prefix}::text || n, timestamptz 'epoch'
    from generate_series(1, ${OTHERS}::integer) n`
})

/** Returns how often owners were written, and how many of these writes changed no index. */
const ownerWrites = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The only connection: it reports what it did before.
  yield* sql`select pg_stat_force_next_flush()`
  const [row] = yield* sql<{ readonly writes: number; readonly heapOnly: number }>`
    select n_tup_upd::integer as writes, n_tup_hot_upd::integer as "heapOnly"
    from pg_stat_user_tables where relname = 'owners'`
  return row!
})

layer(service(database("test_owner_writes", { maxConnections: 1 })))("the row of an author", (it) => {
  it.effect("Publications and their ends change no index of the owner, except the first and the last", () =>
    Effect.gen(function* () {
      yield* insertOwners("before_")
      const author = yield* authorOf(1)
      yield* insertOwners("after_")
      const writesOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
        const before = yield* ownerWrites
        const answer = yield* effect
        const after = yield* ownerWrites
        return {
          answer,
          writes: after.writes - before.writes,
          heapOnly: after.heapOnly - before.heapOnly
        }
      })
      yield* author.published()
      const { answer: second, ...onPublication } = yield* writesOf(
        author.published({ title: "Another post" })
      )
      assert.deepStrictEqual(onPublication, { writes: 1, heapOnly: 1 })
      const { answer, ...onEnd } = yield* writesOf(author.unpublish(second.id))
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(onEnd, { writes: 1, heapOnly: 1 })
    })
  )
})
