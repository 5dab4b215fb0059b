import { Effect, Option, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Environment } from "../config/environment.ts"
import { CLOCK_ADVICE, clockSkew, saidOf, SKEW_MAX, SKEW_TOLD } from "../postgres/clocks.ts"
import { OUTSIDE_POOL } from "../postgres/connectionCounts.ts"
import { databaseReason } from "../postgres/databaseReason.ts"
import { NAME } from "../postgres/embedded/database.ts"
import { runningDatabase } from "../postgres/embedded/EmbeddedPostgres.ts"
import { newestMigrations, OLDEST_MAJOR, toleratesNewer } from "../postgres/migrate.ts"
import { about, type Finding, within } from "./Finding.ts"
import { oneConnection } from "./oneConnection.ts"
import { poolerCheck } from "./pooler.ts"

const { fault, ok, warning } = about("database")

interface State {
  readonly version: string
  readonly number: number
  readonly encoding: string
  readonly is_read_only: boolean
  readonly synchronous_commit: string
  readonly connections: number
}

const clock = (skew: number): ReadonlyArray<Finding> => {
  const difference = Math.abs(skew)
  if (difference <= SKEW_TOLD) return []
  return [(difference > SKEW_MAX ? fault : warning)(saidOf(skew), CLOCK_ADVICE)]
}

const findingsOf = (state: State, environment: Environment, skew: number): ReadonlyArray<Finding> => [
  ok(`PostgreSQL ${state.version} answers.`),
  ...(state.number < OLDEST_MAJOR * 10_000
    ? [
        fault(
          `PostgreSQL ${state.version} is too old.`,
          `Upgrade the server to PostgreSQL ${OLDEST_MAJOR} or newer.`
        )
      ]
    : []),
  ...(state.encoding === "UTF8"
    ? []
    : [
        fault(
          `Its encoding is ${state.encoding}, not UTF8.`,
          `Create another database with "create database … encoding 'UTF8' template template0".`
        )
      ]),
  ...(state.is_read_only
    ? [
        fault(
          "It does not accept writes.",
          "Set DATABASE_URL to the primary. If this is the primary, check for a full disk and for default_transaction_read_only."
        )
      ]
    : []),
  ...(state.synchronous_commit === "off"
    ? [
        warning(
          "synchronous_commit is off: a crash of the server loses its last commits, payments included.",
          "Set synchronous_commit to on, at least for this database."
        )
      ]
    : []),
  ...(state.connections < environment.DATABASE_POOL_SIZE + OUTSIDE_POOL
    ? [
        warning(
          `It allows ${state.connections} connections, but one process may use ${environment.DATABASE_POOL_SIZE + OUTSIDE_POOL}.`,
          "Raise max_connections on the server, or lower DATABASE_POOL_SIZE."
        )
      ]
    : []),
  ...clock(skew)
]

const migrations = Effect.gen(function* () {
  const { code, database } = yield* newestMigrations
  if (database < code)
    return [
      ok(
        `It is at migration ${database}. The next start runs the migrations up to ${code}; "pennypress migrate --plan" shows them.`
      )
    ]
  if (database === code) return []
  const newer = `A newer release migrated it: it is at migration ${database}, but this release has none after ${code}`
  return [
    (yield* toleratesNewer)
      ? ok(`${newer}. The two are compatible.`)
      : fault(`${newer}.`, "Run the release that migrated it, or a newer one.")
  ]
})

const asked = Effect.fnUntraced(function* (url: Redacted.Redacted, environment: Environment) {
  const sql = yield* oneConnection(url)
  const [state] = yield* sql<State>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int4 as number,
      current_setting('server_encoding') as encoding, current_setting('transaction_read_only')::boolean as is_read_only,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('max_connections')::int4 as connections`
  if (state === undefined) return []
  const inIt = Effect.provideService(SqlClient.SqlClient, sql)
  return [
    ...findingsOf(state, environment, yield* inIt(clockSkew)),
    ...(yield* poolerCheck(url, environment)),
    ...(yield* inIt(migrations))
  ]
}, Effect.scoped)

const CHECK_URL =
  "Check the host, port, user, password and database in DATABASE_URL, and that the server (of several, the primary) accepts connections from here."
const CHECK_EMBEDDED = "Check the service's log, and postgres/server.log in the data directory."

const STOPPED = ok("The embedded PostgreSQL is not running. It starts and stops with the service.")

/** Checks the database: that it answers, takes writes, is new enough and agrees about the time. */
export const databaseCheck = (environment: Environment) => {
  const check = (url: Redacted.Redacted, advice: string) =>
    asked(url, environment).pipe(
      Effect.provide(Reactivity.layer),
      Effect.catchTag("SqlError", (error) =>
        Effect.succeed([fault(`It cannot be used: ${databaseReason(error)}.`, advice)])
      )
    )
  return Option.match(environment.DATABASE_URL, {
    onSome: (url) => within("database", check(url, CHECK_URL), CHECK_URL),
    onNone: () =>
      within(
        "database",
        Effect.flatMap(
          runningDatabase(environment.PENNYPRESS_DATA, NAME),
          Option.match({
            onSome: (url) => check(url, CHECK_EMBEDDED),
            onNone: () => Effect.succeed([STOPPED])
          })
        ),
        CHECK_EMBEDDED
      )
  })
}
