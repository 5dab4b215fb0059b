import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeyId, OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { ScheduleFailure, SCHEDULES_MAX } from "../../../../schemas/publishing/posts/Schedule.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import { nextRevision } from "../nextRevision.sql.ts"
import type { PostRow } from "../postRow.ts"
import { holdPublications } from "../publications.sql.ts"

/** The kind of work that the bell, metrics and logs name. */
export const SCHEDULES = "schedules"

export const scheduleQueue: WorkQueue = { table: "scheduled_publications", condition: "failure is null" }

/** A publication that is due. */
const DueRow = Schema.Struct({
  id: PostId,
  attempts: Schema.Int,
  owner_id: OwnerId,
  api_key_id: ApiKeyId
})
export type DueSchedule = typeof DueRow.Type

const SavedRow = Schema.Struct({
  /** False when the key expires before the moment. */
  outlives: Schema.Boolean,
  /** False when as many wait as may. */
  has_room: Schema.Boolean,
  /** True when the key was revoked since its check. */
  is_key_revoked: Schema.Boolean,
  /** The revision of the Post after the change; null when nothing was saved. */
  revision: Schema.NullOr(Timestamp)
})

const RevisionRow = Schema.Struct({ revision: Timestamp })
const FailedRow = Schema.Struct({ id: PostId, title: Schema.String, publish_at: Timestamp })
const OutlivesRow = Schema.Struct({ outlives: Schema.Boolean })
const CountRow = Schema.Struct({ api_key_id: ApiKeyId, schedules: Schema.Int })

const OwnScheduleRow = Schema.Struct({
  id: PostId,
  publish_at: Timestamp,
  is_only_revision: Schema.Boolean,
  failure: Schema.NullOr(ScheduleFailure),
  created_at: Timestamp
})
type OwnScheduleRow = typeof OwnScheduleRow.Type

/** A moment for a draft that its author chose. */
interface NewSchedule {
  readonly ownerId: OwnerId
  readonly apiKeyId: ApiKeyId
  readonly publishAt: Timestamp
  readonly isOnlyRevision: boolean
  readonly at: Date
}

const json = (failure: ScheduleFailure) => JSON.stringify(failure)

/**
 * Statements over `scheduled_publications`. Every change of a schedule gives its Post a new revision, by which a publication
 * that was decided before finds that it is outdated. Locks are taken in this order: the owner's publications, the Post, its
 * owner, the key, the schedule.
 */
export const scheduleStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "schedules")
  const { due, held, leased } = leases(sql, scheduleQueue)

  return {
    /** Holds off publications of an owner, and changes of their schedules, until the surrounding transaction ends. */
    hold: (owner: OwnerId) => run("hold")`${holdPublications(sql, owner)}`,

    /** As `hold`, and locks a Post of the owner. */
    lock: (owner: OwnerId, id: PostId) => run("lock")`
      with held as materialized (${holdPublications(sql, owner)})
      select from held, posts p where p.id = ${id} and p.owner_id = ${owner} for no key update of p`,

    /**
     * Saves the moment of a locked draft, unless the key expires before, or too many wait. A key that was revoked since its check
     * has failed already.
     */
    save: (
      { id }: PostRow,
      { apiKeyId, at, isOnlyRevision, ownerId, publishAt }: NewSchedule,
      revoked: ScheduleFailure
    ) => one("save", SavedRow)`
      with key as (
        select k.revoked_at is not null as is_revoked,
          k.is_website or k.expires_at is null or k.expires_at > ${publishAt}::timestamptz as outlives
        from api_keys k where k.id = ${apiKeyId}),
      room as (
        select count(*) < ${SCHEDULES_MAX} as has_room from scheduled_publications s
        where s.owner_id = ${ownerId} and s.failure is null and s.id <> ${id}),
      post as (
        update posts p set updated_at = ${nextRevision(sql, at)} from key, room
        where p.id = ${id} and key.outlives and room.has_room
        returning p.id, p.updated_at, key.is_revoked),
      saved as (
        insert into scheduled_publications as s (
          id, owner_id, api_key_id, publish_at, only_revision, failure, created_at, due_at)
        select post.id, ${ownerId}, ${apiKeyId}, ${publishAt}::timestamptz,
          case when ${isOnlyRevision} then post.updated_at end,
          case when post.is_revoked then ${json(revoked)}::text::json end, ${at}, ${publishAt}::timestamptz
        from post
        on conflict (id) do update set api_key_id = excluded.api_key_id, publish_at = excluded.publish_at,
          only_revision = excluded.only_revision, failure = excluded.failure, created_at = excluded.created_at,
          due_at = excluded.due_at, attempts = s.attempts + 1)
      select key.outlives, room.has_room, key.is_revoked as is_key_revoked, wire_time(post.updated_at) as revision
      from key cross join room left join post on true`,

    /** Ends the schedule of a Post. Returns the revision of the Post after it; none for an unknown one. */
    end: (owner: OwnerId, id: PostId, at: Date) => maybe("end", RevisionRow)`
      with post as (
        update posts p set updated_at = ${nextRevision(sql, at)}
        where p.id = ${id} and p.owner_id = ${owner}
          and exists (select from scheduled_publications s where s.id = p.id)
        returning p.id, p.updated_at),
      ended as (delete from scheduled_publications s using post where s.id = post.id)
      select wire_time(coalesce(post.updated_at, p.updated_at)) as revision
      from posts p left join post on true where p.id = ${id} and p.owner_id = ${owner}`,

    /** Keeps the reason for which a draft was not published. Returns false when the draft has changed since it was read. */
    fail: ({ id, updated_at }: PostRow, failure: ScheduleFailure, at: Date) => changed("fail")`
      with post as (
        update posts p set updated_at = ${nextRevision(sql, at)}
        where p.id = ${id} and p.updated_at = ${updated_at}::timestamptz
        returning p.id)
      update scheduled_publications s set failure = ${json(failure)}::text::json from post where s.id = post.id`,

    /** Fails the schedules of a key, and returns their Posts. */
    failOfKey: (owner: OwnerId, keyId: string, failure: ScheduleFailure, at: Date) => many(
      "failOfKey",
      FailedRow
    )`
      with post as (
        update posts p set updated_at = ${nextRevision(sql, at)} from scheduled_publications s
        where s.id = p.id and s.failure is null
          and s.api_key_id = (select k.id from api_keys k where k.key_id = ${keyId} and k.owner_id = ${owner})
        returning p.id, p.title)
      update scheduled_publications s set failure = ${json(failure)}::text::json from post where s.id = post.id
      returning s.id, post.title, wire_time(s.publish_at) as publish_at`,

    /** Hands the schedules of a key to another one. Says whether that one outlives them all. */
    handOn: (from: ApiKeyId, to: ApiKeyId) => one("handOn", OutlivesRow)`
      with handed as (
        update scheduled_publications set api_key_id = ${to} where api_key_id = ${from} and failure is null
        returning publish_at)
      select not exists (select from handed h where h.publish_at >= k.expires_at) as outlives
      from api_keys k where k.id = ${to}`,

    /** Counts what waits under each key of an owner. */
    countByKey: (owner: OwnerId) => many("countByKey", CountRow)`
      select api_key_id, count(*)::integer as schedules from scheduled_publications
      where owner_id = ${owner} and failure is null group by api_key_id`,

    /** Returns the schedules of an owner after one of them, in the order of their moments. */
    slice: (owner: OwnerId, after: OwnScheduleRow | undefined, limit: number) => many(
      "slice",
      OwnScheduleRow
    )`
      select s.id, wire_time(s.publish_at) as publish_at, s.only_revision is not null as is_only_revision, s.failure,
        wire_time(s.created_at) as created_at
      from scheduled_publications s
      where s.owner_id = ${owner}
        and ${after === undefined ? sql`true` : sql`(s.publish_at, s.id) > (${after.publish_at}::timestamptz, ${after.id}::uuid)`}
      order by s.publish_at, s.id limit ${sql.literal(String(limit))}`,

    /** Claims publications that are due, those that have waited longest first. */
    claim: (claim: Claim) => many("claim", DueRow)`
      with ${due(claim)}
      update scheduled_publications s set ${leased(claim)} from due where s.id = due.id
      returning s.id, s.attempts, s.owner_id, s.api_key_id`,

    /** Makes a claimed publication due again. */
    release: (lease: Lease, dueAt: Date) => changed("release")`
      update scheduled_publications set due_at = ${dueAt} where ${held(lease)}`,

    /** Removes the schedules of an account that closes. Its Posts keep their revisions: no key reads them any more. */
    removeAll: (owner: OwnerId) => run("removeAll")`
      delete from scheduled_publications where owner_id = ${owner}`,

    /** Erases schedules of an owner. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from scheduled_publications where ctid = any(array(
        select ctid from scheduled_publications where owner_id = ${owner} limit ${limit}))`
  }
})

/** Makes the function that returns the schedules of an owner for an export. */
export const ownSchedules = Effect.map(scheduleStatements, ({ slice }) => slice)

/** Ends the schedules of accounts that close, and erases those of accounts that are deleted. */
export const scheduleErasure = Effect.map(scheduleStatements, ({ eraseSome, removeAll }) => ({
  eraseSome,
  removeAll
}))
