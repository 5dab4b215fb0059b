import type { RangeVar } from "libpg-query"

/** The requests on a relation that wait for a lock of each mode. */
export const WAITING = {
  "share update exclusive": "nothing",
  "row exclusive": "nothing",
  share: "writes",
  "share row exclusive": "writes",
  "access exclusive": "reads and writes"
} as const

export interface Lock {
  /** The table, view or index. */
  readonly relation: string
  readonly mode: keyof typeof WAITING
  /** The work of PostgreSQL meanwhile; null if it takes a moment. */
  readonly work: string | null
  /** Advice for a statement whose work grows with the table; null if nothing waits for it. */
  readonly instead: string | null
}

/** Returns a lock of a relation. */
export const lock = (
  relation: RangeVar | string | undefined,
  mode: Lock["mode"],
  work: string | null = null,
  instead: string | null = null
): Lock => ({
  relation: typeof relation === "string" ? relation : (relation?.relname ?? "?"),
  mode,
  work,
  instead
})

/** The work of an index that is not built `concurrently`. */
export const BUILDS = "builds an index"
