import { PgClient, PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Metric, Queue, type Redacted, Ref, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Database from "../../../layers/postgres/Database.ts"
import * as SignalsPostgres from "../../../layers/postgres/SignalsPostgres.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { type Heard } from "../../../src/platform/ports/Signals.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { emptyDatabase, freshDatabase, pool, urlOf } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { silentProxy } from "./silentProxy.ts"

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
          where datname = ${name} and application_name = 'pennypress signals' and query ~ '^LISTEN'`,
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

/** Reads the gauge of a topic. */
const gauge = (topic: string) =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics.flatMap(({ attributes, id, state }) =>
      id === "signals_listening" && attributes?.["topic"] === topic && "value" in state ? [state.value] : []
    )
  )

/** Listens at one database to what a pool over another one sends, and records what is heard and logged. */
const listening = Effect.fnUntraced(function* (
  name: string,
  listenAt: Redacted.Redacted,
  sendAt?: Redacted.Redacted
) {
  const heard = yield* Ref.make<ReadonlyArray<Heard>>([])
  const logged: Array<string> = []
  const url = yield* freshDatabase(name)
  const context = yield* Layer.build(pool(sendAt ?? url))
  const signals = SignalsPostgres.make(Context.get(context, SqlClient.SqlClient), listenAt)
  yield* Effect.forEach(["work", "public_answers"] as const, (topic) =>
    signals.heard(topic).pipe(
      Stream.runForEach((event) => Ref.update(heard, (all) => [...all, event])),
      Effect.provide(Logger.layer([Logger.map(Logger.formatSimple, (line) => void logged.push(line))])),
      Effect.forkScoped
    )
  )
  return { heard, logged, signals }
})

it.live("A listener that hears nothing does not count as listening, and says so once", () =>
  Effect.gen(function* () {
    // As behind a pooler in transaction mode: `LISTEN` succeeds, and what is sent reaches another session.
    const elsewhere = yield* emptyDatabase("test_signals_elsewhere")
    const { heard, logged, signals } = yield* listening("test_signals_deaf", elsewhere)
    yield* eventually(
      "a warning",
      Effect.sync(() => logged.length > 0)
    )
    yield* signals.send("work", ["mail"])
    assert.strictEqual(logged.length, 1)
    assert.include(logged[0], "DATABASE_DIRECT_URL")
    assert.deepStrictEqual(yield* Ref.get(heard), [])
    assert.deepStrictEqual(yield* gauge("work"), [0])
  })
)

/** Names what a listener heard: the texts of signals, and the other events by their names. */
const namesOf = (heard: Ref.Ref<ReadonlyArray<Heard>>) =>
  Effect.map(Ref.get(heard), (all) => all.map((it) => (it._tag === "signal" ? it.text : it._tag)))

it.live("A listener hands on the texts of others, and no beat", () =>
  Effect.gen(function* () {
    const url = urlOf("test_signals_texts")
    const { heard, logged, signals } = yield* listening("test_signals_texts", url)
    const names = namesOf(heard)
    yield* eventually(
      "both listeners",
      Effect.map(names, (all) => all.length === 2)
    )
    assert.deepStrictEqual(yield* gauge("public_answers"), [1])
    const connection = yield* PgConnection.make({ url })
    const passing = yield* connection.listen("pennypress_public_answers")
    const beats = yield* Effect.replicateEffect(Queue.take(passing), 2)
    for (const { payload } of beats) assert.match(payload, /^beat /)
    yield* signals.send("public_answers", ["post:1", "post:2"])
    yield* eventually(
      "the texts",
      Effect.map(names, (all) => all.length >= 4)
    )
    assert.deepStrictEqual(yield* names, ["listening", "listening", "post:1", "post:2"])
    assert.deepStrictEqual(logged, [])
  })
)

it.live("A listener on a connection that lost bytes is lost, and listens on another one", () =>
  Effect.gen(function* () {
    const proxy = yield* silentProxy(urlOf("test_signals_silent"))
    const { heard } = yield* listening("test_signals_silent", proxy.url)
    const names = namesOf(heard)
    const last = (name: string, count: number) =>
      eventually(
        `${count} ${name}`,
        Effect.map(names, (all) => all.filter((it) => it === name).length === count)
      )
    yield* last("listening", 2)
    yield* proxy.silence
    yield* last("lost", 1)
    assert.deepStrictEqual(yield* gauge("public_answers"), [0])
    yield* proxy.forward
    yield* last("listening", 3)
  })
)

it.live("A listener whose connection answers stays while the pool is late", () =>
  Effect.gen(function* () {
    const name = "test_signals_late"
    const proxy = yield* silentProxy(urlOf(name))
    const { heard } = yield* listening(name, urlOf(name), proxy.url)
    const names = namesOf(heard)
    yield* eventually(
      "both listeners",
      Effect.map(names, (all) => all.length === 2)
    )
    yield* proxy.silence
    const sql = yield* PgClient.make({ url: urlOf("postgres"), maxConnections: 1 })
    yield* eventually(
      "a question to the connection",
      Effect.map(
        sql`select from pg_stat_activity
          where datname = ${name} and application_name = 'pennypress signals' and query = 'select 1' and state = 'idle'`,
        (rows) => rows.length > 0
      )
    )
    assert.deepStrictEqual(yield* names, ["listening", "listening"])
    yield* proxy.forward
  }).pipe(Effect.provide(Reactivity.layer))
)
