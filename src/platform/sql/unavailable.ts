import { SqlError } from "effect/sql"
import { DependencyUnavailable } from "../ports/DependencyUnavailable.ts"

/**
 * SQLSTATE codes that the driver does not classify. 25006 is a write to a standby, or to a server without space. Class 53
 * is a server without resources, such as too many connections. Class 57P is a server that stops or starts. 25P03 and
 * 25P04 end a transaction that took too long. A connection that failed to open counts as away with any code.
 */
const isServerAway = ({ cause, operation }: SqlError.SqlErrorReason) =>
  operation === "connect" ||
  /^(25006|25P0[34]|53|57P)/.test(String((cause as { readonly code?: unknown } | null)?.code))

/**
 * Returns the dependency that an operation missed, or undefined for any other defect. The database may be away,
 * starting, read-only, too slow or in conflict, or another dependency may not answer. Nothing was saved, and the same request may
 * succeed later.
 */
export const unavailableDependency = (defect: unknown): string | undefined => {
  if (defect instanceof DependencyUnavailable) return defect.dependency
  const isAway = SqlError.isSqlError(defect) && (defect.isRetryable || isServerAway(defect.reason))
  return isAway ? "database" : undefined
}
