import { randomUUID } from "node:crypto"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Deferred, Effect, Fiber, Metric, Option, Queue, type Redacted, Schema, Scope, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { type Heard, SignalNotSent, type Signals, type Topic } from "../../src/platform/ports/Signals.ts"
import { backoffMillis } from "../../src/platform/time/backoff.ts"
import { onRealClock } from "../time/realClock.ts"
import { serverOptions } from "./serverOptions.ts"
import { writableUrl } from "./writableHost.ts"

const channelOf = (topic: Topic) => `pennypress_${topic}`

/** The waits between attempts to listen. */
const WAITS = { firstMillis: 100, longestMillis: 10_000 }

/** Time within which a listener hears what was sent. A network may drop packets unsaid. */
const ANSWER_MILLIS = 1_000

/** Times between two beats. Kept answers depend on each signal, but work is also looked for. */
const BEAT_MILLIS: Readonly<Record<Topic, number>> = { public_answers: 1_000, work: 10_000 }

/** Begins the text that a listener sends to itself. No other signal begins like that. */
const BEAT = "beat "

const listening = Metric.gauge("signals_listening", {
  description: "1 while signals of other processes are heard, else 0, by topic"
})

/** A listener did not hear what was sent over the pool. */
class BeatNotHeard extends Schema.TaggedError<BeatNotHeard>()("BeatNotHeard", {}) {}

/** A listener's own connection did not answer. */
class ListenerSilent extends Schema.TaggedError<ListenerSilent>()("ListenerSilent", {}) {}

/** Tells that a listener is deaf, what follows, and the remedy. */
const DEAF =
  "This process receives no signals from the others, so it caches no public answers and finds their work a few seconds late: " +
  "set DATABASE_DIRECT_URL to the server of DATABASE_URL itself, with no pooler in transaction mode between"

/**
 * Signals by `LISTEN` and `NOTIFY`. The listener of a topic holds one connection outside the pool, and reconnects by
 * itself. It counts as listening while it hears what this process sends over the pool: behind a pooler in transaction
 * mode, `LISTEN` succeeds and hears nothing. Without a URL to listen at, it sends and hears nothing.
 *
 * A signal follows the commit that it announces, in a statement of its own. PostgreSQL commits only one transaction
 * with a `NOTIFY` at a time. A `NOTIFY` among the writes would therefore make them wait for each other's disk. A
 * `NOTIFY` without writes holds that lock for microseconds.
 */
export const make = (
  sql: SqlClient.SqlClient,
  url: Redacted.Redacted | undefined
): typeof Signals.Service => {
  const notify = (topic: Topic, texts: ReadonlyArray<string>) =>
    sql`select pg_notify(${channelOf(topic)}, text) from unnest(${texts}::text[]) as text`
  let told = false
  const tellDeaf = Effect.suspend(() => {
    if (told) return Effect.void
    told = true
    return Effect.logWarning(DEAF)
  })

  /** Hands on the signals of one connection, until it is lost or does not hear. */
  const listen = Effect.fnUntraced(function* (
    topic: Topic,
    at: Redacted.Redacted,
    heard: Queue.Enqueue<Heard>,
    onListening: Effect.Effect<void>,
    listeners: Scope.Scope
  ) {
    const connection = yield* PgConnection.make({
      ...(yield* serverOptions(yield* writableUrl(at))),
      applicationName: "pennypress signals",
      connectTimeout: "5 seconds",
      keepAlive: "10 seconds"
    })
    // A listener has its session to itself, so a question is asked in this session, too. The connection ends before its
    // listener: an `UNLISTEN` on a silent connection would wait for an answer.
    const session = yield* Scope.provide(connection.pin, listeners)
    const notifications = yield* Scope.provide(session.listen(channelOf(topic)), listeners)
    let awaited = { text: "", back: Deferred.makeUnsafe<void>() }

    const receive = Effect.flatMap(Queue.take(notifications), ({ payload }) => {
      if (payload === awaited.text) return Deferred.succeed(awaited.back, undefined)
      // Beats of other processes mean nothing here.
      return payload.startsWith(BEAT) ? Effect.void : Queue.offer(heard, { _tag: "signal", text: payload })
    })

    const send = Effect.suspend(() => {
      awaited = { text: `${BEAT}${randomUUID()}`, back: Deferred.makeUnsafe() }
      return Effect.withTracerEnabled(notify(topic, [awaited.text]), false)
    })
    const hear = Effect.suspend(() => Deferred.await(awaited.back)).pipe(
      Effect.timeoutOrElse({ duration: ANSWER_MILLIS, orElse: () => Effect.fail(new BeatNotHeard()) })
    )
    // The question ends with the connection: an interruption of it would wait for the silent server.
    const ask = Effect.forkIn(session.query("select 1"), listeners).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeoutOrElse({ duration: ANSWER_MILLIS, orElse: () => Effect.fail(new ListenerSilent()) })
    )
    // A pool that is late with sending may only be busy. One that fails has lost the database.
    const beat = Effect.gen(function* () {
      const sent = yield* Effect.timeoutOption(send, ANSWER_MILLIS)
      yield* Option.isSome(sent) ? hear : ask
    }).pipe(Effect.delay(BEAT_MILLIS[topic]))
    const lost = Queue.offer(heard, { _tag: "lost" })
    const gauge = Metric.withAttributes(listening, { topic })
    const held = Effect.gen(function* () {
      yield* Effect.andThen(send, hear)
      yield* onListening
      yield* Queue.offer(heard, { _tag: "listening" })
      yield* Metric.update(gauge, 1)
      return yield* Effect.forever(beat).pipe(Effect.ensuring(lost), Effect.ensuring(Metric.update(gauge, 0)))
    })
    return yield* Effect.raceFirst(Effect.forever(receive), held)
  }, Effect.scoped)

  const listenForever = Effect.fnUntraced(function* (topic: Topic, heard: Queue.Enqueue<Heard>) {
    yield* Metric.update(Metric.withAttributes(listening, { topic }), 0)
    if (url === undefined) return yield* Effect.never
    let failures = 0
    /** Beats in a row that were not heard. A busy machine may be late with one. */
    let deaf = 0
    const onListening = Effect.sync(() => {
      failures = 0
      deaf = 0
    })
    while (true) {
      const listened = Effect.flatMap(Effect.scope, (scope) => listen(topic, url, heard, onListening, scope))
      const error = yield* Effect.flip(Effect.scoped(listened))
      yield* Effect.logDebug(`Not receiving signals of ${topic}`, error)
      failures += 1
      deaf = error._tag === "BeatNotHeard" ? deaf + 1 : 0
      if (deaf > 1) yield* tellDeaf
      yield* Effect.sleep(backoffMillis(WAITS, failures))
    }
  })

  return {
    send: (topic, texts) =>
      notify(topic, texts).pipe(
        Effect.withSpan("Signals.send"),
        Effect.asVoid,
        Effect.mapError((cause) => new SignalNotSent({ cause }))
      ),
    heard: (topic) => Stream.callback<Heard>((heard) => onRealClock(listenForever(topic, heard)))
  }
}
