import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Clock, Effect, Option, type Redacted } from "effect"
import type { Environment } from "../config/environment.ts"
import { serverOptions } from "../postgres/serverOptions.ts"
import { writableUrl } from "../postgres/writableHost.ts"
import { poll } from "../time/poll.ts"
import { about, within } from "./Finding.ts"

const { fault, ok, warning } = about("reads")

/** Longest wait for a standby to replay what the primary has. */
const PATIENCE_MILLIS = 5_000

const open = (url: Redacted.Redacted) =>
  Effect.flatMap(serverOptions(url), (server) =>
    PgConnection.make({ ...server, connectTimeout: "5 seconds", multiplex: true })
  )

/** Asks a server for one row of texts. */
const ask = (connection: PgConnection.PgConnection, statement: string, params: ReadonlyArray<string> = []) =>
  Effect.map(connection.query(statement, params, false), ({ rows }) => rows[0] ?? {})

/** Identifies a database in a cluster. A standby has the identity of its primary, where a copy by hand has another. */
const PLACE = `select system_identifier || ' ' ||
    (select oid from pg_database where datname = current_database()) as place,
  pg_is_in_recovery() as is_standby
  from pg_control_system()`

const check = Effect.fnUntraced(function* (primaryUrl: Redacted.Redacted, url: Redacted.Redacted) {
  const primary = yield* open(yield* writableUrl(primaryUrl))
  const standby = yield* open(url)
  const { is_standby, place } = yield* ask(standby, PLACE)
  if (place !== (yield* ask(primary, PLACE))["place"])
    return fault(
      "It is a different database, so searches show other Posts.",
      "Set DATABASE_READ_URL to a streaming standby of the server of DATABASE_URL, with the same database."
    )
  if (is_standby !== true) return ok("It is the primary now.")
  const { lsn } = yield* ask(primary, "select pg_current_wal_flush_lsn()::text as lsn")
  const missing = Effect.map(
    ask(standby, "select pg_wal_lsn_diff($1::text::pg_lsn, pg_last_wal_replay_lsn())::float8 as bytes", [
      String(lsn)
    ]),
    ({ bytes }) => Number(bytes)
  )
  const began = yield* Clock.currentTimeMillis
  const caughtUp = yield* poll(
    Effect.map(missing, (bytes) => (bytes <= 0 ? Option.some(bytes) : Option.none())),
    PATIENCE_MILLIS
  )
  const seconds = ((yield* Clock.currentTimeMillis) - began) / 1_000
  return Option.isSome(caughtUp)
    ? ok(`It is a standby, ${seconds.toFixed(1)} s behind the primary.`)
    : warning(
        `It is a standby, more than ${PATIENCE_MILLIS / 1_000} s and ${yield* missing} bytes of the log behind the primary.`,
        "Check pg_stat_replication on the primary and the standby's log. Its network or disk may be too slow, or its replay is paused."
      )
}, Effect.scoped)

/** Checks the database of `DATABASE_READ_URL`: that it answers, follows the primary, and is not far behind. */
export const readsCheck = ({ DATABASE_READ_URL, DATABASE_URL }: Environment) =>
  Option.isNone(DATABASE_READ_URL) || Option.isNone(DATABASE_URL)
    ? Effect.succeed([])
    : within(
        "reads",
        Effect.map(check(DATABASE_URL.value, DATABASE_READ_URL.value), (finding) => [finding]),
        "Check the host, port, user, password and database in DATABASE_READ_URL, and that hot_standby is on. Until it answers, its reads go to DATABASE_URL."
      )
