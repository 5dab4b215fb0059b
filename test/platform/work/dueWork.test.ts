import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, References, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../../src/platform/time/now.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import type { NextDue } from "../../../src/platform/work/dueWork.ts"
import { nextDueOf } from "../../../src/platform/work/lease.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"

/** Counts what ends: looks for work, and their statements. */
const counting = () => {
  const counts = { looks: 0, statements: 0 }
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const end = span.end.bind(span)
      span.end = (...ended) => {
        end(...ended)
        if (options.name === "dueWork.look") counts.looks += 1
        else counts.statements += 1
      }
      return span
    }
  })
  const layer = Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, tracer),
    Layer.succeed(References.TracerEnabled, true)
  )
  return { counts, layer }
}

/** A process over a fresh database with an empty table of chores and one of errands. */
const process = Effect.fnUntraced(function* (name: string) {
  const { counts, layer } = counting()
  const context = yield* Layer.build(
    Doorbells.layer.pipe(
      Layer.provideMerge(Transactions.layer),
      Layer.provideMerge(pool(yield* freshDatabase(name)))
    )
  ).pipe(Effect.provide(layer))
  const sql = Context.get(context, SqlClient.SqlClient)
  yield* sql`create table chores (due_at timestamptz)`
  yield* sql`create table errands (due_at timestamptz)`
  const { bell, lookSoon, watch } = Context.get(context, Doorbells)
  const rings = { chores: 0, errands: 0 }
  const works = Effect.fnUntraced(function* (kind: keyof typeof rings, nextDue: NextDue) {
    yield* watch(kind, nextDue)
    yield* bell(kind).rung.pipe(
      Effect.andThen(Effect.sync(() => (rings[kind] += 1))),
      Effect.forever,
      Effect.forkScoped
    )
  })
  const looked = (looks: number) =>
    eventually(
      `${looks} looks`,
      Effect.sync(() => counts.looks === looks)
    )
  return {
    lookSoon,
    rings,
    counts,
    looked,
    /** Works on both kinds. Ends after the second look, which is the first that surely asked for both. */
    begin: Effect.fnUntraced(function* (errands: NextDue = nextDueOf({ table: "errands" })) {
      yield* works("chores", nextDueOf({ table: "chores" }))
      yield* works("errands", errands)
      yield* looked(1)
      yield* lookSoon
      yield* passes(1_000)
      yield* looked(2)
    }),
    /** Waits for the rings that a look makes. */
    rang: (chores: number, errands = 0) =>
      eventually(
        `${chores} rings for chores and ${errands} for errands`,
        Effect.sync(() => rings.chores === chores && rings.errands === errands)
      ),
    post: (table: keyof typeof rings, at: Date) => sql`insert into ${sql(table)} values (${at})`,
    clear: sql`delete from chores`
  }
}, Effect.orDie)

const passes = Effect.fnUntraced(function* (millis: number) {
  const clock = yield* TestClock.testClockWith(Effect.succeed)
  yield* clock.adjust(millis)
})

it.effect("One statement looks for all kinds of work, every five seconds while none is due", () =>
  Effect.gen(function* () {
    const { begin, counts, looked, rings } = yield* process("test_due_idle")
    yield* begin()
    const before = counts.statements
    for (let look = 3; look <= 6; look++) {
      yield* passes(4_999)
      assert.strictEqual(counts.looks, look - 1)
      yield* passes(1)
      yield* looked(look)
    }
    assert.strictEqual(counts.statements - before, 4)
    assert.deepStrictEqual(rings, { chores: 0, errands: 0 })
  })
)

it.effect("A process without workers runs no statement, nor does one whose workers have stopped", () =>
  Effect.gen(function* () {
    const { begin, counts } = yield* process("test_due_none")
    yield* passes(60_000)
    assert.strictEqual(counts.looks, 0)
    yield* Effect.scoped(begin())
    const before = counts.statements
    // Nothing sleeps either, or a jump of the clock of tests would never end.
    yield* passes(365 * DAY_MILLIS)
    assert.strictEqual(counts.statements, before)
  })
)

it.effect("The bell of a row rings when the row is due, and no other bell", () =>
  Effect.gen(function* () {
    const { begin, counts, looked, post, rang } = yield* process("test_due_later")
    yield* post("errands", later(yield* now, 3_345))
    yield* begin()
    yield* passes(2_344)
    assert.strictEqual(counts.looks, 2)
    yield* passes(1)
    yield* looked(3)
    yield* rang(0, 1)
  })
)

it.effect("A row that nothing rang for is found within five seconds", () =>
  Effect.gen(function* () {
    const { begin, looked, post, rang } = yield* process("test_due_lost")
    yield* begin()
    yield* passes(1)
    yield* post("chores", yield* now)
    yield* passes(4_999)
    yield* looked(3)
    yield* rang(1)
  })
)

it.effect("A row that became due sooner is found within a second of the question", () =>
  Effect.gen(function* () {
    const { begin, counts, lookSoon, looked, post, rang, rings } = yield* process("test_due_sooner")
    yield* begin()
    yield* post("chores", later(yield* now, 1_500))
    yield* lookSoon
    yield* lookSoon
    yield* passes(999)
    assert.strictEqual(counts.looks, 2)
    yield* passes(1)
    yield* looked(3)
    assert.strictEqual(rings.chores, 0)
    yield* passes(500)
    yield* looked(4)
    yield* rang(1)
  })
)

it.effect("A row that stays due rings once a second until it is gone", () =>
  Effect.gen(function* () {
    const { begin, clear, looked, post, rang, rings } = yield* process("test_due_stays")
    yield* post("chores", later(yield* now, 1_000))
    yield* begin()
    yield* rang(1)
    for (let look = 3; look <= 5; look++) {
      yield* passes(1_000)
      yield* looked(look)
      yield* rang(look - 1)
    }
    yield* clear
    yield* passes(1_000)
    yield* looked(6)
    assert.strictEqual(rings.chores, 4)
  })
)

it.effect("A look that fails rings every bell, so that each worker finds out by itself", () =>
  Effect.gen(function* () {
    const { begin, looked, rang, rings } = yield* process("test_due_fails")
    yield* begin((sql) => sql`(select min(due_at) from missing)`)
    const before = { ...rings }
    yield* passes(5_000)
    yield* looked(3)
    yield* rang(before.chores + 1, before.errands + 1)
  })
)
