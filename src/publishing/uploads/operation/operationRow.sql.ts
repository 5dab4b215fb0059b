import type { SqlClient } from "effect/sql"
import { VARIANT_WIDTHS } from "../../../../schemas/publishing/uploads/limits.ts"
import type { Settlement } from "./settlement.ts"

/**
 * SQL of the condition that the smaller copies of a still image of the table `u` have not been made. An animation would stop
 * in a smaller copy, so it has none.
 */
export const isUnscaled = `u.variants is null and u.frames = 1 and u.width >= ${VARIANT_WIDTHS[0]}`

/** Columns of an `Operation` of the table `u`. */
export const operationColumns = `
  u.id, u.owner_id, u.target_kind, u.target_id, u.target_key, u.file_name, u.created_at, u.state, u.next_task, u.due_at,
  u.attempts, u.upload_attempts, u.retries, u.failures, u.desired, u.staged_bytes, u.format,
  encode(u.sha256, 'hex') as sha256, u.public_url, u.next_pixels, u.heavy as is_heavy, coalesce(${isUnscaled}, false) as is_unscaled`

/** Returns the values of columns that a settlement changes; those that it leaves are undefined. */
const changesOf = ({ copy, decided, received, ...it }: Settlement): Readonly<Record<string, unknown>> => {
  const publicCopy = copy ?? received?.file.copy ?? undefined
  return {
    state: it.state,
    next_task: it.next_task,
    due_at: it.due_at,
    attempts: it.attempts,
    upload_attempts: it.upload_attempts,
    retries: it.retries,
    failures: it.failures,
    desired: it.desired,
    held: it.held,
    staged_bytes: it.staged_bytes,
    last_error: it.last_error,
    detail: it.detail,
    public_url: publicCopy?.public_url,
    public_size: publicCopy?.public_size,
    variants: it.variants && JSON.stringify(it.variants),
    received_at: received?.at,
    format: received?.file.format,
    byte_size: received?.file.byte_size,
    sha256: received === undefined ? undefined : Buffer.from(received.file.sha256, "hex"),
    width: received?.file.width,
    height: received?.file.height,
    frames: received?.file.frames,
    ...verdictOf(decided)
  }
}

/** Returns the columns of a verdict: all null when it is taken back. */
const verdictOf = (decided: Settlement["decided"]) => {
  if (decided === undefined) return {}
  const none = {
    verdict: null,
    decided_at: null,
    engine: null,
    definitions_version: null,
    known_material_version: null,
    finding: null
  }
  if (decided === null) return none
  const { record, verdict } = decided.decision
  return { ...none, ...record, verdict, decided_at: decided.at }
}

/** Returns the assignments of an `update` that writes a settlement. */
export const assignments = (sql: SqlClient.SqlClient, settlement: Settlement) =>
  sql.csv(
    Object.entries(changesOf(settlement))
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => sql`${sql.literal(column)} = ${value}`)
  )
