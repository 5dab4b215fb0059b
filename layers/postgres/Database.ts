import { Context, Effect, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { Signals } from "../../src/platform/ports/Signals.ts"
import { onRealClock } from "../time/realClock.ts"
import { makeClient } from "./client.ts"
import { SEARCH_CONNECTIONS } from "./connectionCounts.ts"
import { databaseOfServer } from "./embedded/database.ts"
import { migrate } from "./migrate.ts"
import type { DatabaseSchema } from "./migrations/DatabaseSchema.ts"
import * as SignalsPostgres from "./SignalsPostgres.ts"

/** Options of the pool. */
export interface PoolOptions {
  /** Maximum number of connections, not counting four for searches. Default: 10. */
  readonly maxConnections?: number | undefined
  /** Time after which PostgreSQL cancels a statement, in PostgreSQL's notation. `0` disables it. Default: `4500ms`. */
  readonly statementTimeout?: string | undefined
  /** Deadline of a statement on this side, in milliseconds. Default: 5000. */
  readonly deadlineMillis?: number | undefined
  /**
   * Time after which PostgreSQL cancels a search, in milliseconds. A search that has to wait for a connection fails after
   * twice this time. Default: 1000.
   */
  readonly searchTimeoutMillis?: number | undefined
  /** The tables and triggers that the database gets. Default: ours. */
  readonly schema?: DatabaseSchema | undefined
  /**
   * Receives signals from other processes, over two more connections. Without it, work of other processes is found by
   * looks alone, and public answers are made again for every reader.
   */
  readonly signals?: boolean | undefined
}

const defaultMaxConnections = 10
/** Deadline of every statement of a request, after which the answer is 503. */
const defaultDeadlineMillis = 5_000
/**
 * PostgreSQL gives up first, so that a slow statement fails alone. We cut off a server that stays silent after that.
 */
const defaultStatementTimeout = "4500ms"
/**
 * Statements that may share a connection. They leave in one write and return in one read, which makes a busy service
 * half as fast again. Each waits for the slowest before it, so the number is small.
 */
const sharing = 8
const defaultSearchTimeoutMillis = 1_000
/** Exceeds the number of the service's statements, so that each connection plans each only once. */
const preparedStatements = 400
/**
 * Largest message that the driver accepts, in bytes. A larger one would close the connection and fail all statements on
 * it. It is therefore far above the largest row of the service: 4 MiB of text in several columns.
 */
export const MESSAGE_BYTES_MAX = 256 * 1024 * 1024
/** Settings of PostgreSQL for the sessions of the pool. */
const sessionParameters = {
  // PostgreSQL cancels the statement of a process that is gone.
  client_connection_check_interval: "250ms",
  // A transaction of a silent process loses its locks.
  idle_in_transaction_session_timeout: "30s",
  tcp_user_timeout: "15s",
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "5",
  tcp_keepalives_count: "3"
}

/**
 * A pool over a database with a current schema. Pending migrations run before the pool opens, under the migrator's lock
 * on its table. Processes that start together wait for the one that migrates.
 *
 * A transaction has a connection to itself. A statement on a shared connection continues when its fiber is interrupted.
 * Migrations have a connection of their own without deadlines.
 */
export const layer = (options: PoolOptions & { readonly url: Redacted.Redacted }) =>
  Layer.effectContext(
    Effect.gen(function* () {
      yield* migrate(options.url, options)
      yield* Effect.logDebug("The schema is current")
      const searchTimeoutMillis = options.searchTimeoutMillis ?? defaultSearchTimeoutMillis
      const connection = {
        url: options.url,
        preparedStatementCacheSize: preparedStatements,
        maxMessageSize: MESSAGE_BYTES_MAX,
        connectTimeout: "5 seconds",
        keepAlive: "30 seconds"
      } as const
      const client = yield* makeClient(
        {
          ...connection,
          applicationName: "pennypress",
          startupParameters: {
            ...sessionParameters,
            statement_timeout: options.statementTimeout ?? defaultStatementTimeout
          },
          maxConnections: options.maxConnections ?? defaultMaxConnections,
          multiplexConcurrency: sharing,
          deadlineMillis: options.deadlineMillis ?? defaultDeadlineMillis
        },
        {
          ...connection,
          applicationName: "pennypress searches",
          startupParameters: { ...sessionParameters, statement_timeout: `${searchTimeoutMillis}ms` },
          maxConnections: SEARCH_CONNECTIONS,
          multiplexConcurrency: 1,
          deadlineMillis: 2 * searchTimeoutMillis
        }
      )
      const context = Context.make(SqlClient.SqlClient, client)
      return options.signals === true
        ? Context.add(context, Signals, SignalsPostgres.make(client, options.url))
        : context
    }).pipe(Effect.provide(Reactivity.layer), onRealClock)
  )

/** `layer` over the database `pennypress` of the embedded server, made if missing. */
export const layerEmbedded = (options: PoolOptions = {}) =>
  Layer.unwrap(Effect.map(databaseOfServer, (url) => layer({ ...options, url })))
