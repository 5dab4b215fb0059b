import { Effect, Layer, Option } from "effect"
import type { Environment } from "../../../layers/config/environment.ts"
import { makeDataDirectory } from "../../../layers/files/dataDirectory.ts"
import { databaseOfServer } from "../../../layers/postgres/embedded/database.ts"
import { EmbeddedPostgres } from "../../../layers/postgres/embedded/EmbeddedPostgres.ts"

/** Connections of PostgreSQL by default. */
const CONNECTIONS = 100

/** Connections that a process needs in addition to its pool: four for searches, two listeners and the migrations. */
const BESIDE_POOL = 7

/** Connections for commands and people. */
const SPARE = 10

const connectionsFor = ({ DATABASE_POOL_SIZE }: Environment) =>
  Math.max(CONNECTIONS, DATABASE_POOL_SIZE + BESIDE_POOL + SPARE)

/** Starts the embedded database and returns its URL; undefined with `DATABASE_URL`. It stops with the scope. */
export const embeddedDatabase = Effect.fnUntraced(function* (environment: Environment) {
  if (Option.isSome(environment.DATABASE_URL)) return undefined
  const dataDirectory = environment.PENNYPRESS_DATA
  yield* makeDataDirectory(dataDirectory)
  const settings = { max_connections: String(connectionsFor(environment)) }
  const server = yield* Layer.build(EmbeddedPostgres.layer({ dataDirectory, settings }))
  return yield* Effect.provide(databaseOfServer, server)
})
