import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { DAY_MILLIS, later, MINUTE_MILLIS } from "../../../platform/time/now.ts"
import { Operation } from "./operation.ts"
import { operationColumns } from "./operationRow.sql.ts"
import type { UploadTarget } from "./target.ts"

/** Facts that a reservation is decided by, read under the lock of the owner. */
export const ReservationFacts = Schema.Struct({
  /** Null when the owner has no such Post. */
  post_revision: Schema.NullOr(Timestamp),
  /** URL in the place that the image is for; null for inline images. */
  place_url: Schema.NullOr(Schema.String),
  unfinished: Schema.Int,
  staged_bytes: Schema.Int,
  minute_transfers: Schema.Int,
  minute_oldest: Schema.NullOr(Schema.Date),
  day_transfers: Schema.Int,
  day_bytes: Schema.Int,
  day_oldest: Schema.NullOr(Schema.Date)
})
export type ReservationFacts = typeof ReservationFacts.Type

/** A new operation, whose request is about to send its bytes. */
interface NewReservation {
  readonly id: UploadOperationId
  readonly ownerId: OwnerId
  readonly target: UploadTarget
  readonly requestKey: string
  /** Name of an attachment; null for images. */
  readonly fileName: string | null
  readonly policyVersion: string
  /** Bytes of the request, its form included; null for a request that is no transfer. */
  readonly requestBytes: number | null
  readonly stagedBytes: number
  /** URL that stands in the place of the image now. */
  readonly placeUrl: string | null
  readonly at: Date
  readonly leaseUntil: Date
}

/** Statements that a reservation is made of. They run under the lock of the owner. */
export const reservationStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, one, run } = statements(sql, "uploadOperations")
  const columns = sql.literal(operationColumns)

  const placeUrl = ({ kind }: UploadTarget) => {
    if (kind === "inline" || kind === "attachment") return sql`null`
    if (kind === "og") return sql`p.og_image`
    return kind === "avatar" ? sql`o.avatar_url` : sql`o.header_image_url`
  }

  return {
    /** Holds off edits of a Post of the owner until the surrounding transaction ends. */
    lockPost: (owner: OwnerId, { id }: UploadTarget) =>
      run("lockPost")`select from posts where id = ${id} and owner_id = ${owner} for no key update`,

    /** Lets one reservation of an owner be made at a time, until the surrounding transaction ends. */
    lockOwner: (owner: OwnerId) => run("lockOwner")`select from owners where id = ${owner} for no key update`,

    /** Finds the operation that has the request key already. */
    earlier: (owner: OwnerId, requestKey: string) => maybe("earlier", Operation)`
      select ${columns} from upload_operations u where u.owner_id = ${owner} and u.request_key = ${requestKey}`,

    /**
     * Keeps the Post until the surrounding transaction ends, so that its deletion finds all of its images. Transfers more
     * than a minute ahead do not count: a clock that stepped back since began them.
     */
    facts: (owner: OwnerId, target: UploadTarget, at: Date) => one("facts", ReservationFacts)`
      select wire_time(p.updated_at) as post_revision, ${placeUrl(target)} as place_url, u.unfinished, u.staged_bytes,
        t.minute_transfers, t.minute_oldest, t.day_transfers, t.day_bytes, t.day_oldest
      from owners o left join lateral (
        select p.updated_at, p.og_image from posts p
        where p.id = ${target.id} and p.owner_id = o.id for key share
      ) p on true, (
        select count(*) filter (where unfinished)::int4 as unfinished,
          coalesce(sum(staged_bytes), 0)::int4 as staged_bytes
        from upload_operations
        where owner_id = ${owner} and (unfinished or staged_bytes > 0)
          and (target_kind = 'attachment') = ${target.kind === "attachment"}
      ) u, (
        select count(*) filter (where begun_at > ${later(at, -MINUTE_MILLIS)})::int4 as minute_transfers,
          min(begun_at) filter (where begun_at > ${later(at, -MINUTE_MILLIS)}) as minute_oldest,
          count(*)::int4 as day_transfers, coalesce(sum(byte_size), 0)::float8 as day_bytes,
          min(begun_at) as day_oldest
        from upload_transfers where owner_id = ${owner}
          and begun_at > ${later(at, -DAY_MILLIS)} and begun_at <= ${later(at, MINUTE_MILLIS)}
      ) t
      where o.id = ${owner}`,

    /** Counts a request that carries a file. */
    charge: (owner: OwnerId, bytes: number, at: Date) => run("charge")`
      insert into upload_transfers (owner_id, begun_at, byte_size) values (${owner}, ${at}, ${bytes})`,

    /** Creates an operation of the next generation of its target, and counts the request. */
    reserve: (it: NewReservation) => one("reserve", Operation)`
      with charged as (
        insert into upload_transfers (owner_id, begun_at, byte_size)
        select ${it.ownerId}::uuid, ${it.at}::timestamptz, ${it.requestBytes}::integer
        where ${it.requestBytes}::integer is not null)
      insert into upload_operations as u (id, owner_id, target_kind, target_id, target_key, generation, request_key,
        created_at, state, next_task, due_at, attempts, policy_version, staged_bytes, replaced_url, file_name)
      select ${it.id}::uuid, ${it.ownerId}::uuid, ${it.target.kind}, ${it.target.id}::uuid, ${it.target.key},
        coalesce(max(generation), 0) + 1, ${it.requestKey}, ${it.at}::timestamptz, 'receiving',
        'receive', ${it.leaseUntil}::timestamptz, 1, ${it.policyVersion}, ${it.stagedBytes}::integer,
        ${it.placeUrl}::text, ${it.fileName}::text
      from upload_operations
      where target_id = ${it.target.id}::uuid and target_kind = ${it.target.kind} and target_key = ${it.target.key}
      returning ${columns}`
  }
})
