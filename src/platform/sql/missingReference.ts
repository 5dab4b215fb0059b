import { SqlError } from "effect/sql"

/** SQLSTATE of a foreign key without its row. */
const FOREIGN_KEY_VIOLATION = "23503"

/** Returns true for the failure of a statement that refers to a row which was deleted meanwhile. */
export const isMissingReference = (error: unknown) =>
  SqlError.isSqlError(error) &&
  error.reason._tag === "ConstraintError" &&
  (error.reason.cause as { readonly code?: unknown } | null)?.code === FOREIGN_KEY_VIOLATION
