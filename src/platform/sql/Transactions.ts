import { Context, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"

/**
 * Runs the repository calls of one write as one transaction, which saves all of them or none. A failure of the database
 * is a defect, as in the repositories. The error families answer 503 when the database is away.
 */
export class Transactions extends Context.Service<
  Transactions,
  {
    /** Runs the effect as one transaction. A failure rolls back all that it wrote. */
    readonly run: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Runs the effect as one transaction that commits even when the effect fails, then fails with its error. Use it
     * where a refusal must leave a trace, such as a counted try. A defect or an interruption still rolls back, and so
     * does the failure of a transaction around this one.
     */
    readonly runKeeping: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs the effect once the surrounding transaction has committed, or at once without one; never after a rollback. */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("pennypress/platform/sql/Transactions") {
  static readonly layer = Layer.effect(
    Transactions,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        sql.withTransaction(effect).pipe(
          Effect.catch(
            Effect.fnUntraced(function* (error: E | SqlError.SqlError) {
              if (SqlError.isSqlError(error)) return yield* Effect.die(error)
              return yield* Effect.fail(error)
            })
          )
        )

      return Transactions.of({
        run,
        runKeeping: (effect) => Effect.flatMap(run(Effect.result(effect)), Effect.fromResult),
        afterCommit: sql.afterCommit
      })
    })
  )
}
