import { Effect, Layer, Option } from "effect"
import type { Environment } from "../../../layers/config/environment.ts"
import { makeDataDirectory } from "../../../layers/files/dataDirectory.ts"
import { databaseOfServer } from "../../../layers/postgres/embedded/database.ts"
import { EmbeddedPostgres } from "../../../layers/postgres/embedded/EmbeddedPostgres.ts"

/** Starts the embedded database and returns its URL; undefined with `DATABASE_URL`. It stops with the scope. */
export const embeddedDatabase = Effect.fnUntraced(function* (environment: Environment) {
  if (Option.isSome(environment.DATABASE_URL)) return undefined
  const dataDirectory = environment.PENNYPRESS_DATA
  yield* makeDataDirectory(dataDirectory)
  const server = yield* Layer.build(EmbeddedPostgres.layer({ dataDirectory }))
  return yield* Effect.provide(databaseOfServer, server)
})
