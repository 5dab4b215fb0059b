import { Cause, Effect } from "effect"
import { InternalError, Unavailable } from "../../../schemas/platform/errors/common.ts"
import { unavailableDependency } from "../sql/unavailable.ts"

/** Logs a request that was answered 503. */
export const logUnavailable = (dependency: string, cause: Cause.Cause<unknown>) =>
  Effect.annotateLogs(Effect.logWarning("A dependency is unavailable", cause), { dependency })

/** Fails with the error that a caller gets for a defect. The answer hides the defect, so the log records it. */
export const hideDefect = Effect.fnUntraced(function* (
  defect: unknown
): Effect.fn.Return<never, InternalError | Unavailable> {
  const dependency = unavailableDependency(defect)
  if (dependency !== undefined) {
    yield* logUnavailable(dependency, Cause.die(defect))
    return yield* new Unavailable()
  }
  yield* Effect.logError("A request died", Cause.die(defect))
  return yield* new InternalError()
})
