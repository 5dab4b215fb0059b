import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Metric, Queue, type Redacted, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { type Heard, SignalNotSent, type Signals, type Topic } from "../../src/platform/ports/Signals.ts"
import { backoffMillis } from "../../src/platform/time/backoff.ts"
import { onRealClock } from "../time/realClock.ts"

const channelOf = (topic: Topic) => `pennypress_${topic}`

/** The waits between attempts to listen. */
const WAITS = { firstMillis: 100, longestMillis: 10_000 }

/** Time within which a living connection answers a question. A network may drop packets unsaid. */
const ANSWER_MILLIS = 1_000

/** Times between two questions. Kept answers depend on each signal, but work is also looked for. */
const BEAT_MILLIS: Readonly<Record<Topic, number>> = { public_answers: 1_000, work: 10_000 }

const listening = Metric.gauge("signals_listening", {
  description: "1 while signals of other processes are heard, else 0, by topic"
})

/**
 * Signals by `LISTEN` and `NOTIFY`. The listener of a topic holds one connection outside the pool, and reconnects by
 * itself.
 *
 * A signal follows the commit that it announces, in a statement of its own. PostgreSQL commits only one transaction
 * with a `NOTIFY` at a time. A `NOTIFY` among the writes would therefore make them wait for each other's disk. A
 * `NOTIFY` without writes holds that lock for microseconds.
 */
export const make = (sql: SqlClient.SqlClient, url: Redacted.Redacted): typeof Signals.Service => ({
  send: (topic, texts) =>
    sql`select pg_notify(${channelOf(topic)}, text) from unnest(${texts}::text[]) as text`.pipe(
      Effect.withSpan("Signals.send"),
      Effect.asVoid,
      Effect.mapError((cause) => new SignalNotSent({ cause }))
    ),
  heard: (topic) => Stream.callback<Heard>((heard) => onRealClock(listenForever(url, topic, heard)))
})

/** Fails when the connection does not answer in time. */
const beat = (connection: PgConnection.PgConnection, topic: Topic) =>
  connection.query("select 1").pipe(Effect.timeout(ANSWER_MILLIS), Effect.delay(BEAT_MILLIS[topic]))

const listenForever = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  topic: Topic,
  heard: Queue.Enqueue<Heard>
) {
  let failures = 0
  /** Hands on the signals of a connection until that connection is lost. */
  const listen = Effect.gen(function* () {
    const connection = yield* PgConnection.make({
      url,
      applicationName: "pennypress signals",
      connectTimeout: "5 seconds",
      keepAlive: "10 seconds"
    }).pipe(Effect.flatMap(({ pin }) => pin))
    const notifications = yield* connection.listen(channelOf(topic))
    failures = 0
    yield* Queue.offer(heard, { _tag: "listening" })
    yield* Metric.update(Metric.withAttributes(listening, { topic }), 1)
    const receive = Effect.flatMap(Queue.take(notifications), ({ payload }) =>
      Queue.offer(heard, { _tag: "signal", text: payload })
    )
    return yield* Effect.raceFirst(Effect.forever(receive), Effect.forever(beat(connection, topic))).pipe(
      Effect.ensuring(Queue.offer(heard, { _tag: "lost" })),
      Effect.ensuring(Metric.update(Metric.withAttributes(listening, { topic }), 0))
    )
  }).pipe(Effect.scoped)

  while (true) {
    yield* Effect.catch(listen, (error) => Effect.logDebug(`Signals of ${topic} are not heard`, error))
    failures += 1
    yield* Effect.sleep(backoffMillis(WAITS, failures))
  }
})
