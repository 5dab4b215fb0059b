import { connect, isIP } from "node:net"
import { PassThrough } from "node:stream"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Cause, Effect, Redacted, Result } from "effect"
import { SqlError } from "effect/sql"
import { type Host, type Hosts, parseHosts } from "../config/hosts.ts"
import { databaseReason } from "./databaseReason.ts"

/** Time that a host has to accept a connection and to say whether it takes writes. */
const PATIENCE_MILLIS = 1_500

/**
 * Lead of each host over the next one. The first host that takes writes is used when it says so in this time, and a dead
 * one costs a connection no more than this.
 */
const LEAD_MILLIS = 100

const noHost = (message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "connect" })
  })

const hostsOf = (url: Redacted.Redacted): Effect.Effect<Hosts, SqlError.SqlError> =>
  Result.match(parseHosts(Redacted.value(url)), {
    onSuccess: Effect.succeed,
    onFailure: (reason) => Effect.fail(noHost(`The URL of the database cannot be used: ${reason}`))
  })

/** Succeeds when a host takes writes. A standby does not, nor does a server that its operator made read-only. */
const takesWrites = (host: Host) =>
  Effect.gen(function* () {
    // A statement of a multiplexed connection is given up at once. Another one would wait for its answer.
    const connection = yield* PgConnection.make({
      url: host.url,
      applicationName: "pennypress",
      multiplex: true
    })
    const { rows } = yield* connection.query(
      "select current_setting('transaction_read_only')::boolean as is_read_only",
      [],
      false
    )
    if (rows[0]?.["is_read_only"] !== false) return yield* noHost("it takes no writes")
    return host
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: PATIENCE_MILLIS,
      orElse: () => Effect.fail(noHost("it does not answer"))
    })
  )

/** Returns the first host that takes writes. */
const choose = (hosts: Hosts) =>
  Effect.raceAll(hosts.all.map((host, at) => Effect.delay(takesWrites(host), at * LEAD_MILLIS))).pipe(
    Effect.catchCause((cause) => {
      const reasons = cause.reasons.filter(Cause.isFailReason).map(({ error }) => databaseReason(error))
      return Effect.fail(noHost(`No host takes writes: ${reasons.join("; ")}`))
    })
  )

/** Returns the URL of the first host that takes writes. A URL of one host is returned unasked. */
export const writableUrl = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const hosts = yield* hostsOf(url)
  return hosts.isChosen ? (yield* choose(hosts)).url : hosts.all[0].url
})

/** Options of a connection that differ with its host. */
type Target = Pick<PgConnection.Config, "password" | "ssl" | "stream" | "url">

const socketOf = ({ name, port }: Host, keepAliveInitialDelay: number) =>
  name.startsWith("/")
    ? connect({ path: `${name}/.s.PGSQL.${port}` })
    : connect({ host: name, port, noDelay: true, keepAlive: true, keepAliveInitialDelay })

/**
 * Returns the options of connections that each lead to the first host of a URL that takes writes when they open. The
 * driver knows one host. It asks for the password before it opens each socket, which is when the host is chosen.
 */
export const writableTarget = Effect.fnUntraced(function* (url: Redacted.Redacted, keepAliveMillis: number) {
  const hosts = yield* hostsOf(url)
  const [first] = hosts.all
  if (!hosts.isChosen) return { url: first.url } satisfies Target
  // Connections that open together ask together.
  const chooseOnce = yield* Effect.cachedWithTTL(choose(hosts), 0)
  const parts = new URL(Redacted.value(first.url))
  const password = Redacted.make(parts.searchParams.get("password") ?? decodeURIComponent(parts.password))
  let chosen: Result.Result<Host, SqlError.SqlError> = Result.succeed(first)
  const name = () => (Result.isSuccess(chosen) ? chosen.success.name : first.name)
  const target: Target = {
    url: first.url,
    password: Effect.map(Effect.result(chooseOnce), (result) => {
      chosen = result
      return password
    }),
    stream: () =>
      Result.isSuccess(chosen)
        ? socketOf(chosen.success, keepAliveMillis)
        : new PassThrough().destroy(chosen.failure),
    // The driver reads these when it begins TLS: the certificate has to name the host that was chosen.
    ssl: /^(require|verify-)/u.test(parts.searchParams.get("sslmode") ?? "")
      ? {
          get host() {
            return name()
          },
          get servername() {
            return isIP(name()) === 0 ? name() : undefined
          }
        }
      : undefined
  }
  return target
})
