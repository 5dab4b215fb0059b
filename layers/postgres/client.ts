import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import { Cause, Context, Effect, Metric } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { IsSearch } from "../../src/platform/ports/IsSearch.ts"
import { onRealClock } from "../time/realClock.ts"
import { watchConnections } from "./watchedConnections.ts"

export interface ClientOptions extends PgPool.Config {
  /** Deadline of a statement on this side, including the wait for a connection. */
  readonly deadlineMillis: number
  /** Statements that may share a connection. */
  readonly multiplexConcurrency: number
  /** Time after which this side asks the server to cancel a statement. Without it, the server has a timeout itself. */
  readonly cancelMillis?: number | undefined
}

/**
 * Makes the two pools of a server. Searches have a pool of their own: a slow one takes neither the connections of other
 * statements nor a place before them. `suffix` tells the pools of a replica apart.
 */
export const makePools = Effect.fnUntraced(function* (
  options: ClientOptions,
  searchOptions: ClientOptions,
  suffix = ""
) {
  const requests = yield* makePool(`requests${suffix}`, options)
  const searches = yield* makePool(`searches${suffix}`, searchOptions)
  return { requests, searches }
})

export type Pools = Effect.Success<ReturnType<typeof makePools>>

/** Chooses the server of statements outside of transactions; undefined stands for the primary, as without a choice. */
export const ServerChoice = Context.Reference<Effect.Effect<Pools | undefined> | undefined>(
  "pennypress/layers/postgres/ServerChoice",
  { defaultValue: () => undefined }
)

/** Makes a client over the pools of the primary, like `PgClient.make` over one pool. */
export const makeClient = Effect.fnUntraced(function* (options: ClientOptions, searchOptions: ClientOptions) {
  const primary = yield* makePools(options, searchOptions)
  const pool = primary.requests

  const borrower: SqlConnection.Borrower = (use) =>
    Effect.withFiber((fiber) => {
      const choice = fiber.getRef(ServerChoice)
      const name = fiber.getRef(IsSearch) ? "searches" : "requests"
      return choice === undefined
        ? primary[name].borrower(use)
        : Effect.flatMap(choice, (pools = primary) => pools[name].borrower(use))
    })

  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer: pool.acquirer,
    borrower,
    transactionAcquirer: pool.exclusive,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const { withTransaction } = client
  return Object.assign(client, {
    withTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => failAsRollback(withTransaction(effect))
  })
})

/** Returns how the rollback of a failed transaction failed, too, as it does without the connection. */
const rollbackErrorOf = ({ reasons }: Cause.Cause<unknown>) => {
  const last = reasons.length > 1 ? reasons.at(-1) : undefined
  return last !== undefined && Cause.isDieReason(last) && SqlError.isSqlError(last.defect)
    ? last.defect
    : undefined
}

/** Fails with the error of a rollback alone. A failure that comes with a defect meets no handler. */
const failAsRollback = <A, E, R>(transaction: Effect.Effect<A, E | SqlError.SqlError, R>) =>
  Effect.catchCause(transaction, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const error = rollbackErrorOf(cause)
    return error === undefined ? Effect.failCause(cause) : Effect.fail(error)
  })

const waits = Metric.counter("database_waits_total", {
  description: "Statements and transactions that found no free connection, by pool",
  incremental: true
})

/**
 * Makes a pool in which every statement has a deadline on this side. A silent database then costs each request its
 * deadline at most, and the pool recovers by itself. Two rules keep the deadline:
 *
 * - A connection on which the server stays silent for that long is cut, and every statement on it fails.
 * - A statement or a transaction waits that long for a connection, and then fails. The timer runs only when no open
 *   connection has room, because a timer for each statement would cost 5 µs per request.
 *
 * A connection whose server refuses a write as read-only, stops or starts leaves the pool. The next one may reach the new
 * primary.
 */
const makePool = Effect.fnUntraced(function* (name: string, options: ClientOptions) {
  const { cancelMillis, deadlineMillis, multiplexConcurrency: sharing } = options
  const pool = yield* PgPool.make({ ...options, multiplex: true })
  const { hasRoom, watch } = yield* watchConnections(name, deadlineMillis, cancelMillis)
  let transactions = 0

  /** The statements of a connection. The pool drops one of a lost server, once the statements that share it have ended. */
  const statementsOf = (connection: PgConnection.PgConnection) =>
    new Statements(connection, (error) => (isServerLost(error) ? pool.invalidate(connection) : Effect.void))

  const watched = (connection: PgConnection.PgConnection) => {
    watch(connection)
    return statementsOf(connection)
  }

  const bounded = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() =>
      hasRoom(sharing, transactions)
        ? effect
        : Effect.andThen(
            Metric.update(Metric.withAttributes(waits, { pool: name }), 1),
            Effect.raceFirst(effect, failAfter(deadlineMillis))
          )
    )

  const borrower: SqlConnection.Borrower = (use) =>
    bounded(pool.use((connection) => use(watched(connection))))

  /** Takes a connection for one transaction. Waits until the statements that share the connection have ended. */
  const exclusive = Effect.gen(function* () {
    const get = bounded(pool.get)
    yield* Effect.acquireRelease(
      Effect.sync(() => (transactions += 1)),
      () => Effect.sync(() => (transactions -= 1))
    )
    const base = yield* get
    watch(base)
    return statementsOf(yield* base.pin)
  })

  return { acquirer: Effect.map(pool.get, watched), borrower, exclusive }
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

type Transform = Parameters<SqlConnection.Connection["execute"]>[2]

/**
 * Returns true when another connection may reach a better server. 25006 is a write to a standby, or to a server that its
 * operator made read-only. Class 57P is a server that stops or starts, and class 08 a proxy that lost its server.
 */
const isServerLost = ({ reason }: SqlError.SqlError) =>
  /^(25006|57P|08)/.test(String((reason.cause as { readonly code?: unknown } | null)?.code))

/** The statements of a driver's connection, as the client sends them. */
class Statements implements SqlConnection.Connection {
  readonly connection: PgConnection.PgConnection
  readonly onError: (error: SqlError.SqlError) => Effect.Effect<void>

  constructor(
    connection: PgConnection.PgConnection,
    onError: (error: SqlError.SqlError) => Effect.Effect<void>
  ) {
    this.connection = connection
    this.onError = onError
  }

  private query(sql: string, params: ReadonlyArray<unknown>, prepare = true) {
    return Effect.tapError(this.connection.query(sql, params, prepare), this.onError)
  }

  private values(sql: string, params: ReadonlyArray<unknown>, prepare = true) {
    return Effect.tapError(this.connection.queryValues(sql, params, prepare), this.onError)
  }

  execute(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return rowsOf(this.query(sql, params), transform)
  }

  executeRaw(sql: string, params: ReadonlyArray<unknown>) {
    return this.query(sql, params)
  }

  executeStream(sql: string, params: ReadonlyArray<unknown>) {
    return this.connection.stream(sql, params)
  }

  executeValues(sql: string, params: ReadonlyArray<unknown>) {
    return this.values(sql, params)
  }

  executeValuesUnprepared(sql: string, params: ReadonlyArray<unknown>) {
    return this.values(sql, params, false)
  }

  executeUnprepared(sql: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return rowsOf(this.query(sql, params, false), transform)
  }
}

/** Fails after this time of the system's clock, also under another clock of the caller. */
const failAfter = (millis: number) =>
  Effect.sleep(millis).pipe(onRealClock, Effect.andThen(Effect.suspend(() => Effect.fail(noConnection()))))

const BUSY = "No connection to the database became free in time"

/** Returns true for a statement that found no free connection. It says nothing of the server. */
export const isPoolBusy = ({ reason }: SqlError.SqlError) => reason.message === BUSY

const noConnection = () =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(BUSY), message: BUSY, operation: "connect" })
  })
