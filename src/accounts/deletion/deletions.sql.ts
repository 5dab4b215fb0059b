import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DeletionCounts } from "../../../schemas/accounts/deletion/Deletion.ts"
import { OwnerId, type UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../platform/work/lease.ts"

/** A deletion that has not ended. */
const DeletionRow = Schema.Struct({
  requested_at: Schema.Date,
  erases_at: Schema.Date,
  requested: Timestamp,
  erases: Timestamp,
  was_restricted: Schema.Boolean
})

/** The work of a deletion that is due. `step` is null before the first one. */
const ClaimedDeletion = Schema.Struct({
  id: OwnerId,
  attempts: Schema.Int,
  step: Schema.NullOr(Schema.String)
})
export type ClaimedDeletion = typeof ClaimedDeletion.Type

/** A deletion to begin. The account was restricted by moderators before, or was not. */
interface NewDeletion {
  readonly owner: OwnerId
  readonly requestedAt: Date
  readonly erasesAt: Date
  readonly wasRestricted: boolean
  readonly counts: DeletionCounts
  /** The images that buyers keep. */
  readonly keptImages: ReadonlyArray<UploadOperationId>
}

const encodeCounts = Schema.encodeSync(Schema.fromJsonString(DeletionCounts))
const IdRow = Schema.Struct({ id: OwnerId })

export const deletionQueue: WorkQueue = { table: "account_deletions", condition: "ended_at is null" }

/** Statements over `account_deletions`. Hold the owner before each change. */
const deletionStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, run } = statements(sql, "deletions")
  const { due, held, leased } = leases(sql, deletionQueue)

  return {
    /** Returns the deletion of an account that has not ended. */
    find: (owner: OwnerId) => maybe("find", DeletionRow)`
      select requested_at, erases_at, wire_time(requested_at) as requested, wire_time(erases_at) as erases, was_restricted
      from account_deletions where id = ${owner} and ended_at is null`,

    begin: ({ counts, erasesAt, keptImages, owner, requestedAt, wasRestricted }: NewDeletion) => run("begin")`
      insert into account_deletions (id, requested_at, erases_at, due_at, was_restricted, counts, kept_images)
      values (${owner}, ${requestedAt}, ${erasesAt}, ${erasesAt}, ${wasRestricted}, ${encodeCounts(counts)}::jsonb,
        ${keptImages}::uuid[])`,

    /** Lets a deletion begin at a moment, if it would begin later. */
    hasten: (owner: OwnerId, at: Date) => changed("hasten")`
      update account_deletions set erases_at = ${at}, due_at = ${at}
      where id = ${owner} and ended_at is null and erases_at > ${at}`,

    /** Takes a deletion back, before it is due. Returns false when there is none, or it is too late. */
    takeBack: (owner: OwnerId, at: Date) => changed("takeBack")`
      delete from account_deletions
      where id = ${owner} and ended_at is null and erases_at > ${at} and attempts = 0`,

    /** Says what a moderator wants of the account, once its deletion is taken back. Returns true for a change. */
    setWasRestricted: (owner: OwnerId, wasRestricted: boolean) => changed("setWasRestricted")`
      update account_deletions set was_restricted = ${wasRestricted}
      where id = ${owner} and ended_at is null and was_restricted <> ${wasRestricted}`,

    /** Changes which images stay for buyers. */
    keepImages: (owner: OwnerId, images: ReadonlyArray<UploadOperationId>) => run("keepImages")`
      update account_deletions set kept_images = ${images}::uuid[]
      where id = ${owner} and ended_at is null and kept_images <> ${images}::uuid[]`,

    claim: (claim: Claim) => many("claim", ClaimedDeletion)`
      with ${due(claim)}
      update account_deletions d set ${leased(claim)} from due where d.id = due.id
      returning d.id, d.attempts, d.step`,

    /** Returns true, and keeps other processes from the work until the surrounding transaction ends, while the lease lasts. */
    hold: (lease: Lease) =>
      Effect.map(
        many(
          "hold",
          IdRow
        )`select id from account_deletions where ${held(lease)} and ended_at is null for update`,
        (rows) => rows.length === 1
      ),

    /** Makes the work due again, at a step. */
    release: (lease: Lease, step: string | null, dueAt: Date) => changed("release")`
      update account_deletions set step = ${step}, due_at = ${dueAt} where ${held(lease)}`,

    complete: (lease: Lease, at: Date) => changed("complete")`
      update account_deletions set ended_at = ${at}, step = null, kept_images = '{}' where ${held(lease)}`
  }
})

/** Finds the deletions that have not ended, and keeps what moderators want of the accounts. */
export const closingAccounts = Effect.map(deletionStatements, ({ find, setWasRestricted }) => ({
  find,
  setWasRestricted
}))

/** The work that deletes accounts. */
export const deletionWork = Effect.map(
  deletionStatements,
  ({ begin, claim, complete, find, hasten, hold, keepImages, release, takeBack }) => ({
    begin,
    claim,
    complete,
    find,
    hasten,
    hold,
    keepImages,
    release,
    takeBack
  })
)
