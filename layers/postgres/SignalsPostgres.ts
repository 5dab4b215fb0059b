import { randomUUID } from "node:crypto"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import {
  Clock,
  Deferred,
  Effect,
  Fiber,
  Metric,
  Option,
  Queue,
  type Redacted,
  Schema,
  Scope,
  Stream
} from "effect"
import type { SqlClient } from "effect/sql"
import {
  type Heard,
  type LogPosition,
  SignalNotSent,
  type Signals,
  type Topic
} from "../../src/platform/ports/Signals.ts"
import { backoffMillis } from "../../src/platform/time/backoff.ts"
import { onRealClock } from "../time/realClock.ts"
import { logPositionOf } from "./logPosition.ts"
import { writableUrl } from "./writableHost.ts"

const channelOf = (topic: Topic) => `pennypress_${topic}`

/** The waits between attempts to listen. */
const WAITS = { firstMillis: 100, longestMillis: 10_000 }

/** Time within which a listener hears what was sent. A network may drop packets unsaid. */
const ANSWER_MILLIS = 1_000

/** Times between two beats. Kept answers depend on each signal, but work is also looked for. */
const BEAT_MILLIS: Readonly<Record<Topic, number>> = { public_answers: 1_000, work: 10_000 }

/** The position that goes with a signal, and its text. */
const PAYLOAD = /^([\dA-F]+\/[\dA-F]+) (.*)$/su

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
  "Signals of other processes are not heard, so public answers are not kept and their work is found within seconds: " +
  "let DATABASE_DIRECT_URL lead to the server of DATABASE_URL itself, without a pooler in transaction mode between"

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
  // A change was flushed before its writer knows of its commit. The flushed position therefore includes it, and no replica
  // has to wait for what is not yet flushed.
  const notify = (topic: Topic, texts: ReadonlyArray<string>) =>
    sql<{ readonly lsn: string }>`
      select pg_notify(${channelOf(topic)}, lsn || ' ' || text), lsn::text
      from pg_current_wal_flush_lsn() as lsn, unnest(${texts}::text[]) as text`
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
      url: yield* writableUrl(at),
      applicationName: "pennypress signals",
      connectTimeout: "5 seconds",
      keepAlive: "10 seconds"
    })
    // The connection ends before its listener: an `UNLISTEN` on a silent connection would wait for an answer.
    const notifications = yield* Scope.provide(connection.listen(channelOf(topic)), listeners)
    let awaited = { text: "", back: Deferred.makeUnsafe<LogPosition>() }

    const receive = Effect.flatMap(Queue.take(notifications), ({ payload }) => {
      // Only a person at the database sends anything else.
      const [, lsn, text = ""] = PAYLOAD.exec(payload) ?? []
      if (lsn === undefined) return Effect.void
      const position = logPositionOf(lsn)
      if (text === awaited.text) return Deferred.succeed(awaited.back, position)
      // Beats of other processes mean nothing here.
      return text.startsWith(BEAT) ? Effect.void : Queue.offer(heard, { _tag: "signal", text, position })
    })

    const send = Effect.suspend(() => {
      awaited = { text: `${BEAT}${randomUUID()}`, back: Deferred.makeUnsafe() }
      return Effect.withTracerEnabled(notify(topic, [awaited.text]), false)
    })
    const hear = Effect.suspend(() => Deferred.await(awaited.back)).pipe(
      Effect.timeoutOrElse({ duration: ANSWER_MILLIS, orElse: () => Effect.fail(new BeatNotHeard()) })
    )
    // The question ends with the connection: an interruption of it would wait for the silent server.
    const ask = Effect.forkIn(connection.query("select 1"), listeners).pipe(
      Effect.flatMap(Fiber.join),
      Effect.timeoutOrElse({ duration: ANSWER_MILLIS, orElse: () => Effect.fail(new ListenerSilent()) })
    )
    /** When the database was last heard: the time of the last question that it answered. */
    let heardAt = yield* Clock.currentTimeMillis
    // A pool that is late with sending may only be busy. One that fails has lost the database.
    const beat = Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const sent = yield* Effect.timeoutOption(send, ANSWER_MILLIS)
      yield* Option.isSome(sent) ? hear : ask
      heardAt = at
    }).pipe(Effect.delay(BEAT_MILLIS[topic]))
    const lost = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Queue.offer(heard, { _tag: "lost", silentMillis: Math.max(0, now - heardAt) })
    )
    const gauge = Metric.withAttributes(listening, { topic })
    const held = Effect.gen(function* () {
      const position = yield* Effect.andThen(send, hear)
      yield* onListening
      yield* Queue.offer(heard, { _tag: "listening", position })
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
      yield* Effect.logDebug(`Signals of ${topic} are not heard`, error)
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
        Effect.map((sent) => logPositionOf(sent[0]?.lsn ?? "0/0")),
        Effect.mapError((cause) => new SignalNotSent({ cause }))
      ),
    heard: (topic) => Stream.callback<Heard>((heard) => onRealClock(listenForever(topic, heard)))
  }
}
