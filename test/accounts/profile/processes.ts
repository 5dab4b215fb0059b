import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { freshDatabase, pool } from "../../support/Database.ts"

/**
 * Builds the same layers twice over one fresh database of this name. Each assembly has its own pool, as two processes
 * do. Both end with the scope.
 */
export const twoProcesses = <A, E>(name: string, assembly: Layer.Layer<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const url = yield* freshDatabase(name)
    const start = Layer.build(Layer.fresh(assembly.pipe(Layer.provideMerge(pool(url)))))
    return yield* Effect.all([start, start])
  }).pipe(Effect.orDie)
