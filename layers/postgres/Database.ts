import { Context, Effect, Layer, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { ReadPool } from "../../src/platform/ports/ReadPool.ts"
import { Signals } from "../../src/platform/ports/Signals.ts"
import { onRealClock } from "../time/realClock.ts"
import { makeClient, makePools } from "./client.ts"
import { SEARCH_CONNECTIONS } from "./connectionCounts.ts"
import { databaseOfServer } from "./embedded/database.ts"
import { migrate } from "./migrate.ts"
import type { DatabaseSchema } from "./migrations/DatabaseSchema.ts"
import type { PoolOptions as ConnectionOptions } from "./pool.ts"
import { isPooled } from "./pooler.ts"
import { makeReadPool } from "./readPool.ts"
import * as SignalsPostgres from "./SignalsPostgres.ts"
import { writableUrl } from "./writableHost.ts"

/** Options of the pool. */
export interface PoolOptions {
  /** Maximum number of connections, not counting four for searches. Default: 10. */
  readonly maxConnections?: number | undefined
  /** Time after which PostgreSQL cancels a statement, in milliseconds. 0 disables it. Default: 4500. */
  readonly statementTimeoutMillis?: number | undefined
  /** Deadline of a statement on this side, in milliseconds. Default: 5000. */
  readonly deadlineMillis?: number | undefined
  /**
   * Time after which PostgreSQL cancels a search, in milliseconds. A search that has to wait for a connection fails after
   * twice this time. Default: 1000.
   */
  readonly searchTimeoutMillis?: number | undefined
  /** The tables and triggers that the database gets. Default: ours. */
  readonly schema?: DatabaseSchema | undefined
  /** The server itself, for migrations and signals, where the URL leads to a pooler. Default: the same URL. */
  readonly directUrl?: Redacted.Redacted | undefined
  /**
   * `named` keeps prepared statements on the connections of the server, which a pooler has to track. Default: `named`,
   * and `unnamed` behind a pooler.
   */
  readonly prepared?: "named" | "unnamed" | undefined
  /**
   * Receives signals from other processes, over two more connections. Without it, work of other processes is found by
   * looks alone, and public answers are made again for every reader.
   */
  readonly signals?: boolean | undefined
  /** A database that follows this one, for reads to which seconds do not matter. Default: this one. */
  readonly readUrl?: Redacted.Redacted | undefined
}

const defaultMaxConnections = 10
/** Deadline of every statement of a request, after which the answer is 503. */
const defaultDeadlineMillis = 5_000
/**
 * PostgreSQL gives up first, so that a slow statement fails alone. We cut off a server that stays silent after that.
 */
const defaultStatementTimeoutMillis = 4_500
/**
 * Statements that may share a connection. They leave in one write and return in one read, which makes a busy service
 * half as fast again. Each waits for the slowest before it, so the number is small.
 */
const sharing = 8
const defaultSearchTimeoutMillis = 1_000
/** Deadline of a read on the second database. The primary gets it then, so a silent one costs a reader a second. */
const READ_DEADLINE_MILLIS = 1_000
/** Exceeds the number of the service's statements, so that each connection plans each only once. */
const preparedStatements = 400
/**
 * Largest message that the driver accepts, in bytes. A larger one would close the connection and fail all statements on
 * it. It is therefore far above the largest row of the service: 4 MiB of text in several columns.
 */
export const MESSAGE_BYTES_MAX = 256 * 1024 * 1024
/** Settings of PostgreSQL for the sessions of the pool. A pooler refuses or drops them. */
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

const POOLED =
  "DATABASE_URL leads to a pooler: name the PostgreSQL server itself in DATABASE_DIRECT_URL, " +
  "which signals between processes and migrations need"
const DIRECT_POOLED =
  "DATABASE_DIRECT_URL leads to a pooler: it has to name the PostgreSQL server itself, " +
  "which signals between processes and migrations need"

/** Returns true when the URL of the pool leads to a pooler. Tells when signals and migrations have no other way. */
const inspect = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  directUrl: Redacted.Redacted | undefined
) {
  const pooled = yield* isPooled(url)
  if (directUrl === undefined) {
    if (pooled) yield* Effect.logWarning(POOLED)
  } else if (yield* isPooled(directUrl)) yield* Effect.logWarning(DIRECT_POOLED)
  return pooled
})

/** Returns the options of the pools of a server, of requests and of searches. */
const optionsOf = (
  url: Redacted.Redacted,
  pooled: boolean,
  options: PoolOptions
): readonly [ConnectionOptions, ConnectionOptions] => {
  const searchTimeoutMillis = options.searchTimeoutMillis ?? defaultSearchTimeoutMillis
  const connection = {
    url,
    prepare: (options.prepared ?? (pooled ? "unnamed" : "named")) === "named",
    preparedStatementCacheSize: preparedStatements,
    maxMessageSize: MESSAGE_BYTES_MAX,
    connectTimeout: "5 seconds"
  } as const
  /** Stops statements after this time: PostgreSQL does, or this side where a pooler is between. */
  const stopping = (millis: number) =>
    pooled
      ? { cancelMillis: millis === 0 ? undefined : millis }
      : { startupParameters: { ...sessionParameters, statement_timeout: `${millis}ms` } }
  return [
    {
      ...connection,
      ...stopping(options.statementTimeoutMillis ?? defaultStatementTimeoutMillis),
      applicationName: "pennypress",
      maxConnections: options.maxConnections ?? defaultMaxConnections,
      sharing,
      deadlineMillis: options.deadlineMillis ?? defaultDeadlineMillis
    },
    {
      ...connection,
      ...stopping(searchTimeoutMillis),
      applicationName: "pennypress searches",
      maxConnections: SEARCH_CONNECTIONS,
      sharing: 1,
      deadlineMillis: 2 * searchTimeoutMillis
    }
  ]
}

/** Makes the pools of the second database, once it can be reached. PostgreSQL gives up first, as on the primary. */
const readPools = Effect.fnUntraced(function* (url: Redacted.Redacted, options: PoolOptions) {
  const pooled = yield* isPooled(url, READ_DEADLINE_MILLIS)
  const [requests, searches] = optionsOf(url, pooled, {
    ...options,
    statementTimeoutMillis: 0.9 * READ_DEADLINE_MILLIS
  })
  const searchMillis = options.searchTimeoutMillis ?? defaultSearchTimeoutMillis
  return yield* makePools(
    { ...requests, connectTimeout: READ_DEADLINE_MILLIS, deadlineMillis: READ_DEADLINE_MILLIS },
    // A search that PostgreSQL stops here would be stopped on the primary, too. Only a silent server takes longer.
    { ...searches, connectTimeout: READ_DEADLINE_MILLIS, deadlineMillis: 1.2 * searchMillis },
    " of the second database"
  )
})

/**
 * A pool over a database with a current schema. Pending migrations run before the pool opens, under the migrator's lock
 * on its table. Processes that start together wait for the one that migrates.
 *
 * A transaction has a connection to itself. A statement on a shared connection continues when its fiber is interrupted.
 * Migrations have a connection of their own without deadlines.
 *
 * The pool keeps nothing in a session of the server but settings, prepared statements and listeners. Behind a pooler it
 * keeps none of them: statements are cancelled from here, and listeners have the direct URL.
 */
export const layer = (options: PoolOptions & { readonly url: Redacted.Redacted }) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { directUrl, readUrl, url } = options
      const pooled = yield* inspect(url, directUrl)
      yield* migrate(yield* writableUrl(directUrl ?? url), options)
      yield* Effect.logDebug("The schema is current")
      const client = yield* makeClient(...optionsOf(url, pooled, options))
      // A pooler keeps what a listener began for the next client, whose answers a notification would then disturb.
      const listenAt = directUrl ?? (pooled ? undefined : url)
      return Context.mergeAll(
        Context.make(SqlClient.SqlClient, client),
        ...(options.signals === true ? [Context.make(Signals, SignalsPostgres.make(client, listenAt))] : []),
        ...(readUrl === undefined
          ? []
          : [Context.make(ReadPool, yield* makeReadPool(readPools(readUrl, options)))])
      )
    }).pipe(Effect.provide(Reactivity.layer), onRealClock)
  )

/** `layer` over the database `pennypress` of the embedded server, made if missing. */
export const layerEmbedded = (options: PoolOptions = {}) =>
  Layer.unwrap(Effect.map(databaseOfServer, (url) => layer({ ...options, url })))
