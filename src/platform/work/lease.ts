import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { NextDue } from "./dueWork.ts"

/**
 * Names one claim of one row. `attempts` grows with each claim and so fences the row. A process whose lease ended can
 * no longer change a row that another process claimed.
 */
export interface Lease {
  readonly id: string
  readonly attempts: number
}

/** The lease ended, or its row was changed or taken away: nothing more may be written under it, and the transaction is undone. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** Asks for rows that are due. */
export interface Claim {
  readonly at: Date
  /** End of the lease: from then on another process may claim the row. */
  readonly leaseUntil: Date
  /** The most rows to claim. */
  readonly limit: number
}

/** The rows of a table that are work. Give the table an index on `due_at` with the same condition. */
export interface WorkQueue {
  readonly table: string
  /** The SQL of the condition; every row is work without one. */
  readonly condition?: string
  /**
   * True for a table with `leased_until`. Then a claim leaves `due_at` as it is, so that making a row due during its lease
   * neither ends the lease nor is lost. Give the table an index on the greater one of the two.
   */
  readonly isLeasedApart?: boolean
}

const dueColumn = ({ isLeasedApart = false }: WorkQueue) =>
  isLeasedApart ? "greatest(due_at, leased_until)" : "due_at"

/** The time when the next row of a queue is due. */
export const nextDueOf =
  ({ condition = "true", ...queue }: WorkQueue): NextDue =>
  (sql) =>
    sql`(select min(${sql.literal(dueColumn(queue))}) from ${sql(queue.table)} where ${sql.literal(condition)})`

/**
 * Returns the SQL of leased work on a table with `id`, `due_at timestamptz` and `attempts int4`. A row waits until
 * `due_at`; a claim moves `due_at` to the end of the lease, so that a process that dies loses no row.
 *
 * ```ts
 * claim: (claim) => many("claim", ClaimedMail)`
 *   with ${due(claim)}
 *   update mails m set ${leased(claim)} from due where m.id = due.id
 *   returning m.id, m.attempts, m.recipient`,
 * complete: (lease) => changed("complete")`delete from mails where ${held(lease)}`,
 * release: (lease, dueAt) => changed("release")`update mails set due_at = ${dueAt} where ${held(lease)}`
 * ```
 */
export const leases = (sql: SqlClient.SqlClient, { condition = "true", ...queue }: WorkQueue) => ({
  /**
   * The common table expression `due`: ids of rows that are due, oldest first, locked for the claiming statement. Rows
   * that another process is claiming are skipped. `mayClaim` is a further condition of this claim.
   */
  due: ({ at, limit }: Claim, mayClaim = sql`true`) => sql`
    due as materialized (
      select id from ${sql(queue.table)}
      where ${sql.literal(dueColumn(queue))} <= ${at} and ${sql.literal(condition)} and ${mayClaim}
      order by ${sql.literal(dueColumn(queue))} limit ${limit} for update skip locked
    )`,
  /** The assignments of a claim. */
  leased: ({ leaseUntil }: Claim) =>
    sql`${sql.literal(queue.isLeasedApart === true ? "leased_until" : "due_at")} = ${leaseUntil}, attempts = attempts + 1`,
  /** The condition that a row is still in this lease. */
  held: ({ attempts, id }: Lease) => sql`id = ${id} and attempts = ${attempts}`
})
