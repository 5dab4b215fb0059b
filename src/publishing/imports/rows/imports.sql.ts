import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ApiKeyId, ImportId, type OwnerId } from "../../../../schemas/platform/Ids.ts"
import type { ImportKind, ImportOptions, ImportSite } from "../../../../schemas/publishing/imports/Import.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import type { Action, Counts, Images, ImportError, RowState } from "./importRow.ts"
import { ClaimedImport, importColumns, ImportRow, noCounts, noImages } from "./importRow.ts"
import { UNDER_WAY } from "./importState.ts"

/** The kind of work that the bell, metrics and logs name. */
export const IMPORTS = "imports"

export const importQueue: WorkQueue = {
  table: "imports",
  condition: "state in ('reading', 'applying', 'failing', 'cancelling', 'removing')"
}

interface NewImport {
  readonly id: ImportId
  readonly ownerId: OwnerId
  readonly fileName: string
  readonly byteSize: number
  readonly options: ImportOptions & { readonly kind?: ImportKind }
  readonly at: Date
  readonly expiresAt: Date
}

/** A change of an import that its worker makes under its lease, with the new end of the lease. */
interface Progress {
  readonly lease: Lease
  readonly dueAt: Date
}

const BytesRow = Schema.Struct({ bytes: Schema.Int })

const IdRow = Schema.Struct({ id: ImportId })

const json = (value: unknown) => JSON.stringify(value)

/** Statements over `imports`. Each change of a worker holds its lease, so that none follows a cancel. */
export const importStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "imports")
  const { due, held, leased } = leases(sql, importQueue)
  const columns = sql.literal(importColumns)
  const isSeen = sql.literal("i.state <> 'removing'")

  return {
    /** Returns the import of the account that is under way, and locks it until the surrounding transaction ends. */
    underWay: (owner: OwnerId) => maybe("underWay", IdRow)`
      select id from imports where owner_id = ${owner} and ${sql.in("state", UNDER_WAY)}`,

    insert: (it: NewImport) => one("insert", ImportRow)`
      insert into imports as i (id, owner_id, state, file_name, byte_size, options, counts, images, created_at, began_at,
        expires_at, due_at)
      values (${it.id}, ${it.ownerId}, 'awaiting_file', ${it.fileName}, ${it.byteSize}, ${json(it.options)}::text::json,
        ${json(noCounts)}::text::json, ${json(noImages)}::text::json, ${it.at}, ${it.at}, ${it.expiresAt}, ${it.at})
      returning ${columns}`,

    find: (owner: OwnerId, id: ImportId) => maybe("find", ImportRow)`
      select ${columns} from imports i where i.id = ${id} and i.owner_id = ${owner} and ${isSeen}`,

    /** Finds an import and locks it until the surrounding transaction ends. */
    lock: (owner: OwnerId, id: ImportId) => maybe("lock", ImportRow)`
      select ${columns} from imports i where i.id = ${id} and i.owner_id = ${owner} and ${isSeen} for no key update`,

    /** Returns imports after one in the list, newest first, with one more than `limit`. */
    slice: (owner: OwnerId, after: ImportId | undefined, limit: number) => many("slice", ImportRow)`
      select ${columns} from imports i
      where i.owner_id = ${owner} and ${isSeen} and ${after === undefined ? sql`true` : sql`i.id < ${after}`}
      order by i.id desc limit ${limit + 1}`,

    /** Counts a piece that is stored, when it follows the bytes before it. The last one begins the reading. */
    receive: (it: {
      readonly owner: OwnerId
      readonly id: ImportId
      readonly offset: number
      readonly bytes: number
      readonly at: Date
      readonly expiresAt: Date
    }) => maybe("receive", ImportRow)`
      update imports i set received = received + ${it.bytes}, expires_at = ${it.expiresAt}, due_at = ${it.at},
        began_at = ${it.at},
        state = case when received + ${it.bytes} = byte_size then 'reading' else state end
      where id = ${it.id} and owner_id = ${it.owner} and state = 'awaiting_file' and received = ${it.offset}
      returning ${columns}`,

    /** Begins the reading of a file that is stored whole, and says its size. */
    receiveWhole: (it: {
      readonly owner: OwnerId
      readonly id: ImportId
      readonly bytes: number
      readonly at: Date
      readonly expiresAt: Date
    }) => maybe("receiveWhole", ImportRow)`
      update imports i set byte_size = ${it.bytes}, received = ${it.bytes}, expires_at = ${it.expiresAt}, due_at = ${it.at},
        began_at = ${it.at}, state = 'reading'
      where id = ${it.id} and owner_id = ${it.owner} and state = 'awaiting_file'
      returning ${columns}`,

    /** Changes the state of an import by a request of its author. The worker that has it loses its lease. */
    setState: (id: ImportId, state: RowState, at: Date, expiresAt: Date) =>
      one("setState", ImportRow)`
      update imports i set state = ${state}, due_at = ${at}, expires_at = ${expiresAt}, attempts = attempts + 1,
        finished_at = case when ${state} in ('cancelling', 'removing') then ${at}::timestamptz else finished_at end
      where id = ${id} returning ${columns}`,

    /** Begins to work on items, with the key of the request. */
    begin: (it: {
      readonly id: ImportId
      readonly action: Action
      readonly apiKeyId: ApiKeyId
      readonly total: number
      readonly at: Date
      readonly expiresAt: Date
    }) => one("begin", ImportRow)`
      update imports i set state = 'applying', action = ${json(it.action)}::text::json, api_key_id = ${it.apiKeyId},
        done = 0, total = ${it.total}, began_at = ${it.at}, finished_at = null, due_at = ${it.at},
        expires_at = ${it.expiresAt}, attempts = attempts + 1
      where id = ${it.id} returning ${columns}`,

    /** Claims imports that are due: those whose file is to be read, or the others. The first claim begins the time of a reading. */
    claim: (claim: Claim, which: "files" | "others") => many("claim", ClaimedImport)`
      with ${due(claim, which === "files" ? sql`state = 'reading'` : sql`state <> 'reading'`)}
      update imports i set ${leased(claim)},
        began_at = case when state = 'reading' and attempts = 0 then ${claim.at}::timestamptz else began_at end
      from due where i.id = due.id returning i.id, i.state, i.attempts`,

    /** Returns an import that its worker still has. */
    claimed: (lease: Lease) => maybe("claimed", ImportRow)`
      select ${columns} from imports i where ${held(lease)}`,

    /** Ends an import whose row cannot be read. It loses the members that a file can have spoiled. */
    spoil: (lease: Lease, error: ImportError) => changed("spoil")`
      update imports set state = 'failing', kind = null, options = '{}', site = null, counts = ${json(noCounts)}::text::json,
        images = ${json(noImages)}::text::json, action = null, error = ${json(error)}::text::json,
        finished_at = ${error.at}::timestamptz, attempts = attempts + 1
      where ${held(lease)}`,

    /** Makes an import due again. Time without the store or a reader is none of a file's. */
    release: (lease: Lease, dueAt: Date) => changed("release")`
      update imports set due_at = ${dueAt},
        began_at = case when state = 'reading' and done = 0 then ${dueAt}::timestamptz else began_at end
      where ${held(lease)}`,

    /** Prolongs the lease during work that saves nothing yet. */
    stay: ({ dueAt, lease }: Progress) => changed("stay")`
      update imports set due_at = ${dueAt} where ${held(lease)}`,

    /** Saves what the beginning of a file says. */
    recognize: (
      { dueAt, lease }: Progress,
      found: {
        readonly kind: ImportKind
        readonly site: ImportSite
        readonly total: number | null
        readonly sha256: string
      }
    ) => changed("recognize")`
      update imports set kind = ${found.kind}, site = ${json(found.site)}::text::json, total = ${found.total},
        sha256 = ${found.sha256}, due_at = ${dueAt}
      where ${held(lease)} and state = 'reading'`,

    /** Prolongs the lease of a reading, and saves how far it is. */
    prolong: ({ dueAt, lease }: Progress, counts: Counts, images: Images) => changed("prolong")`
      update imports set done = ${counts.items}, counts = ${json(counts)}::text::json,
        images = ${json(images)}::text::json, due_at = ${dueAt}
      where ${held(lease)} and state = 'reading'`,

    /** Ends a reading, with the reason why it ends before the end of the file. */
    ended: (
      { dueAt, lease }: Progress,
      it: {
        readonly state: "review" | "failing"
        readonly counts: Counts
        readonly error: ImportError | null
        readonly expiresAt: Date
      }
    ) => changed("ended")`
      update imports set state = ${it.state}, counts = ${json(it.counts)}::text::json,
        error = ${it.error === null ? null : json(it.error)}::text::json,
        read_at = ${it.state === "review" ? dueAt : null}::timestamptz, finished_at = ${dueAt}, total = done,
        expires_at = ${it.expiresAt}, due_at = ${dueAt}, attempts = attempts + 1
      where ${held(lease)} and state = 'reading'`,

    /** Locks an import that its worker still has, prolongs the lease, and counts items that are done. */
    step: ({ dueAt, lease }: Progress, done: number) => changed("step")`
      update imports set done = done + ${done}, due_at = ${dueAt} where ${held(lease)} and state = 'applying'`,

    /** Ends the work on items. */
    finish: (
      { dueAt, lease }: Progress,
      it: {
        readonly state: "done" | "cancelling"
        readonly counts: Counts
        readonly images: Images
        readonly expiresAt: Date
      }
    ) => changed("finish")`
      update imports set state = ${it.state}, counts = ${json(it.counts)}::text::json,
        images = ${json(it.images)}::text::json, finished_at = ${dueAt}, expires_at = ${it.expiresAt},
        due_at = ${dueAt}, attempts = attempts + 1
      where ${held(lease)} and state = 'applying'`,

    /** Saves the numbers of an import whose items its author changed. */
    recount: (id: ImportId, counts: Counts, images: Images, expiresAt: Date) => run("recount")`
      update imports set counts = ${json(counts)}::text::json, images = ${json(images)}::text::json,
        expires_at = ${expiresAt}
      where id = ${id}`,

    /** Says that nothing is stored any more of an import that has failed or was cancelled. */
    cleared: (lease: Lease) => run("cleared")`
      update imports set state = case state when 'failing' then 'failed' else 'cancelled' end, attempts = attempts + 1
      where ${held(lease)} and state in ('failing', 'cancelling')`,

    /** Returns the bytes of all files of the account that are stored, or may be. */
    storedBytes: (owner: OwnerId) => one("storedBytes", BytesRow)`
      select coalesce(sum(byte_size), 0)::float8 as bytes from imports
      where owner_id = ${owner} and state not in ('failed', 'cancelled')`,

    /** Forgets an import whose files are removed. */
    forget: (lease: Lease) => run("forget")`delete from imports where ${held(lease)} and state = 'removing'`,

    /** Cancels the import that is under way in an account that closes. Returns true if there is one. */
    cancelAll: (owner: OwnerId, at: Date, expiresAt: Date) => changed("cancelAll")`
      update imports set state = 'cancelling', due_at = ${at}, finished_at = ${at}, expires_at = ${expiresAt},
        attempts = attempts + 1
      where owner_id = ${owner} and ${sql.in("state", UNDER_WAY)}`,

    /** Makes the removal of all imports of a deleted account due. Returns true if there is one that was not. */
    removeAll: (owner: OwnerId, at: Date) => changed("removeAll")`
      update imports set state = 'removing', due_at = ${at}, attempts = attempts + 1
      where owner_id = ${owner} and state <> 'removing'`,

    /** Returns true while an account has an import, with its files. */
    hasAny: (owner: OwnerId) =>
      Effect.map(
        many("hasAny", IdRow)`select id from imports where owner_id = ${owner} limit 1`,
        (rows) => rows.length > 0
      ),

    /** Makes the removal of imports due to which nothing happened. Returns true if there is one. */
    expire: (at: Date) => changed("expire")`
      update imports set state = 'removing', due_at = ${at}, attempts = attempts + 1
      where expires_at <= ${at} and state in ('awaiting_file', 'review', 'done', 'failed', 'cancelled')`
  }
})
