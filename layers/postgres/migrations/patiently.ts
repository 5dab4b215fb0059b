import { Effect, Schedule, Schema } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"

/** The lock that is held by the process that migrates. */
export const MIGRATING = 7_266_000

/**
 * Time that a statement waits for a lock. Requests that come meanwhile wait behind it, even those that would not wait for
 * the holder of the lock.
 */
const LOCK_MILLIS = 100

/** Waits between two attempts, in which requests go on. */
const pauses = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")])

/** Two statements of the connection reached different sessions of the server, so a lock protects nothing. */
export class MigrationLockLost extends Schema.TaggedError<MigrationLockLost>()("MigrationLockLost", {
  message: Schema.String
}) {}

/** Fails if this session does not hold the lock of the process that migrates. */
export const assertMigrating = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const held = yield* sql`
    select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted
      and objid = ${MIGRATING} and database = (select oid from pg_database where datname = current_database())`
  if (held.length > 0) return
  return yield* new MigrationLockLost({
    message:
      "The lock of the migrations is lost, because statements of one connection reach different sessions of the server. " +
      "A pooler in transaction mode does that. Migrate over the address of the server itself."
  })
})

/**
 * Limits of the transaction. One that has its locks and falls silent loses them: its process may be cut off from the
 * network. A statement may take long: the roles of managed servers often have a limit.
 */
const limits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    select set_config('lock_timeout', ${`${LOCK_MILLIS}ms`}, true), set_config('statement_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '10s', true),
      set_config('client_connection_check_interval', '1s', true)`
})

/** Returns true if a statement did not get a lock, in a migration or outside of one. */
const isBlocked = (error: unknown) => {
  const cause = error instanceof Migrator.MigrationError ? error.cause : error
  return SqlError.isSqlError(cause) && ["LockTimeoutError", "DeadlockError"].includes(cause.reason._tag)
}

interface Holder {
  readonly pid: number
  readonly application: string
  readonly state: string
  readonly seconds: number
}

/** Finds the oldest transaction with a lock on a table that these statements name. */
const holderOf = Effect.fnUntraced(function* (statements: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const words = [...new Set(statements.join(" ").toLowerCase().match(/\w+/g))]
  const [holder] = yield* sql<Holder>`
    select a.pid, coalesce(nullif(a.application_name, ''), 'unnamed') as application, coalesce(a.state, 'unknown') as state,
      extract(epoch from clock_timestamp() - a.xact_start)::int4 as seconds
    from pg_locks l join pg_class c on c.oid = l.relation join pg_stat_activity a on a.pid = l.pid
    where c.relname = any(${words}::text[]) and l.granted and a.pid <> pg_backend_pid() and a.xact_start is not null
    order by a.xact_start limit 1`
  return holder
})

const tellWait = Effect.fnUntraced(function* (what: string, statements: ReadonlyArray<string>) {
  const holder = yield* Effect.orElseSucceed(holderOf(statements), () => undefined)
  yield* Effect.logWarning(
    holder === undefined
      ? `${what} could not get its locks, and will try again`
      : `${what} waits for a transaction that has been open for ${holder.seconds} s: ` +
          `pid ${holder.pid}, "${holder.application}", ${holder.state}. It will try again. Requests are not held up`
  )
})

/** Does what needs locks again and again, until it gets them. Each attempt has to undo all that it did. */
export const again =
  (what: string, statements: ReadonlyArray<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.tapError((error) => (isBlocked(error) ? tellWait(what, statements) : Effect.void)),
      Effect.retry({ schedule: pauses, while: isBlocked })
    )

/**
 * Runs an effect in a transaction of its own. The transaction gives up when it has waited for a lock for `LOCK_MILLIS`, and
 * begins again after a pause, so that requests never wait long behind it.
 */
export const patiently = <A, E, R>(
  what: string,
  statements: ReadonlyArray<string>,
  effect: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .withTransaction(limits.pipe(Effect.andThen(assertMigrating), Effect.andThen(effect)))
      .pipe(again(what, statements))
  )
