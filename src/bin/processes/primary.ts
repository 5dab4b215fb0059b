import { Deferred, Effect, Option, Queue, type Redacted, Scope } from "effect"
import type { Environment } from "../../../layers/config/environment.ts"
import { make as makeCounters } from "../../../layers/rate-limits/RateLimiterStoreMemory.ts"
import { announce } from "../server/announce.ts"
import { embeddedDatabase } from "../server/embedded.ts"
import { startPhase } from "../server/startPhase.ts"
import { labelledMetrics } from "./labelledMetrics.ts"
import { fork, type Primary, type ServingProcess } from "./ServingProcess.ts"
import { makeSlot, type Slot, type Start } from "./slots.ts"

/** Receives an element for each SIGHUP, but at most one until the last element has been taken. */
const hangups = Effect.gen(function* () {
  const queue = yield* Queue.sliding<void>(1)
  const offer = () => void Queue.offerUnsafe(queue, undefined)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", offer)),
    () => Effect.sync(() => process.off("SIGHUP", offer))
  )
  return queue
})

/** Starts processes that stop with the scope, all at the same time. */
const starting = Effect.fnUntraced(function* (primary: Primary) {
  const living = new Set<ServingProcess>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach(living, ({ stop }) => stop, { concurrency: "unbounded", discard: true })
  )
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const start: Start = Effect.fnUntraced(function* (number) {
    const child = yield* Effect.tap(fork(number, primary), (made) => {
      living.add(made)
      run(Effect.map(made.ended, () => living.delete(made)))
      return Effect.void
    }).pipe(Effect.uninterruptible)
    const address = yield* Effect.onError(child.listening, () => child.stop)
    yield* Effect.logInfo("A serving process listens").pipe(
      Effect.annotateLogs({ process: number, pid: child.pid, address })
    )
    return child
  })
  return start
})

/** Replaces one process after the other. Keeps the others when a fresh one does not start. */
const restartAll = (slots: ReadonlyArray<Slot>) =>
  Effect.forEach(slots, ({ replace }) => replace, { discard: true }).pipe(
    Effect.andThen(Effect.logInfo("Every serving process was replaced")),
    Effect.catch(({ message }) =>
      Effect.logError(`A new process does not start, so the old ones keep serving: ${message}`)
    )
  )

/** Merges the metrics of the processes that serve now. */
const metricsOf = Effect.fnUntraced(function* (slots: ReadonlyArray<Slot>) {
  const texts = new Map<string, string>()
  yield* Effect.forEach(
    slots,
    Effect.fnUntraced(function* ({ current }) {
      const { metrics, number } = current()
      const text = yield* metrics
      if (Option.isSome(text)) texts.set(String(number), text.value)
    }),
    { concurrency: "unbounded", discard: true }
  )
  return labelledMetrics(new Map([...texts].toSorted(([a], [b]) => Number(a) - Number(b))))
})

/** Starts the processes while the embedded database starts, and keeps them until the scope ends. */
const serving = Effect.fnUntraced(function* (environment: Environment, database: Scope.Scope) {
  const restarts = yield* hangups
  const embedded = yield* Deferred.make<Option.Option<Redacted.Redacted>>()
  const slots: Array<Slot> = []
  const start = yield* starting({
    embedded: Deferred.await(embedded),
    counters: makeCounters(),
    metrics: Effect.suspend(() => metricsOf(slots))
  })
  const startDatabase = embeddedDatabase(environment).pipe(
    Scope.provide(database),
    Effect.tap(startPhase("embedded database")),
    Effect.flatMap((url) => Deferred.succeed(embedded, Option.fromUndefinedOr(url)))
  )
  const numbers = Array.from({ length: environment.PROCESSES }, (_, index) => index + 1)
  const [first] = yield* Effect.all(
    [Effect.forEach(numbers, start, { concurrency: "unbounded" }), startDatabase],
    { concurrency: "unbounded" }
  )
  for (const child of first) slots.push(yield* makeSlot(child, start))
  yield* startPhase("listening")
  const [child] = first
  if (child !== undefined) yield* announce(environment, yield* child.listening)
  const restarting = Effect.forever(Effect.andThen(Queue.take(restarts), restartAll(slots)))
  return yield* Effect.all([...slots.map(({ tend }) => tend), restarting], { concurrency: "unbounded" })
}, Effect.scoped)

/**
 * Serves with several processes over one port. This process owns the embedded database and the counters of rate limits.
 * It replaces processes that end. On SIGHUP it replaces all of them, one after the other. The database outlives the
 * processes.
 */
export const servePrimary = Effect.fnUntraced(function* (environment: Environment) {
  yield* serving(environment, yield* Effect.scope)
}, Effect.scoped)
