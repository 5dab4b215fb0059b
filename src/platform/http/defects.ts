import { Cause, Effect } from "effect"
import { InternalError, Unavailable } from "../../../schemas/platform/errors/common.ts"
import { DependencyUnavailable } from "../ports/DependencyUnavailable.ts"
import { unavailableDependency } from "../sql/unavailable.ts"

/**
 * Returns the error that a caller gets instead of an internal one. The answer hides the internal error, so the log
 * records it.
 */
export const hidden = Effect.fnUntraced(function* (
  error: unknown,
  cause: Cause.Cause<unknown>
): Effect.fn.Return<InternalError | Unavailable> {
  const dependency = unavailableDependency(error)
  if (dependency === undefined) {
    yield* Effect.logError("A request crashed", cause)
    return new InternalError()
  }
  yield* Effect.annotateLogs(Effect.logWarning("A dependency is unavailable", cause), { dependency })
  return new Unavailable(
    error instanceof DependencyUnavailable && error.detail !== undefined ? { detail: error.detail } : {}
  )
})

/** Fails with the error that a caller gets for a defect. */
export const hideDefect = (defect: unknown) =>
  Effect.flatMap(hidden(defect, Cause.die(defect)), (error) => Effect.fail(error))
