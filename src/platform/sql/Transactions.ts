import { Context, Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"

/** Effects that wait for the end of the present transaction; undefined outside of one. */
const Ends = Context.Reference<Array<Effect.Effect<void>> | undefined>("pennypress/platform/sql/Ends", {
  defaultValue: () => undefined
})

/**
 * Runs the statements of one write as one transaction, which saves all of them or none. A failure of the database is a
 * defect, as it is of a statement. The error families answer 503 when the database is unavailable.
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
    /** Runs the effect once the outermost transaction has ended, however it ended, or at once without one. */
    readonly atEnd: (effect: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("pennypress/platform/sql/Transactions") {
  static readonly layer = Layer.effect(
    Transactions,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const transaction = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        sql.withTransaction(effect).pipe(
          Effect.catch(
            Effect.fnUntraced(function* (error: E | SqlError.SqlError) {
              if (SqlError.isSqlError(error)) return yield* Effect.die(error)
              return yield* Effect.fail(error)
            })
          )
        )

      /** Runs the outermost transaction, and after it the effects that wait for its end. */
      const outermost = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const ends: Array<Effect.Effect<void>> = []
          return transaction(effect).pipe(
            Effect.provideService(Ends, ends),
            Effect.onExit(() => (ends.length === 0 ? Effect.void : Effect.all(ends, { discard: true })))
          )
        })

      const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.flatMap(Ends, (ends) => (ends === undefined ? outermost(effect) : transaction(effect)))

      return Transactions.of({
        run,
        atEnd: (effect) =>
          Effect.flatMap(Ends, (ends) =>
            ends === undefined ? effect : Effect.sync(() => void ends.push(effect))
          ),
        runKeeping: (effect) => Effect.flatMap(run(Effect.result(effect)), Effect.fromResult),
        afterCommit: sql.afterCommit
      })
    })
  )
}
