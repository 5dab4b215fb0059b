import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Redacted } from "effect"
import { serverOptions } from "../postgres/serverOptions.ts"
import { writableUrl } from "../postgres/writableHost.ts"

/** Connects once to the database of a URL, on its host that takes writes, until the end of the scope. */
export const oneConnection = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  return yield* PgClient.make({
    ...(yield* serverOptions(yield* writableUrl(url))),
    maxConnections: 1,
    connectTimeout: "5 seconds"
  })
})
