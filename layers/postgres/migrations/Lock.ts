import type { RangeVar } from "libpg-query"

/** What requests on the relation wait for a lock of this mode. */
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
  /** What PostgreSQL does meanwhile; null for what is done in a moment. */
  readonly work: string | null
  /** What to write instead of a statement whose work grows with the table; null if nothing waits for it. */
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
