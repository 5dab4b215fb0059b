import { Effect, Layer } from "effect"
import { type Environment, readEnvironment } from "../../layers/config/environment.ts"
import { observability } from "../../layers/observability.ts"
import { embeddedDatabase } from "./server/embedded.ts"
import { startPhase } from "./server/startPhase.ts"

const serveModule = Effect.promise(() => import("./server/serve.ts")).pipe(
  Effect.tap(startPhase("modules of the service"))
)

/** Serves in this process. The embedded database starts while the service's modules load. */
const serveAlone = Effect.fnUntraced(function* (environment: Environment) {
  const [embedded, { serve }] = yield* Effect.all(
    [Effect.tap(embeddedDatabase(environment), startPhase("embedded database")), serveModule],
    { concurrency: "unbounded" }
  )
  return yield* Layer.launch(serve(environment, {}, { embedded }))
}, Effect.scoped)

const servePrimary = Effect.fnUntraced(function* (environment: Environment) {
  const primary = yield* Effect.promise(() => import("./processes/primary.ts"))
  return yield* primary.servePrimary(environment)
})

const serveAs = Effect.fnUntraced(function* (environment: Environment) {
  yield* startPhase("modules of the program")
  return environment.PROCESSES === 1 ? yield* serveAlone(environment) : yield* servePrimary(environment)
})

/** Migrates the database and serves until it is told to stop, with as many processes as the environment says. */
export const serveProgram = Effect.flatMap(readEnvironment, (environment) =>
  Effect.provide(serveAs(environment), observability(environment))
)
