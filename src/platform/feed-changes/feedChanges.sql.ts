import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { statements } from "../sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../work/lease.ts"

/** Maximum number of changes of one feed that one ping covers. */
const COVERED_MAX = 1_000

/** A change of a feed that this process holds a lease on. */
const ClaimedChange = Schema.Struct({
  id: Schema.String,
  attempts: Schema.Int,
  /** The path of the feed without the name of its format. */
  feed: Schema.String,
  /** All changes of the feed at the time of the claim: a later ping covers all of them. */
  covered: Schema.Array(Schema.String)
})
export type ClaimedChange = typeof ClaimedChange.Type

interface NewChange {
  readonly id: string
  readonly feed: string
}

export const feedChangeQueue: WorkQueue = { table: "feed_changes" }

/** Statements over `feed_changes`, the outbox of changed feeds. */
export const feedChangeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, run } = statements(sql, "feedChanges")
  const { due, held, leased } = leases(sql, feedChangeQueue)

  return {
    /** Puts changes into the outbox, due at once. */
    insert: (changes: ReadonlyArray<NewChange>, at: Date) => run("insert")`
      insert into feed_changes (id, feed, created_at, due_at)
      select id, feed, ${at}, ${at}
      from unnest(${changes.map(({ id }) => id)}::uuid[], ${changes.map(({ feed }) => feed)}::text[]) as change (id, feed)`,

    claim: (claim: Claim) => many("claim", ClaimedChange)`
      with ${due(claim)}
      update feed_changes f set ${leased(claim)} from due where f.id = due.id
      returning f.id, f.attempts, f.feed, array(
        select same.id::text from feed_changes same where same.feed = f.feed
        limit ${sql.literal(String(COVERED_MAX))}) as covered`,

    /** Deletes the changes that a ping told of. */
    complete: (ids: ReadonlyArray<string>) =>
      run("complete")`delete from feed_changes where id = any(${ids}::uuid[])`,

    /** Ends a lease and makes the change due at this time; false when the lease ended before. */
    release: (lease: Lease, dueAt: Date) => changed("release")`
      update feed_changes set due_at = ${dueAt} where ${held(lease)}`,

    sweep: (before: Date) => run("sweep")`delete from feed_changes where created_at < ${before}`
  }
})
