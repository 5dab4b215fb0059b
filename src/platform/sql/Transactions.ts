import { Context, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"

/**
 * Runs the repository calls of one write as one transaction: all of them happen, or none. A failure of the database
 * is a defect here as in the repositories; the families answer 503 for one that is away.
 */
export class Transactions extends Context.Service<
  Transactions,
  {
    readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs this once the surrounding transaction has committed, or at once when there is none; never if it fails. */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("pennypress/platform/sql/Transactions") {
  static readonly layer = Layer.effect(
    Transactions,
    Effect.map(SqlClient.SqlClient, (sql) =>
      Transactions.of({
        run: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          sql.withTransaction(effect).pipe(
            Effect.catch(
              Effect.fnUntraced(function* (error: E | SqlError.SqlError) {
                if (SqlError.isSqlError(error)) return yield* Effect.die(error)
                return yield* Effect.fail(error)
              })
            )
          ),
        afterCommit: sql.afterCommit
      })
    )
  )
}
