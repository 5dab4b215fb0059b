import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Readiness } from "../../src/platform/ports/Readiness.ts"

/** Time within which a ready database answers. */
const PATIENCE = "1 second"

/** Ready while the database answers. */
export const layer = Layer.effect(
  Readiness,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Readiness.of({
      check: sql`select 1`.pipe(
        Effect.timeout(PATIENCE),
        Effect.as([]),
        Effect.orElseSucceed(() => ["database"])
      )
    })
  )
)
