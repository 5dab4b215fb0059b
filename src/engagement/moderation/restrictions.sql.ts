import { Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../platform/work/lease.ts"

/** The work after the restriction of an owner, or after its end. The id is the owner's. */
const ClaimedRestriction = Schema.Struct({
  id: OwnerId,
  attempts: Schema.Int,
  is_restricted: Schema.Boolean
})
export type ClaimedRestriction = typeof ClaimedRestriction.Type

/** Rows of a kind that are counted, at most. */
export const COUNTED_MAX = 1000

const ReachRow = Schema.Struct({ posts: Schema.Int, comments: Schema.Int })

const IdRow = Schema.Struct({ id: OwnerId })

export const restrictionQueue: WorkQueue = { table: "account_restrictions", condition: "due_at is not null" }

/** Statements over work after restrictions and their ends: one row for each owner, with the desired state. */
export const restrictionStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "restrictions")
  const { due, held, leased } = leases(sql, restrictionQueue)

  /** Counts rows up to one beyond the maximum. The limit is written out, as PostgreSQL plans one that is a parameter for all rows. */
  const counted = (rows: Statement.Fragment) => sql`
    (select count(*)::integer from (${rows} limit ${sql.literal(String(COUNTED_MAX + 1))}) counted)`

  return {
    /** Counts the Posts and Comments of an account that readers see. */
    reach: (owner: OwnerId) => one("reach", ReachRow)`
      select ${counted(sql`select from public_posts where owner_id = ${owner}`)} as posts,
        ${counted(sql`select from public_comments where author_id = ${owner} and deleted_at is null`)} as comments`,

    /** Sets the desired state. Work towards another state loses its lease. */
    request: (owner: OwnerId, isRestricted: boolean, at: Date) => run("request")`
      insert into account_restrictions (id, is_restricted, due_at)
      values (${owner}, ${isRestricted}, ${at})
      on conflict (id) do update
      set is_restricted = excluded.is_restricted, due_at = excluded.due_at,
        attempts = account_restrictions.attempts + 1`,

    claim: (claim: Claim) => many("claim", ClaimedRestriction)`
      with ${due(claim)}
      update account_restrictions r set ${leased(claim)} from due where r.id = due.id
      returning r.id, r.attempts, r.is_restricted`,

    /** Returns true, and keeps the state from changing until the surrounding transaction ends, while the lease lasts. */
    hold: (lease: Lease) =>
      Effect.map(
        maybe("hold", IdRow)`select id from account_restrictions where ${held(lease)} for update`,
        Option.isSome
      ),

    /** Erases the row of a deleted account. */
    erase: (owner: OwnerId) => changed("erase")`
      delete from account_restrictions where id = ${owner}`,

    complete: (lease: Lease) => changed("complete")`
      update account_restrictions set due_at = null where ${held(lease)}`,

    release: (lease: Lease, dueAt: Date) => changed("release")`
      update account_restrictions set due_at = ${dueAt} where ${held(lease)}`
  }
})

/** Erases the work of restrictions of accounts that are deleted. */
export const restrictionErasure = Effect.map(restrictionStatements, ({ erase }) => ({ erase }))
