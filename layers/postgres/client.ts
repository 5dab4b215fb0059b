import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Cause, Context, Effect } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { IsSearch } from "../../src/platform/ports/IsSearch.ts"
import { makePool, type PoolOptions } from "./pool.ts"

/**
 * Makes the two pools of a server. Searches have a pool of their own: a slow one takes neither the connections of other
 * statements nor a place before them. `suffix` tells the pools of another server apart.
 */
export const makePools = Effect.fnUntraced(function* (
  options: PoolOptions,
  searchOptions: PoolOptions,
  suffix = ""
) {
  const requests = yield* makePool(`requests${suffix}`, options)
  const searches = yield* makePool(`searches${suffix}`, searchOptions)
  return { requests, searches }
})

/** The pools of one server. */
export interface Pools extends Effect.Success<ReturnType<typeof makePools>> {}

/** The pools of statements outside of transactions; undefined stands for those of the primary. */
export const PoolsOfReads = Context.Reference<Pools | undefined>("pennypress/layers/postgres/PoolsOfReads", {
  defaultValue: () => undefined
})

/** Makes a client over the pools of the primary, like `PgClient.make` over one pool. */
export const makeClient = Effect.fnUntraced(function* (options: PoolOptions, searchOptions: PoolOptions) {
  const primary = yield* makePools(options, searchOptions)
  const pool = primary.requests

  const borrower: SqlConnection.Borrower = (use) =>
    Effect.withFiber((fiber) => {
      const pools = fiber.getRef(PoolsOfReads) ?? primary
      return pools[fiber.getRef(IsSearch) ? "searches" : "requests"].borrower(use)
    })

  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer: pool.acquirer,
    borrower,
    transactionAcquirer: pool.exclusive,
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    compiler: PgClient.makeCompiler(),
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const { withTransaction } = client
  return Object.assign(client, {
    withTransaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => failAsRollback(withTransaction(effect))
  })
})

/** Returns how the rollback of a failed transaction failed, too, as it does without the connection. */
const rollbackErrorOf = ({ reasons }: Cause.Cause<unknown>) => {
  const last = reasons.length > 1 ? reasons.at(-1) : undefined
  return last !== undefined && Cause.isDieReason(last) && SqlError.isSqlError(last.defect)
    ? last.defect
    : undefined
}

/** Fails with the error of a rollback alone. A failure that comes with a defect meets no handler. */
const failAsRollback = <A, E, R>(transaction: Effect.Effect<A, E | SqlError.SqlError, R>) =>
  Effect.catchCause(transaction, (cause): Effect.Effect<never, E | SqlError.SqlError> => {
    const error = rollbackErrorOf(cause)
    return error === undefined ? Effect.failCause(cause) : Effect.fail(error)
  })

/** Commits. Fails when PostgreSQL answers with `ROLLBACK`, as it does for a failed transaction, without an error. */
const commit = (connection: SqlConnection.Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    (result as PgConnection.Result).command === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("The transaction had failed"),
              message: "COMMIT rolled back a transaction that had failed",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )
