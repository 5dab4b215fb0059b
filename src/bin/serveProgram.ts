import { Effect, Layer, Option } from "effect"
import { type Environment, readEnvironment } from "../../layers/config/environment.ts"
import { makeDataDirectory } from "../../layers/files/dataDirectory.ts"
import { observability } from "../../layers/observability.ts"
import { OUTSIDE_POOL } from "../../layers/postgres/connectionCounts.ts"
import { databaseOfServer } from "../../layers/postgres/embedded/database.ts"
import { EmbeddedPostgres } from "../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { VERSION } from "../version.ts"
import { startPhase } from "./server/startPhase.ts"

/** Connections of PostgreSQL by default. */
const CONNECTIONS = 100

/** Connections for commands and people. */
const SPARE = 10

const connectionsFor = ({ DATABASE_POOL_SIZE }: Environment) =>
  Math.max(CONNECTIONS, DATABASE_POOL_SIZE + OUTSIDE_POOL + SPARE)

/** Starts the embedded database and returns its URL; undefined with `DATABASE_URL`. It stops with the scope. */
const embeddedDatabase = Effect.fnUntraced(function* (environment: Environment) {
  if (Option.isSome(environment.DATABASE_URL)) return undefined
  const dataDirectory = environment.PENNYPRESS_DATA
  yield* makeDataDirectory(dataDirectory)
  const settings = { max_connections: String(connectionsFor(environment)) }
  const server = yield* Layer.build(EmbeddedPostgres.layer({ dataDirectory, settings }))
  return yield* Effect.provide(databaseOfServer, server)
})

const serveModule = Effect.promise(() =>
  Promise.all([import("./server/serve.ts"), import("../../layers/live.ts")])
).pipe(Effect.tap(startPhase("modules of the service")))

/** Serves. The embedded database starts while the service's modules load. */
const served = Effect.fnUntraced(function* (environment: Environment) {
  yield* startPhase("modules of the program")
  const [embedded, [{ serve }, { processLocks }]] = yield* Effect.all(
    [Effect.tap(embeddedDatabase(environment), startPhase("embedded database")), serveModule],
    { concurrency: "unbounded" }
  )
  const { heldNoMore } = yield* processLocks(environment, embedded)
  return yield* Effect.raceFirst(Layer.launch(serve(environment, {}, { embedded })), heldNoMore)
}, Effect.scoped)

/** Migrates the database and serves until a signal stops it, which is its regular end. */
export const serveProgram = Effect.flatMap(readEnvironment, (environment) =>
  Effect.provide(served(environment), observability(environment, VERSION))
).pipe(Effect.onInterrupt(() => Effect.sync(() => (process.exitCode = 0))))
