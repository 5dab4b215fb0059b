import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Latch, Layer, Queue, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { type Claim, type Lease, leases } from "../../../src/platform/work/lease.ts"
import { type LeasedWork, worker } from "../../../src/platform/work/worker.ts"
import { freshDatabase, pool } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { passing } from "../../support/passing.ts"
import { Logs } from "../http/Logs.ts"

const LEASE_MILLIS = 60_000
const QUEUE = { table: "chores", condition: "wanted" }

/** Statements over a table of leased work. */
const choreStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { due, held, leased } = leases(sql, QUEUE)
  return {
    create: sql`create table chores (id text primary key, due_at timestamptz not null, attempts int4 not null default 0,
      wanted boolean not null default true)`,
    post: (id: string, at: Date, wanted = true) =>
      sql`insert into chores (id, due_at, wanted) values (${id}, ${at}, ${wanted})`,
    claim: (claim: Claim) =>
      sql<Lease>`
        with ${due(claim)}
        update chores c set ${leased(claim)} from due where c.id = due.id
        returning c.id, c.attempts`.pipe(Effect.orDie),
    complete: (lease: Lease) =>
      Effect.map(sql`delete from chores where ${held(lease)} returning id`, (rows) => rows.length === 1).pipe(
        Effect.orDie
      ),
    release: (lease: Lease, dueAt: Date) =>
      sql`update chores set due_at = ${dueAt} where ${held(lease)}`.pipe(Effect.orDie),
    left: Effect.map(sql<{ readonly id: string }>`select id from chores order by id`, (rows) =>
      rows.map(({ id }) => id)
    )
  }
})

/** Two processes over one fresh database of this name with an empty table of chores. */
const twoProcesses = Effect.fnUntraced(function* (name: string) {
  const url = yield* freshDatabase(name)
  const start = Layer.build(
    Layer.fresh(Doorbells.layer.pipe(Layer.provideMerge(Transactions.layer), Layer.provideMerge(pool(url))))
  )
  const [first, second] = yield* Effect.all([start, start])
  const chores = yield* Effect.provideContext(choreStatements, first)
  yield* chores.create
  const other = yield* Effect.provideContext(choreStatements, second)
  return [
    { chores, context: first, bell: Context.get(first, Doorbells).bell("chores") },
    { chores: other, context: second, bell: Context.get(second, Doorbells).bell("chores") }
  ] as const
}, Effect.orDie)

type Process = Effect.Success<ReturnType<typeof twoProcesses>>[0]

/** Works on chores as one of the processes, until the scope ends. */
const working = (
  { chores, context }: Process,
  run: (lease: Lease) => Effect.Effect<void>,
  options: Partial<LeasedWork<Lease>> = {}
) =>
  Effect.provideContext(
    worker({
      kind: "chores",
      concurrency: 3,
      leaseMillis: LEASE_MILLIS,
      claim: chores.claim,
      queue: QUEUE,
      run,
      lost: "Chores are not done",
      regained: "Chores are done again",
      ...options
    }),
    Context.omit(Scope.Scope)(context) as Context.Context<Doorbells>
  )

/** Steps that report their start and wait for permission to end. */
const gated = Effect.gen(function* () {
  const begun = yield* Queue.unbounded<string>()
  const gate = yield* Latch.make()
  return { begun, gate, step: ({ id }: Lease) => Effect.andThen(Queue.offer(begun, id), gate.await) }
})

const has = (queue: Queue.Queue<string>) => Effect.map(Queue.size(queue), (size) => size > 0)

const names = (count: number) =>
  Array.from({ length: count }, (_, i) => `chore ${String(i).padStart(3, "0")}`)

describe("leased work", () => {
  it.effect("Work of 60 rows is done once each by two processes, three at a time in each", () =>
    Effect.gen(function* () {
      const processes = yield* twoProcesses("test_work_shared")
      const [{ chores }] = processes
      const at = yield* now
      yield* Effect.forEach(names(60), (id) => chores.post(id, at), { discard: true })
      const { begun, gate, step } = yield* gated
      const done: Array<string> = []
      for (const process of processes)
        yield* working(process, (lease) =>
          step(lease).pipe(
            Effect.andThen(process.chores.complete(lease)),
            Effect.andThen(Effect.sync(() => done.push(lease.id)))
          )
        )
      for (let i = 0; i < 6; i++) yield* Queue.take(begun)
      assert.strictEqual(yield* Queue.size(begun), 0)
      yield* gate.open
      yield* eventually(
        "the end of all work",
        // A row is gone a moment before its work is noted.
        Effect.map(chores.left, (left) => left.length === 0 && done.length >= 60)
      )
      assert.deepStrictEqual(done.toSorted(), names(60))
    })
  )

  it.effect("A row that fails the condition, or is not due, stays untouched", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_work_due")
      const at = yield* now
      yield* process.chores.post("later", later(at, 1_000))
      yield* process.chores.post("unwanted", at, false)
      const ran = yield* Queue.unbounded<string>()
      yield* working(process, (lease) =>
        Effect.andThen(process.chores.complete(lease), Queue.offer(ran, lease.id))
      )
      yield* process.chores.post("now", at)
      yield* process.bell.ring
      assert.strictEqual(yield* Queue.take(ran), "now")
      assert.strictEqual(yield* Queue.size(ran), 0)
      yield* passing(1_000, "the row that was not due", has(ran))
      assert.strictEqual(yield* Queue.take(ran), "later")
      assert.deepStrictEqual(yield* process.chores.left, ["unwanted"])
    })
  )

  it.effect("A worker claims at its start and at each ring, and else only what is due", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_work_idle")
      let looks = 0
      const due: Array<Lease> = []
      const claim = () =>
        Effect.sync(() => {
          looks += 1
          return due.splice(0)
        })
      yield* working(process, () => Effect.void, { claim })
      yield* TestClock.adjust(0)
      assert.strictEqual(looks, 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(looks, 1)
      due.push({ id: "one", attempts: 1 })
      yield* process.bell.ring
      yield* TestClock.adjust(0)
      assert.deepStrictEqual([looks, due], [2, []])
    })
  )

  it.effect("Work whose ring was lost is begun all the same", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_work_lost_ring")
      const { begun, gate, step } = yield* gated
      yield* gate.open
      yield* working(process, step)
      // The looks at the start have passed.
      yield* TestClock.adjust("1 minute")
      yield* process.chores.post("one", yield* now)
      yield* passing(1_000, "the row", has(begun))
    })
  )

  it.effect("Work that was put off by two seconds is begun again then", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_work_retry")
      const ends = yield* Queue.unbounded<Date>()
      yield* process.chores.post("one", yield* now)
      yield* working(process, (lease) =>
        Effect.gen(function* () {
          const at = yield* now
          if (lease.attempts === 1) yield* process.chores.release(lease, later(at, 2_000))
          else yield* process.chores.complete(lease)
          yield* Queue.offer(ends, at)
        })
      )
      const first = yield* Queue.take(ends)
      yield* passing(
        100,
        "the second attempt",
        Effect.map(Queue.size(ends), (size) => size > 0)
      )
      assert.isAtLeast((yield* Queue.take(ends)).getTime() - first.getTime(), 2_000)
    })
  )

  it.effect("A worker whose lease ended can no longer change its row", () =>
    Effect.gen(function* () {
      const [{ chores }] = yield* twoProcesses("test_work_fence")
      const at = yield* now
      yield* chores.post("one", at)
      const claim = { at, leaseUntil: later(at, LEASE_MILLIS), limit: 5 }
      const [first] = yield* chores.claim(claim)
      assert.deepStrictEqual(yield* chores.claim(claim), [])
      const [second] = yield* chores.claim({ ...claim, at: claim.leaseUntil })
      assert.isFalse(yield* chores.complete(first!))
      yield* chores.release(first!, at)
      assert.deepStrictEqual(yield* chores.claim(claim), [])
      assert.isTrue(yield* chores.complete(second!))
    })
  )

  it.effect("Work that dies is logged and due again after its lease, while other work continues", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_work_dies")
      const lines = yield* Logs
      const ran = yield* Queue.unbounded<string>()
      yield* process.chores.post("one", yield* now)
      yield* working(process, (lease) =>
        Effect.andThen(
          Queue.offer(ran, lease.id),
          lease.attempts === 1 ? Effect.die(new Error("broken")) : process.chores.complete(lease)
        )
      )
      yield* Queue.take(ran)
      yield* process.chores.post("two", yield* now)
      yield* process.bell.ring
      yield* Queue.take(ran)
      yield* passing(1_000, "a second attempt", has(ran))
      assert.strictEqual(yield* Queue.take(ran), "one")
      assert.isAtLeast((yield* now).getTime(), LEASE_MILLIS)
      const told = lines.filter(
        ({ message }) => message === "Work failed: it will be retried when its lease ends"
      )
      assert.deepStrictEqual(
        told.map(({ annotations, level }) => [level, annotations["kind"], annotations["id"]]),
        [
          ["Warn", "chores", "one"],
          ["Warn", "chores", "two"]
        ]
      )
    }).pipe(Effect.provide(Logs.layer))
  )

  it.effect("Work that outlives its lease is interrupted, so that two runs never overlap", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_work_outlives")
      const { begun, gate, step } = yield* gated
      let running = 0
      yield* process.chores.post("one", yield* now)
      const counted = (lease: Lease) =>
        Effect.acquireUseRelease(
          Effect.sync(() => assert.strictEqual(++running, 1)),
          () => step(lease),
          () => Effect.sync(() => running--)
        )
      yield* working(process, counted)
      yield* Queue.take(begun)
      yield* passing(1_000, "another attempt", has(begun))
      assert.isAtLeast((yield* now).getTime(), LEASE_MILLIS)
      yield* gate.open
    })
  )
})

describe("a worker that stops", () => {
  it.effect("A stopping worker gives each row five seconds to end", () =>
    Effect.gen(function* () {
      const [process] = yield* twoProcesses("test_work_stops")
      const { begun, gate, step } = yield* gated
      yield* process.chores.post("one", yield* now)
      const scope = yield* Scope.make()
      yield* working(process, (lease) => Effect.andThen(step(lease), process.chores.complete(lease))).pipe(
        Effect.provideService(Scope.Scope, scope)
      )
      yield* Queue.take(begun)
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(4_999)
      assert.isUndefined(stopped.pollUnsafe())
      yield* gate.open
      yield* Fiber.join(stopped)
      assert.deepStrictEqual(yield* process.chores.left, [])
    })
  )

  it.effect("A stopping worker releases an interrupted row, and claims no other", () =>
    Effect.gen(function* () {
      const [process, other] = yield* twoProcesses("test_work_releases")
      const { begun, step } = yield* gated
      const at = yield* now
      yield* Effect.forEach(names(5), (id) => process.chores.post(id, at), { discard: true })
      const scope = yield* Scope.make()
      yield* working(process, step, {
        release: (lease) => Effect.flatMap(now, (at) => process.chores.release(lease, at))
      }).pipe(Effect.provideService(Scope.Scope, scope))
      for (let i = 0; i < 3; i++) yield* Queue.take(begun)
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(5_000)
      yield* Fiber.join(stopped)
      const claimed = yield* other.chores.claim({
        at: yield* now,
        leaseUntil: later(at, LEASE_MILLIS),
        limit: 10
      })
      assert.deepStrictEqual(claimed.map(({ id }) => id).toSorted(), names(5))
      assert.strictEqual(yield* Queue.size(begun), 0)
    })
  )
})
