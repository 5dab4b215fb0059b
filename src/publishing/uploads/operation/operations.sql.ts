import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type OwnerId, type PostId, UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { StuckUpload } from "../../../../schemas/publishing/uploads/rpc.ts"
import { UploadState } from "../../../../schemas/publishing/uploads/Upload.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { leases, type WorkQueue } from "../../../platform/work/lease.ts"
import type { Event } from "./event.ts"
import { type Lease, Operation, transition } from "./operation.ts"
import { assignments, isUnscaled, operationColumns } from "./operationRow.sql.ts"
import type { Settlement } from "./settlement.ts"

/** Kind of leased work, which names its bell. */
export const UPLOADS = "uploads"

/** Number of unfinished operations of a state, and the age of the oldest. */
const Backlog = Schema.Struct({ state: UploadState, operations: Schema.Int, oldest: Schema.Date })

const IdRow = Schema.Struct({ id: UploadOperationId })

/** An operation that an administrator or a moderator controls. */
const ControlledOperation = Schema.Struct({ ...Operation.fields, held: Schema.Boolean })

export const uploadQueue: WorkQueue = {
  table: "upload_operations",
  condition: `next_task is not null and not (held and next_task = 'clean_up')`
}

/** Selects the operations that are held, or unfinished and created before, oldest first. */
export const stuckUploads = (sql: SqlClient.SqlClient, createdBefore: Date): Statement.Fragment => sql`
  select * from upload_operations
  where (unfinished or held) and (held or created_at < ${createdBefore}) order by created_at, id`

/** Statements over `upload_operations` that follow its events, and those that look after all of them. */
export const operationStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, run } = statements(sql, "uploadOperations")
  const { held } = leases(sql, uploadQueue)
  const columns = sql.literal(operationColumns)
  const stuckColumns = sql.literal(`
    u.id as "operationId", u.owner_id as "ownerId", o.handle as "ownerHandle", u.target_kind as "targetKind",
    u.target_id as "targetId", u.state, u.held, u.next_task as "nextTask", wire_time(u.created_at) as "createdAt",
    wire_time(u.due_at) as "dueAt", u.retries, u.failures, u.last_error as "lastError", u.finding,
    case when u.shown then u.public_url end as "publicUrl", wire_time(u.decided_at) as "decidedAt"`)

  /** The images that buyers keep of an account that is being deleted. */
  const keptImages = (owner: Statement.Fragment) => sql`
    select unnest(d.kept_images) from account_deletions d where d.id = ${owner} and d.ended_at is null`

  /** The condition that buyers of a Post keep the file, although its author deleted their account. */
  const isKept = (owner: OwnerId) => sql`(
    u.target_kind in ('inline', 'attachment') and u.desired and exists (
      select from posts p where p.id = u.target_id and p.kept_sha256 is not null)
    or u.target_kind = 'attachment' and exists (select from post_attachments f where f.id = u.id)
    or u.desired and u.id in (${keptImages(sql`${owner}`)}))`

  /** Writes what an event changes. Returns false when another lease has begun since the operation was read. */
  const settle = (lease: Lease, settlement: Settlement) => changed("settle")`
    update upload_operations set ${assignments(sql, settlement)} where ${held(lease)}`

  return {
    settle,

    /** Writes what an event changes, if it changes anything. Returns false when this lease wrote nothing. */
    apply: (operation: Operation, event: Event) => {
      const settlement = transition(operation, event)
      return settlement === undefined ? Effect.succeed(false) : settle(operation, settlement)
    },

    /** Settles operations that the surrounding transaction holds, by one statement for each that changes. */
    settleAll: (
      operations: ReadonlyArray<Operation>,
      change: (operation: Operation) => Settlement | undefined
    ) =>
      Effect.forEach(
        operations,
        (operation) => {
          const settlement = change(operation)
          return settlement === undefined ? Effect.void : settle(operation, settlement)
        },
        { discard: true }
      ),

    /**
     * Forgets an operation whose file was refused, so that its key is free again. Returns false when another lease has
     * begun.
     */
    forget: (lease: Lease) => changed("forget")`
      delete from upload_operations where ${held(lease)} and state = 'receiving'`,

    /** Holds an operation until the surrounding transaction ends. */
    lock: (id: UploadOperationId) => maybe("lock", Operation)`
      select ${columns} from upload_operations u where u.id = ${id} for update`,

    /**
     * Holds the desired images, and all attachments, of a Post until the surrounding transaction ends. Leaves out images that
     * buyers of another Post keep.
     */
    lockOfPost: (post: PostId) => many("lockOfPost", Operation)`
      select ${columns} from upload_operations u
      where u.target_id = ${post}
        and (u.target_kind = 'attachment' or (u.target_kind in ('inline', 'og') and u.desired))
        and u.id not in (${keptImages(sql`u.owner_id`)})
      order by u.id for update`,

    /** Holds the desired header images of an owner until the surrounding transaction ends. */
    lockHeaders: (owner: OwnerId) => many("lockHeaders", Operation)`
      select ${columns} from upload_operations u
      where u.owner_id = ${owner} and u.target_id = ${owner} and u.target_kind = 'header' and u.desired
      order by u.id for update`,

    /** Holds some operations of a deleted account that readers do not keep, and that are not cancelled yet. */
    lockUnkept: (owner: OwnerId, limit: number) => many("lockUnkept", Operation)`
      select ${columns} from upload_operations u
      where u.owner_id = ${owner} and not ${isKept(owner)} and (u.desired or u.unfinished or u.state = 'cleared')
      order by u.id limit ${limit} for update`,

    /** Removes the rows of such operations once their files are gone. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from upload_operations where ctid = any(array(
        select u.ctid from upload_operations u
        where u.owner_id = ${owner} and not ${isKept(owner)} and not u.held and not u.desired and not u.unfinished
          and u.state <> 'cleared' and u.next_task is null and u.staged_bytes = 0 limit ${limit}))`,

    /** Returns true while files of such operations are still to be removed. Files of what is held are evidence, and stay. */
    hasUnkept: (owner: OwnerId) =>
      Effect.map(
        many("hasUnkept", IdRow)`
          select u.id from upload_operations u where u.owner_id = ${owner} and not ${isKept(owner)} and not u.held limit 1`,
        (rows) => rows.length > 0
      ),

    /** Erases the transfers of an owner. */
    eraseTransfers: (owner: OwnerId, limit: number) => changed("eraseTransfers")`
      delete from upload_transfers where ctid = any(array(
        select ctid from upload_transfers where owner_id = ${owner} limit ${limit}))`,

    /** As `lock`, and tells whether the operation is held by an administrator or a moderator. */
    lockToControl: (id: UploadOperationId) => maybe("lockToControl", ControlledOperation)`
      select ${columns}, u.held from upload_operations u where u.id = ${id} for update`,

    /** Returns operations that are held, or unfinished and created before, oldest first. */
    stuck: (createdBefore: Date, limit: number) => many("stuck", StuckUpload)`
      select ${stuckColumns}
      from (${stuckUploads(sql, createdBefore)} limit ${limit}) u
      join owners o on o.id = u.owner_id
      order by u.created_at, u.id`,

    /** Returns the operations that screening refused last. */
    refused: (limit: number) => many("refused", StuckUpload)`
      select ${stuckColumns}
      from (
        select * from upload_operations where state in ('rejected', 'failed')
        order by decided_at desc, id desc limit ${limit}) u
      join owners o on o.id = u.owner_id
      order by u.decided_at desc, u.id desc`,

    backlog: many("backlog", Backlog)`
      select state, count(*)::int4 as operations, min(created_at) as oldest
      from upload_operations where next_task is not null and unfinished group by state`,

    /** Makes the smaller copies of images due that were cleared before there were any, up to a number at a time. */
    scaleOld: (at: Date, limit: number) => run("scaleOld")`
      update upload_operations set next_task = 'scale', due_at = ${at}, retries = 0, failures = 0
      where id in (
        select u.id from upload_operations u
        where u.state = 'cleared' and u.next_task is null and ${sql.literal(isUnscaled)}
        order by u.id limit ${limit} for update skip locked)`,

    /** Forgets the transfers that no limit counts any more. */
    sweepTransfers: (begunBefore: Date) => run("sweepTransfers")`
      delete from upload_transfers where begun_at < ${begunBefore}`
  }
})
