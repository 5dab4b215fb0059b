import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Queue, type Redacted, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { EVERY_KIND, type WorkSignals } from "../../src/platform/ports/WorkSignals.ts"
import { onRealClock } from "../time/realClock.ts"

/** The channel of all signals. Its payload is the kind of work. */
const CHANNEL = "pennypress_work"

/** Waits between attempts to listen; they double with each failure. */
const FIRST_WAIT_MILLIS = 100
const LONGEST_WAIT_MILLIS = 10_000

/**
 * Signals by `LISTEN` and `NOTIFY`. The listener holds one connection outside the pool. It reconnects by itself, and
 * then signals every kind of work once, because it missed the signals in between.
 *
 * A signal follows the commit that it announces, in a statement of its own. PostgreSQL commits only one transaction
 * with a `NOTIFY` at a time. A `NOTIFY` among the writes would therefore make them wait for each other's disk. A
 * `NOTIFY` without writes holds that lock for microseconds.
 */
export const make = (sql: SqlClient.SqlClient, url: Redacted.Redacted): typeof WorkSignals.Service => ({
  send: (kinds) =>
    sql`select pg_notify(${CHANNEL}, kind) from unnest(${kinds}::text[]) as kind`.pipe(
      Effect.withSpan("WorkSignals.send"),
      Effect.ignoreCause({ log: "Debug", message: "Other processes were not told of work" })
    ),
  received: Stream.callback<string>((received) => onRealClock(listenForever(url, received)))
})

const listenForever = Effect.fnUntraced(function* (url: Redacted.Redacted, received: Queue.Enqueue<string>) {
  let failures = 0
  /** Hands on the signals of a connection until that connection is lost. */
  const listen = Effect.gen(function* () {
    const connection = yield* PgConnection.make({
      url,
      applicationName: "pennypress signals",
      connectTimeout: "5 seconds",
      keepAlive: "10 seconds"
    })
    const heard = yield* connection.listen(CHANNEL)
    failures = 0
    yield* Queue.offer(received, EVERY_KIND)
    return yield* Effect.forever(
      Effect.flatMap(Queue.take(heard), ({ payload }) => Queue.offer(received, payload))
    )
  }).pipe(Effect.scoped)

  while (true) {
    yield* Effect.catch(listen, (error) =>
      Effect.logDebug("Signals of work are not heard; work is found by looking for it", error)
    )
    yield* Effect.sleep(Math.min(FIRST_WAIT_MILLIS * 2 ** failures, LONGEST_WAIT_MILLIS))
    failures += 1
  }
})
