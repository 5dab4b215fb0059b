import { Effect, Layer } from "effect"
import { type Environment, readEnvironment } from "../../layers/config/environment.ts"
import { observability } from "../../layers/observability.ts"
import { embeddedDatabase } from "./server/embedded.ts"
import { startPhase } from "./server/startPhase.ts"

const serveModule = Effect.promise(() => import("./server/serve.ts")).pipe(
  Effect.tap(startPhase("modules of the service"))
)

/** Serves. The embedded database starts while the service's modules load. */
const served = Effect.fnUntraced(function* (environment: Environment) {
  yield* startPhase("modules of the program")
  const [embedded, { serve }] = yield* Effect.all(
    [Effect.tap(embeddedDatabase(environment), startPhase("embedded database")), serveModule],
    { concurrency: "unbounded" }
  )
  return yield* Layer.launch(serve(environment, {}, { embedded }))
}, Effect.scoped)

/** Migrates the database and serves until it is told to stop. */
export const serveProgram = Effect.flatMap(readEnvironment, (environment) =>
  Effect.provide(served(environment), observability(environment))
)
