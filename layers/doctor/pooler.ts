import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Option, type Redacted } from "effect"
import type { Environment } from "../config/environment.ts"
import { databaseReason } from "../postgres/databaseReason.ts"
import { isPooled } from "../postgres/pooler.ts"
import { serverOptions } from "../postgres/serverOptions.ts"
import { writableUrl } from "../postgres/writableHost.ts"
import { about, type Finding } from "./Finding.ts"

const { fault, warning } = about("database")

const NAME_SERVER =
  "Set DATABASE_DIRECT_URL to the PostgreSQL server itself, not the pooler, with the same database."

/** Makes the settings of each connection from a pooler to the server, in `pgbouncer.ini`. */
const CONNECT_QUERY =
  "connect_query='set client_connection_check_interval = 250; set idle_in_transaction_session_timeout = 30000'"

/** Identifies the running server and its database, and reads a setting that poolers do not pass on. */
const identity = `select pg_postmaster_start_time()::text || ' ' ||
    (select oid from pg_database where datname = current_database()) as place,
  current_setting('client_connection_check_interval') as interval`

const identityOf = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const connection = yield* PgConnection.make({
    ...(yield* serverOptions(yield* writableUrl(url))),
    connectTimeout: "5 seconds"
  })
  const { rows } = yield* connection.query(identity, [], false)
  return { place: rows[0]?.["place"], interval: rows[0]?.["interval"] }
}, Effect.scoped)

const directCheck = (place: unknown, direct: Redacted.Redacted) =>
  Effect.gen(function* () {
    const server = yield* identityOf(direct)
    if (server.place !== place)
      return [fault("DATABASE_DIRECT_URL and DATABASE_URL lead to different databases.", NAME_SERVER)]
    return (yield* isPooled(direct))
      ? [
          warning(
            "DATABASE_DIRECT_URL leads to a pooler, so signals between processes may get lost.",
            NAME_SERVER
          )
        ]
      : []
  }).pipe(
    Effect.catch((error) =>
      Effect.succeed([
        fault(
          `The server of DATABASE_DIRECT_URL cannot be used: ${databaseReason(error)}.`,
          "Check its host, port, user, password and database, and that it accepts connections from here."
        )
      ])
    )
  )

/** Finds a pooler between the service and its database, and what the service needs past one. */
export const poolerCheck = Effect.fnUntraced(function* (url: Redacted.Redacted, environment: Environment) {
  const pooled = yield* isPooled(url)
  const { interval, place } = yield* identityOf(url)
  const found: Array<Finding> = []
  if (Option.isSome(environment.DATABASE_DIRECT_URL))
    found.push(...(yield* directCheck(place, environment.DATABASE_DIRECT_URL.value)))
  else if (pooled)
    found.push(
      warning(
        "DATABASE_URL leads to a pooler, so signals between processes may get lost. Without them, public answers are not cached.",
        NAME_SERVER
      )
    )
  if (pooled && interval === "0")
    found.push(
      warning(
        "When a process dies, the server still finishes its statements behind the pooler, and holds their locks until then.",
        `In pgbouncer.ini, add ${CONNECT_QUERY} to the line of the database.`
      )
    )
  return found
})
