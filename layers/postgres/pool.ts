import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Cause, Effect, Exit, Metric, Pool, type Redacted } from "effect"
import type { SqlConnection, SqlError } from "effect/sql"
import { onRealClock } from "../time/realClock.ts"
import { isServerLost, noConnection } from "./connectionErrors.ts"
import { connectTo, type PooledConnection } from "./PooledConnection.ts"
import { Statements } from "./Statements.ts"
import { hostOf } from "./writableHost.ts"

export interface PoolOptions extends Omit<PgConnection.Config, "keepAlive" | "multiplex" | "stream" | "url"> {
  readonly url: Redacted.Redacted
  readonly maxConnections: number
  /** Statements that may share a connection. */
  readonly sharing: number
  /** Deadline of a statement on this side, including the wait for a connection. */
  readonly deadlineMillis: number
  /** Time after which this side asks the server to cancel a statement. Only statements that share nothing can be cancelled. */
  readonly cancelMillis?: number | undefined
}

/** Checks of each connection within the deadline. The last of them cuts a silent connection. */
const CHECKS = 10
const BUSY = "No connection to the database became free in time"

const open = Metric.gauge("database_connections", { description: "Open connections, by pool" })
const running = Metric.gauge("database_statements", {
  description: "Statements that the server has not answered yet, by pool"
})
const waits = Metric.counter("database_waits_total", {
  description: "Statements and transactions that found no free connection, by pool",
  incremental: true
})

/** Fails after this time of the system's clock, also under another clock of the caller. */
const failAfter = (millis: number) =>
  Effect.flatMap(onRealClock(Effect.sleep(millis)), () => Effect.fail(noConnection(BUSY)))

/**
 * Makes a pool in which every statement has a deadline on this side. A silent database then costs each request its
 * deadline at most, and the pool recovers by itself. Two rules keep the deadline:
 *
 * - A connection on which the server stays silent for that long is cut, and every statement on it fails. A connection that
 *   sends stays open, however long its statements take: a slow statement does not fail others.
 * - A statement or a transaction waits that long for a connection, and then fails. The timer runs only when no open
 *   connection has room, because a timer for each statement would cost 5 µs per request.
 *
 * A connection whose server refuses a write as read-only, stops or starts leaves the pool. The next one may reach the new
 * primary.
 */
export const makePool = Effect.fnUntraced(function* (
  name: string,
  { cancelMillis, deadlineMillis, maxConnections, url, ...options }: PoolOptions
) {
  // The driver cancels no statement of a connection that several share.
  const sharing = cancelMillis === undefined ? options.sharing : 1
  const host = yield* hostOf(url)
  const run = Effect.runForkWith(yield* Effect.context())
  const connections = new Set<PooledConnection>()
  let transactions = 0

  const acquire = Effect.gen(function* () {
    const connection = yield* connectTo(yield* host, { ...options, multiplex: sharing > 1 })
    connection.statements = statementsOf(connection, connection.driver, sharing === 1)
    connections.add(connection)
    // A socket that closed before this line tells nothing more: its first statement fails, and ends the connection.
    yield* Effect.addFinalizer(() => Effect.sync(() => connections.delete(connection)))
    connection.socket.once("close", () => run(Pool.invalidate(pool, connection)))
    return connection
  })

  const pool: Pool.Pool<PooledConnection, SqlError.SqlError> = yield* Pool.makeWithTTL({
    acquire,
    min: 0,
    max: maxConnections,
    concurrency: sharing,
    timeToLive: "60 seconds"
  })

  const end = (
    connection: PooledConnection,
    isAlone: boolean,
    exit: Exit.Exit<unknown, SqlError.SqlError>
  ) => {
    if (connection.end()) run(connection.rest)
    if (Exit.isSuccess(exit)) return Effect.void
    // The cancellation of an interrupted statement may reach the server during the next one.
    const isUnsafe = isAlone && Cause.hasInterrupts(exit.cause)
    const isLost = exit.cause.reasons.some((it) => Cause.isFailReason(it) && isServerLost(it.error))
    return isUnsafe || isLost || !connection.socket.writable ? Pool.invalidate(pool, connection) : Effect.void
  }

  /** Runs an effect that waits for an answer of the server, and counts it until its end. */
  const owing = <A, E extends SqlError.SqlError, R>(
    connection: PooledConnection,
    isAlone: boolean,
    effect: Effect.Effect<A, E, R>
  ) =>
    Effect.suspend(() => {
      connection.begin()
      return Effect.onExit(effect, (exit) => end(connection, isAlone, exit))
    })

  /**
   * Keeps a connection from others until the scope closes, once the server has answered their statements. The wait is counted
   * like a statement, so silence ends it. The statements may not be: their callers may have left.
   */
  const reserve = (connection: PooledConnection, driver: PgConnection.PgConnection) =>
    Effect.andThen(Pool.reserve(pool, connection), owing(connection, false, driver.pin))

  const statementsOf = (connection: PooledConnection, driver: PgConnection.PgConnection, isAlone: boolean) =>
    new Statements(driver, {
      owing: (statement) => owing(connection, isAlone, statement),
      reserve: reserve(connection, driver)
    })

  const hasRoom = () => {
    let room = -transactions * sharing
    for (const { owed } of connections) room += sharing - owed
    return room > 0
  }
  const bounded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() =>
      hasRoom()
        ? effect
        : Effect.andThen(
            Metric.update(Metric.withAttributes(waits, { pool: name }), 1),
            Effect.raceFirst(effect, failAfter(deadlineMillis))
          )
    )

  const intervalMillis = deadlineMillis / CHECKS
  /** Silent checks that a statement begins with before it has run for `cancelMillis`. */
  const checksToCancel = Math.floor((cancelMillis ?? Number.POSITIVE_INFINITY) / intervalMillis) + 1

  const check = Effect.suspend(() => {
    let statements = 0
    for (const connection of connections) {
      const checks = connection.check()
      if (checks > CHECKS) connection.socket.destroy(new Error("The database did not answer in time"))
      if (checks === checksToCancel) run(connection.driver.interrupt)
      statements += connection.owed
    }
    return Effect.andThen(
      Metric.update(Metric.withAttributes(open, { pool: name }), connections.size),
      Metric.update(Metric.withAttributes(running, { pool: name }), statements)
    )
  })
  yield* check.pipe(Effect.delay(intervalMillis), Effect.forever, Effect.forkScoped)

  const borrower: SqlConnection.Borrower = (use) =>
    bounded(Pool.use(pool, (connection) => use(connection.statements)))

  return {
    acquirer: Effect.map(Pool.get(pool), ({ statements }) => statements),
    borrower,
    /** Takes a connection for one transaction. Waits until the statements that share the connection have ended. */
    exclusive: Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => (transactions += 1)),
        () => Effect.sync(() => (transactions -= 1))
      )
      const connection = yield* bounded(Pool.get(pool))
      return statementsOf(connection, yield* reserve(connection, connection.driver), true)
    })
  }
})
