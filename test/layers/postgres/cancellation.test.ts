import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { makeClient } from "../../../layers/postgres/client.ts"
import { isPooled } from "../../../layers/postgres/pooler.ts"
import { freshDatabase } from "../../support/Database.ts"

describe("a pool whose server has no timeout, as behind a pooler", () => {
  it.live("A slow statement is cancelled from here, and its connection serves the next one", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_cancellation")
      assert.isFalse(yield* isPooled(url), "this is the server itself")
      const options = { url, maxConnections: 1, sharing: 8, deadlineMillis: 5_000 }
      const sql = yield* makeClient({ ...options, cancelMillis: 500 }, options)
      const pid = sql`select pg_backend_pid() as pid`
      const before = yield* pid
      for (const slow of [sql`select pg_sleep(600)`, sql.withTransaction(sql`select pg_sleep(600)`)]) {
        const error = yield* Effect.flip(slow)
        assert.strictEqual(error.reason._tag, "StatementTimeoutError")
      }
      assert.deepStrictEqual(yield* pid, before)
    }).pipe(Effect.provide(Reactivity.layer))
  )
})
