import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as Database from "../../../layers/postgres/Database.ts"
import { freshDatabase } from "../../support/Database.ts"

/**
 * Two assemblies of the same layers over one fresh database of this name, each with a pool of its own, as two processes
 * have them. They end with the scope.
 */
export const twoProcesses = <A, E>(name: string, assembly: Layer.Layer<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(name)
    const start = Layer.build(Layer.fresh(assembly.pipe(Layer.provideMerge(Database.layer({ url })))))
    return yield* Effect.all([start, start])
  }).pipe(Effect.orDie)
