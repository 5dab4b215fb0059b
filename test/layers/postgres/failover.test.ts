import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { Reactivity } from "effect/reactivity"
import { makeClient } from "../../../layers/postgres/client.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { unavailableDependency } from "../../../src/platform/sql/unavailable.ts"
import { type Answer, refusingServer } from "./refusingServer.ts"

/** A pool of one connection over a server that refuses one thing once: a statement, or `connect`. */
const refusingOnce = Effect.fnUntraced(
  function* (refused: string, code: string, isFatal: boolean) {
    let isRefused = false
    const server = yield* refusingServer((statement): Answer => {
      if (isRefused || statement.toLowerCase() !== refused) return "done"
      isRefused = true
      return { code, isFatal }
    })
    const options = {
      url: server.url,
      prepare: false,
      maxConnections: 1,
      sharing: 8,
      deadlineMillis: 60_000
    }
    return { ...server, sql: yield* makeClient(options, options) }
  },
  Effect.provide(Reactivity.layer),
  onRealClock
)

/** Returns the dependency that an effect missed, as the error families find it. A rollback that fails is a defect. */
const missed = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isFailure(exit) ? unavailableDependency(Cause.squash(exit.cause)) : undefined

/** Codes of a server that is lost: another connection may reach a better one. */
const LOST = ["25006", "57P01", "57P02", "57P03", "08000", "08003", "08006", "08P01"]
/** Other codes with which the same request may succeed later. */
const BUSY = ["53000", "53100", "53200", "53300", "25P03", "25P04", "40001", "40P01", "55P03", "57014"]

describe("a server that refuses", () => {
  it.effect(
    "A statement that a lost server refuses is unavailable, and the next one has a new connection",
    () =>
      Effect.gen(function* () {
        for (const code of LOST)
          for (const isFatal of [false, true]) {
            const { connections, sql } = yield* refusingOnce("select 1", code, isFatal)
            const failed = yield* Effect.flip(sql`select 1`)
            assert.strictEqual(unavailableDependency(failed), "database", code)
            yield* sql`select 1`
            assert.strictEqual(connections(), 2, code)
          }
      })
  )

  it.effect("A statement that a busy server refuses is unavailable, and its connection stays", () =>
    Effect.gen(function* () {
      for (const code of BUSY) {
        const { connections, sql } = yield* refusingOnce("select 1", code, false)
        assert.strictEqual(unavailableDependency(yield* Effect.flip(sql`select 1`)), "database", code)
        yield* sql`select 1`
        assert.strictEqual(connections(), 1, code)
      }
    })
  )

  it.effect("A transaction is unavailable wherever a lost server refuses it", () =>
    Effect.gen(function* () {
      for (const code of LOST)
        for (const statement of ["begin", "select 1", "commit"])
          for (const isFatal of [false, true]) {
            const { sql } = yield* refusingOnce(statement, code, isFatal)
            const transaction = sql.withTransaction(sql`select 1`)
            const exit = yield* Effect.exit(transaction)
            assert.strictEqual(missed(exit), "database", `${code} at ${statement}`)
            yield* transaction
          }
    })
  )

  it.effect(
    "A connection that a server refuses is unavailable with any code, and the next one is tried",
    () =>
      Effect.gen(function* () {
        for (const code of [...LOST, ...BUSY, "28P01", "3D000"]) {
          const { connections, sql } = yield* refusingOnce("connect", code, true)
          const failed = yield* Effect.flip(sql`select 1`)
          assert.strictEqual(unavailableDependency(failed), "database", code)
          yield* sql.withTransaction(sql`select 1`)
          assert.strictEqual(connections(), 2, code)
        }
      })
  )
})
