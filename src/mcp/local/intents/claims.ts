import { Effect } from "effect"
import { marked } from "../failures/marked.ts"
import type { Transaction } from "../ports/StateStore.ts"
import { findIntent, type Intent, leaseIntent, readIntent, secondsOfIntent } from "../state/intents.sql.ts"

/** Milliseconds for which an equal call without an id counts as a repeat. */
const SAME_CALL_MILLIS = 600_000

/** A call, before its intent is found or made. */
export interface Call<Args> {
  readonly id: string
  /** True for an id of the caller's own making. */
  readonly isNamed: boolean
  readonly args: Args
  readonly digest: string
  readonly lease: string
}

/** Returns the failure of a call whose intent another process has, with the seconds until that one counts as dead. */
export const inProgress = (tx: Transaction, id: string) =>
  marked("intent-in-progress", { operationId: id, retryAfterSeconds: secondsOfIntent(tx, id) ?? 1 })

/** Returns true when an intent was found. */
export const isIntent = (found: Intent | undefined): found is Intent => found !== undefined

/**
 * Finds the intent of a call and takes its lease. Fails if the intent belongs to another call, or another process has
 * it.
 */
export const claimed = Effect.fnUntraced(function* (
  tx: Transaction,
  { digest, id, isNamed, lease }: Call<unknown>
) {
  const found = isNamed ? readIntent(tx, id) : findIntent(tx, digest, tx.now - SAME_CALL_MILLIS)
  if (!isIntent(found)) return undefined
  if (found.digest !== digest) return yield* marked("intent-mismatch")
  if (found.phase !== "complete" && !leaseIntent(tx, found.id, lease)) {
    return yield* inProgress(tx, found.id)
  }
  return found
})
