import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { TestClock } from "effect/testing"
import * as Database from "../../../layers/postgres/Database.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { freshDatabase, urlOf } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"

/** Bells of one of several processes over a database. */
const process = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      Layer.fresh(
        Doorbells.layer.pipe(
          Layer.provideMerge(Transactions.layer),
          Layer.provideMerge(Database.layer({ url, signals: true }))
        )
      )
    )
    const [doorbells, transactions] = yield* Effect.provideContext(
      Effect.all([Doorbells, Transactions]),
      context
    )
    return { ...doorbells.bell("chores"), transactions }
  })

/** Counts the listeners of a database, as an administrator of the server sees them. */
const administrator = Effect.fnUntraced(
  function* (name: string) {
    const sql = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
    const listeners = (count: number) =>
      eventually(
        `${count} listeners`,
        Effect.map(
          sql`select from pg_stat_activity
          where datname = ${name} and application_name = 'pennypress signals' and query ~ '^(LISTEN|select 1)'`,
          (rows) => rows.length === count
        )
      )
    return {
      listeners,
      cut: sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and application_name = 'pennypress signals'`,
      allow: (connections: boolean) =>
        sql`alter database ${sql(name)} allow_connections ${sql.literal(String(connections))}`.unprepared
    }
  },
  Effect.provide(Reactivity.layer),
  onRealClock
)

/** Two processes that hear each other. The clock of their workers stands still, so that only a signal can wake one. */
const twoProcesses = Effect.fnUntraced(function* (name: string) {
  const url = yield* freshDatabase(name)
  const admin = yield* administrator(name)
  const processes = yield* Effect.all([process(url), process(url)])
  yield* admin.listeners(2)
  // Each received one signal when it began to listen.
  yield* Effect.forEach(processes, ({ rung }) => rung)
  return { admin, processes }
})

it.effect("A ring wakes a worker of another process, once the transaction has committed", () =>
  Effect.gen(function* () {
    const { processes } = yield* twoProcesses("test_signals_heard")
    const [first, second] = processes
    const woken = yield* Effect.forkChild(second.rung, { startImmediately: true })
    yield* Effect.flip(first.transactions.run(Effect.andThen(first.ring, Effect.fail("refused"))))
    yield* first.transactions.run(
      Effect.gen(function* () {
        yield* first.ring
        assert.isUndefined(woken.pollUnsafe())
      })
    )
    yield* eventually(
      "a ring",
      Effect.sync(() => woken.pollUnsafe() !== undefined)
    )
  })
)

it.effect("A lost listener costs rings until it listens again, and then rings every bell", () =>
  Effect.gen(function* () {
    const { admin, processes } = yield* twoProcesses("test_signals_lost")
    const [first, second] = processes
    yield* admin.allow(false)
    yield* admin.cut
    yield* admin.listeners(0)
    const woken = yield* Effect.forkChild(second.rung, { startImmediately: true })
    yield* first.ring
    yield* TestClock.adjust("1 minute")
    assert.isUndefined(woken.pollUnsafe())
    yield* admin.allow(true)
    yield* admin.listeners(2)
    yield* eventually(
      "a ring",
      Effect.sync(() => woken.pollUnsafe() !== undefined)
    )
  })
)
