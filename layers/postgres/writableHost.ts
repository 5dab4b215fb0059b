import { connect } from "node:net"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Cause, Effect, Redacted, Result } from "effect"
import type { SqlError } from "effect/sql"
import { type Host, type Hosts, parseHosts } from "../config/hosts.ts"
import { noConnection } from "./connectionErrors.ts"
import { databaseReason } from "./databaseReason.ts"
import { serverOptions } from "./serverOptions.ts"

/** Time that a host has to accept a connection and to say whether it takes writes. */
const PATIENCE_MILLIS = 1_500

/**
 * Lead of each host over the next one. The first host that takes writes is used when it says so in this time, and a dead
 * one costs a connection no more than this.
 */
const LEAD_MILLIS = 100

const hostsOf = (url: Redacted.Redacted): Effect.Effect<Hosts, SqlError.SqlError> =>
  Result.match(parseHosts(Redacted.value(url)), {
    onSuccess: Effect.succeed,
    onFailure: (reason) => Effect.fail(noConnection(`The URL of the database cannot be used: ${reason}`))
  })

/** Succeeds when a host takes writes. A standby does not, nor does a server that its operator made read-only. */
const takesWrites = (host: Host) =>
  Effect.gen(function* () {
    // A statement of a multiplexed connection is given up immediately. Another one would wait for its answer.
    const connection = yield* PgConnection.make({
      ...(yield* serverOptions(host.url)),
      applicationName: "pennypress",
      multiplex: true
    })
    const { rows } = yield* connection.query(
      "select current_setting('transaction_read_only')::boolean as is_read_only",
      [],
      false
    )
    if (rows[0]?.["is_read_only"] !== false) return yield* noConnection("it does not accept writes")
    return host
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: PATIENCE_MILLIS,
      orElse: () => Effect.fail(noConnection("it does not answer"))
    })
  )

/** Returns the first host that takes writes. */
const choose = (hosts: Hosts) =>
  Effect.raceAll(hosts.all.map((host, at) => Effect.delay(takesWrites(host), at * LEAD_MILLIS))).pipe(
    Effect.catchCause((cause) => {
      const reasons = cause.reasons.filter(Cause.isFailReason).map(({ error }) => databaseReason(error))
      return Effect.fail(noConnection(`No host accepts writes: ${reasons.join("; ")}`))
    })
  )

/** Time without a word after which the system asks whether the server is there. */
const KEEP_ALIVE_MILLIS = 30_000

/** Begins a connection to a host. */
export const socketTo = ({ name, port }: Host) =>
  name.startsWith("/")
    ? connect({ path: `${name}/.s.PGSQL.${port}` })
    : connect({ host: name, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MILLIS })

/** Returns the effect that chooses the host of a connection: the first of a URL that takes writes when it runs. */
export const hostOf = (url: Redacted.Redacted) =>
  Effect.flatMap(hostsOf(url), (hosts) =>
    hosts.isChosen
      ? // Connections that open together ask together.
        Effect.cachedWithTTL(choose(hosts), 0)
      : Effect.succeed(Effect.succeed(hosts.all[0]))
  )

/** Returns the URL of the first host that takes writes. A URL of one host is returned unasked. */
export const writableUrl = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  return (yield* yield* hostOf(url)).url
})
