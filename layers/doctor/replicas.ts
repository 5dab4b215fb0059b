import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Option, type Redacted } from "effect"
import type { Environment } from "../config/environment.ts"
import type { ReplicaUrl } from "../config/replicaUrls.ts"
import { LAG_MILLIS_MAX } from "../postgres/replicas.ts"
import { writableUrl } from "../postgres/writableHost.ts"
import { poll } from "../time/poll.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("replicas")

const open = (url: Redacted.Redacted) =>
  PgConnection.make({ url, connectTimeout: "5 seconds", multiplex: true })

/** Asks a server for one row of texts. */
const ask = (connection: PgConnection.PgConnection, statement: string, params: ReadonlyArray<string> = []) =>
  Effect.map(connection.query(statement, params, false), ({ rows }) => rows[0] ?? {})

/** Identifies a database in a cluster. A standby has the identity of its primary, where a copy by hand has another. */
const PLACE = `select system_identifier || ' ' ||
    (select oid from pg_database where datname = current_database()) as place,
  pg_is_in_recovery() as is_standby
  from pg_control_system()`

const check = Effect.fnUntraced(function* ({ name, url }: ReplicaUrl, primary: PgConnection.PgConnection) {
  const replica = yield* open(url)
  const { is_standby, place } = yield* ask(replica, PLACE)
  if (place !== (yield* ask(primary, PLACE))["place"])
    return fault(
      `${name} is no standby of this database: nothing is read from it.`,
      "Name streaming standbys of the server of DATABASE_URL in DATABASE_REPLICA_URLS, with the same database."
    )
  if (is_standby !== true) return ok(`${name} is the primary now, and gets reads again as a standby.`)
  const { lsn } = yield* ask(primary, "select pg_current_wal_flush_lsn()::text as lsn")
  const missing = ask(
    replica,
    "select pg_wal_lsn_diff($1::text::pg_lsn, pg_last_wal_replay_lsn())::float8 as bytes",
    [String(lsn)]
  )
  const caughtUp = yield* poll(
    Effect.map(missing, ({ bytes }) => (Number(bytes) <= 0 ? Option.some(bytes) : Option.none())),
    LAG_MILLIS_MAX
  )
  return Option.isSome(caughtUp)
    ? ok(`${name} is a standby that has what the primary has.`)
    : warning(
        `${name} did not replay within ${LAG_MILLIS_MAX / 1_000} s what the primary has, and lacks ${(yield* missing)["bytes"]} bytes of its log: nothing is read from it.`,
        "Look at pg_stat_replication on the primary and at the standby's log. Its network or its disk may be too slow, or its replay is paused."
      )
}, Effect.scoped)

/** Checks each replica: that it answers, follows the database, and is not far behind. */
export const replicasCheck = (environment: Environment) => {
  const { DATABASE_REPLICA_URLS: replicas, DATABASE_URL, PUBLIC_CACHE_MB } = environment
  if (replicas.length === 0 || Option.isNone(DATABASE_URL)) return Effect.succeed([])
  const unused = warning(
    "No process reads from them, because PUBLIC_CACHE_MB is 0: only public answers that may be kept come from replicas.",
    "Set PUBLIC_CACHE_MB, or leave out DATABASE_REPLICA_URLS."
  )
  return within(
    "replicas",
    Effect.gen(function* () {
      const primary = yield* open(yield* writableUrl(DATABASE_URL.value))
      const found: ReadonlyArray<Finding> = yield* Effect.forEach(
        replicas,
        (replica) =>
          check(replica, primary).pipe(
            // A silent one must not hide what is found about the others.
            Effect.timeout("8 seconds"),
            Effect.orElseSucceed(() =>
              fault(
                `${replica.name} does not answer.`,
                "Check its host, port, user, password and database, and that hot_standby is on and it accepts connections from here."
              )
            )
          ),
        { concurrency: "unbounded" }
      )
      return PUBLIC_CACHE_MB === 0 ? [unused, ...found] : found
    }).pipe(Effect.scoped),
    "The primary does not answer, so they cannot be compared with it. Check DATABASE_URL first."
  )
}
