import * as PgClient from "@effect/sql-pg/PgClient"
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
import { writableUrl } from "../postgres/writableHost.ts"
import { about, type Finding, within } from "./Finding.ts"
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
          `Its encoding is ${state.encoding}.`,
          `Create another one with "create database … encoding 'UTF8' template template0".`
        )
      ]),
  ...(state.is_read_only
    ? [
        fault(
          "It takes no writes.",
          "Name the primary in DATABASE_URL. If this is the primary, look for a full disk, or for default_transaction_read_only."
        )
      ]
    : []),
  ...(state.synchronous_commit === "off"
    ? [
        warning(
          "synchronous_commit is off: a crash of the server loses what it acknowledged just before, payments too.",
          "Set synchronous_commit to on, at least for this database."
        )
      ]
    : []),
  ...(state.connections < environment.DATABASE_POOL_SIZE + OUTSIDE_POOL
    ? [
        warning(
          `It allows ${state.connections} connections, and one process may use ${environment.DATABASE_POOL_SIZE + OUTSIDE_POOL}.`,
          "Raise max_connections of the server, or lower DATABASE_POOL_SIZE."
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
        `It is at migration ${database}, and the next start runs those up to ${code}. "pennypress migrate --plan" shows them.`
      )
    ]
  if (database === code) return []
  const newer = `A newer release migrated it: it is at migration ${database}, and this release knows none after ${code}`
  return [
    (yield* toleratesNewer)
      ? ok(`${newer}, but works with it.`)
      : fault(`${newer}.`, "Run the release that migrated it, or a newer one.")
  ]
})

const asked = Effect.fnUntraced(function* (url: Redacted.Redacted, environment: Environment) {
  const sql = yield* PgClient.make({
    url: yield* writableUrl(url),
    maxConnections: 1,
    connectTimeout: "5 seconds"
  })
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
  "Check host, port, user, password and database of DATABASE_URL, and that the server, or the primary among several, accepts connections from here."
const CHECK_EMBEDDED =
  "Look at the log of the service, and at server.log in the folder postgres of the data directory."

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
