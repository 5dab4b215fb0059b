import { SqlError } from "effect/sql"
import { DependencyUnavailable } from "../ports/DependencyUnavailable.ts"

/**
 * What the driver has no reason of its own for. SQLSTATE class 53 is a server without resources (too many connections),
 * 57P one that stops, was stopped or starts; and a connection that was not made is away whatever its code says.
 */
const isServerAway = ({ cause, operation }: SqlError.SqlErrorReason) =>
  operation === "connect" || /^(53|57P)/.test(String((cause as { readonly code?: unknown } | null)?.code))

/**
 * What an operation needed and did not get, or undefined for any other defect. The database is away, starting, too slow
 * or in conflict with itself, or something else does not answer: nothing was saved, and the same request may succeed
 * later.
 */
export const unavailableDependency = (defect: unknown): string | undefined => {
  if (defect instanceof DependencyUnavailable) return defect.dependency
  const isAway = SqlError.isSqlError(defect) && (defect.isRetryable || isServerAway(defect.reason))
  return isAway ? "database" : undefined
}
