import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { DependencyUnavailable } from "../ports/DependencyUnavailable.ts"
import { IsSearch } from "../ports/IsSearch.ts"

const TOO_SLOW =
  "The search took too long: repeat it after Retry-After seconds, or use other words or filters"

const isTooSlow = (error: unknown) =>
  SqlError.isSqlError(error) && error.reason._tag === "StatementTimeoutError"

/**
 * Runs a statement whose cost depends on what a reader asks for, such as a search or a list with filters. No other statement
 * waits behind it. Dies as unavailable, with advice, when the database stops it after its timeout.
 */
export const asSearch = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  statement.pipe(
    Effect.catchIf(isTooSlow, () =>
      Effect.die(new DependencyUnavailable({ dependency: "search", detail: TOO_SLOW }))
    ),
    Effect.provideService(IsSearch, true)
  )
