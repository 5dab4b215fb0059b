import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Effect } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { onRealClock } from "../time/realClock.ts"
import { watchAnswers } from "./answers.ts"

export interface ClientOptions extends PgPool.Config {
  /** Deadline of a statement on this side, including the wait for a connection. */
  readonly deadlineMillis: number
  /** Statements that may share a connection. */
  readonly multiplexConcurrency: number
}

/**
 * Makes a client over a pool, like `PgClient.make`, in which every statement has a deadline on this side. A silent
 * database then costs each request its deadline at most, and the pool recovers by itself. Two rules keep the deadline:
 *
 * - A connection on which the server stays silent for that long is cut, and every statement on it fails.
 * - A statement or a transaction waits that long for a connection, and then fails. The timer runs only when no open
 *   connection has room, because a timer for each statement would cost 5 µs per request.
 */
export const makeClient = Effect.fnUntraced(function* (options: ClientOptions) {
  const { deadlineMillis, multiplexConcurrency: sharing } = options
  const pool = yield* PgPool.make({ ...options, multiplex: true })
  const answers = yield* watchAnswers(deadlineMillis)
  let leased = 0

  const connectionOf = (
    connection: PgConnection.PgConnection,
    base: PgConnection.PgConnection = connection
  ): SqlConnection.Connection => {
    const query = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) =>
      answers.answered(base, connection.query(sql, params, prepare))
    const values = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) =>
      answers.answered(base, connection.queryValues(sql, params, prepare))
    return {
      execute: (sql, params, transformRows) => rowsOf(query(sql, params), transformRows),
      executeRaw: (sql, params) => query(sql, params),
      executeStream: (sql, params) => connection.stream(sql, params),
      executeValues: (sql, params) => values(sql, params),
      executeValuesUnprepared: (sql, params) => values(sql, params, false),
      executeUnprepared: (sql, params, transformRows) => rowsOf(query(sql, params, false), transformRows)
    }
  }

  const bounded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    leased < answers.capacity(sharing) ? effect : Effect.raceFirst(effect, failAfter(deadlineMillis))

  const lease = (count: number) =>
    Effect.sync(() => {
      leased += count
    })

  const shared: SqlConnection.Borrower = (use) =>
    Effect.suspend(() => {
      const borrowed = bounded(pool.use((connection) => use(connectionOf(connection))))
      leased += 1
      return Effect.ensuring(borrowed, lease(-1))
    })

  /** Takes a connection for one transaction. Waits until the statements that share the connection have ended. */
  const exclusive = Effect.gen(function* () {
    const get = bounded(pool.get)
    yield* Effect.acquireRelease(lease(sharing), () => lease(-sharing))
    const base = yield* get
    return connectionOf(yield* answers.answered(base, base.pin), base)
  })

  return yield* SqlClient.make({
    driver: "pg",
    acquirer: Effect.map(pool.get, (connection) => connectionOf(connection)),
    borrower: shared,
    transactionAcquirer: exclusive,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    spanAttributes: [["db.system.name", "postgresql"]]
  })
})

/** Commits. Fails when PostgreSQL answers with `ROLLBACK`, as it does for a failed transaction, without an error. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    (result as PgConnection.Result).command === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("The transaction had failed"),
              message: "COMMIT rolled back a transaction that had failed",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )

const rowsOf = <E>(
  query: Effect.Effect<PgConnection.Result, E>,
  transform: (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined
): Effect.Effect<ReadonlyArray<PgConnection.Row>, E> =>
  Effect.map(query, ({ rows }) => (transform === undefined ? rows : transform(rows)))

/** Fails after this time of the system's clock, whatever clock the caller has. */
const failAfter = (millis: number) =>
  Effect.sleep(millis).pipe(onRealClock, Effect.andThen(Effect.suspend(() => Effect.fail(noConnection()))))

const noConnection = () =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: new Error("No connection to the database became free in time"),
      message: "No connection to the database became free in time",
      operation: "connect"
    })
  })
