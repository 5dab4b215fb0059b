import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { database } from "../../support/Database.ts"

const write = (n: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`insert into written values (${n})`)
const written = Effect.gen(function* () {
  const rows = yield* (yield* SqlClient.SqlClient)<{ n: number }>`select n from written order by n`
  return rows.map(({ n }) => n)
})
const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate written`)

const assembly = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table written (n int)`)
).pipe(Layer.provideMerge(Transactions.layer), Layer.provideMerge(database("test_transactions")))

layer(assembly)("transactions", (it) => {
  it.effect("The method run rolls back everything on failure", () =>
    Effect.gen(function* () {
      yield* emptied
      const { run } = yield* Transactions
      assert.strictEqual(yield* Effect.flip(run(Effect.andThen(write(1), Effect.fail("no")))), "no")
      assert.deepStrictEqual(yield* written, [])
    })
  )

  it.effect("A refusal whose transaction lost its connection is an unavailable database", () =>
    Effect.gen(function* () {
      const { run } = yield* Transactions
      const sql = yield* SqlClient.SqlClient
      const killed = Effect.ignore(sql`select pg_terminate_backend(pg_backend_pid())`)
      const exit = yield* Effect.exit(run(Effect.andThen(killed, Effect.fail("no"))))
      if (Exit.isSuccess(exit)) return assert.fail("it succeeded")
      assert.lengthOf(exit.cause.reasons, 1)
      assert.strictEqual(unavailableDependency(Cause.squash(exit.cause)), "database")
    })
  )

  it.effect("The method runKeeping commits and then fails", () =>
    Effect.gen(function* () {
      yield* emptied
      const { runKeeping } = yield* Transactions
      assert.strictEqual(yield* Effect.flip(runKeeping(Effect.andThen(write(1), Effect.fail("no")))), "no")
      assert.deepStrictEqual(yield* written, [1])
      assert.strictEqual(yield* runKeeping(Effect.as(write(2), "yes")), "yes")
    })
  )

  it.effect("The method runKeeping rolls back on a defect, and with the transaction around it", () =>
    Effect.gen(function* () {
      yield* emptied
      const { run, runKeeping } = yield* Transactions
      const died = yield* Effect.exit(runKeeping(Effect.andThen(write(1), Effect.die("bug"))))
      assert.isTrue(Exit.isFailure(died))
      yield* Effect.flip(run(runKeeping(Effect.andThen(write(2), Effect.fail("no")))))
      assert.deepStrictEqual(yield* written, [])
    })
  )

  it.effect("Effects run after the commit, but not after a rollback", () =>
    Effect.gen(function* () {
      yield* emptied
      const { afterCommit, run } = yield* Transactions
      const seen: Array<string> = []
      const note = (text: string) => afterCommit(Effect.sync(() => void seen.push(text)))
      yield* run(
        Effect.andThen(
          note("committed"),
          Effect.sync(() => void seen.push("inside"))
        )
      )
      yield* Effect.flip(run(Effect.andThen(note("rolled back"), Effect.fail("no"))))
      yield* note("outside")
      assert.deepStrictEqual(seen, ["inside", "committed", "outside"])
    })
  )
})
