import * as PgConnection from "@effect/sql-pg/PgConnection"
import { type Duration, Effect, type Redacted } from "effect"
import { serverOptions } from "./serverOptions.ts"
import { writableUrl } from "./writableHost.ts"

/**
 * Returns true when a pooler, such as PgBouncer, answers at a URL. Each connection begins with the number of a process,
 * for cancellations. A pooler names one of its own, and statements run in another.
 */
export const isPooled = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  connectTimeout: Duration.Input = "5 seconds"
) {
  const connection = yield* PgConnection.make({
    ...(yield* serverOptions(yield* writableUrl(url))),
    applicationName: "pennypress",
    // A statement of a multiplexed connection is given up immediately. Another one would wait for a silent server.
    multiplex: true,
    connectTimeout
  })
  const { rows } = yield* connection.query("select pg_backend_pid() as pid", [], false)
  return rows[0]?.["pid"] !== connection.processId
}, Effect.scoped)
