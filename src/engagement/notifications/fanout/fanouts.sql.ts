import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CommentId, OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../../platform/work/lease.ts"
import { mailsDue, wantsMail } from "../mails/mailsDue.sql.ts"

/** The kind of work, as the bell, metrics and logs name it. */
export const FANOUTS = "notification_fanouts"

const columns = {
  id: Schema.String,
  type: Schema.Literals(["new_post", "commented_post_activity"]),
  post_id: PostId,
  comment_id: Schema.NullOr(CommentId),
  actor_id: OwnerId,
  reply_target_author_id: Schema.NullOr(OwnerId),
  created_at: Schema.Date
}

const NewFanout = Schema.Struct(columns)
/** A cause for notifying many owners. */
export type NewFanout = typeof NewFanout.Type

/** The first publication of a Post. */
type NewPostFanout = Pick<NewFanout, "id" | "post_id" | "actor_id" | "created_at">

/** A fan-out that this process holds a lease on. `position` is the last recipient that was notified. */
const Fanout = Schema.Struct({
  ...columns,
  attempts: Schema.Int,
  position: Schema.NullOr(OwnerId)
})
export type Fanout = typeof Fanout.Type

const HeldRow = Schema.Struct({ id: Schema.String })

/** The number of recipients that a batch considered, the last of them, and the number of mails to post. */
const BatchRow = Schema.Struct({ considered: Schema.Int, mailed: Schema.Int, last: Schema.NullOr(OwnerId) })

/** The id before all others. */
const FIRST = "00000000-0000-0000-0000-000000000000"

/**
 * The result of a batch: the number of recipients that it considered, the last of them, and the number of mails to
 * post.
 */
const considered = (sql: SqlClient.SqlClient) => sql`
  select (select count(*) from batch)::int4 as considered, (select count(*) from mailed)::int4 as mailed,
    (select recipient_id from batch order by recipient_id desc limit 1) as last`

/**
 * Notifies the followers of the author at the time of the publication. Each follow says by which channels it notifies.
 */
const newPost = (sql: SqlClient.SqlClient, fanout: Fanout, limit: number) => {
  const id = sql`notification_id(notification_moment(${fanout.created_at}), ${fanout.id}, recipient_id)`
  return sql`
    with batch as materialized (
        select follower_id as recipient_id, notify_new_posts and notify_channel_inapp as is_notified,
          notify_new_posts and notify_channel_email as is_mailed
        from follows
        where creator_id = ${fanout.actor_id} and ended_at is null and follower_id > ${fanout.position ?? FIRST}
          and created_at <= ${fanout.created_at}
        order by follower_id limit ${limit}),
      noted as (
        insert into notifications (recipient_id, id, type, created_at, actor_id, post_id)
        select recipient_id, ${id}, 'new_post', ${fanout.created_at}, ${fanout.actor_id}, ${fanout.post_id}
        from batch join public_owners o on o.id = recipient_id
        where is_notified order by recipient_id
        on conflict do nothing),
      mailed as (
        insert into ${mailsDue(sql)}
        select ${id}, recipient_id, 'new_post', ${fanout.created_at}, ${fanout.actor_id}, ${fanout.post_id}, null, null,
          ${fanout.created_at}
        from batch join owners o on o.id = recipient_id
        left join notification_preferences np on np.owner_id = recipient_id
        where is_mailed and ${wantsMail(sql, sql`'new_post'::text`)}
        on conflict do nothing
        returning 1)
    ${considered(sql)}`
}

/**
 * Notifies the authors of visible Comments on the Post of later Comments, except those that they wrote or that reply to
 * them. One notification is for the first later Comment, and counts all of them. Each Comment has a mail of its own.
 */
const commentedPostActivity = (sql: SqlClient.SqlClient, fanout: Fanout, limit: number) => {
  const isNews = sql`c.created_at >= since and c.actor_id <> recipient_id
    and c.reply_target_author_id is distinct from recipient_id`
  const id = sql`notification_id(c.moment, c.id, recipient_id)`
  return sql`
    with causes as materialized (
        select id::text, notification_moment(created_at) as moment, comment_id, actor_id, reply_target_author_id, created_at,
          row_number() over (order by created_at, id) as place
        from notification_fanouts where id = ${fanout.id} or merged_into = ${fanout.id}),
      batch as materialized (
        select author_id as recipient_id, min(created_at) as since
        from public_comments
        where post_id = ${fanout.post_id} and author_id > ${fanout.position ?? FIRST} and deleted_at is null
        group by author_id order by author_id limit ${limit}),
      readers as materialized (
        select * from batch
        where not exists (select from posts p where p.id = ${fanout.post_id} and p.owner_id = recipient_id)
          and not exists (select from post_mutes m where m.owner_id = recipient_id and m.post_id = ${fanout.post_id})),
      news as (
        select recipient_id, min(place) as first, count(*) as count
        from readers join causes c on ${isNews}
        group by recipient_id),
      noted as (
        insert into notifications (recipient_id, id, type, created_at, actor_id, post_id, comment_id, data)
        select recipient_id, ${id}, 'commented_post_activity', c.created_at, c.actor_id, ${fanout.post_id}, c.comment_id,
          jsonb_build_object('count', news.count)
        from news join causes c on c.place = news.first
        join public_owners o on o.id = recipient_id
        order by recipient_id
        on conflict (recipient_id, post_id) where type = 'commented_post_activity' and read_at is null do update
        set data = jsonb_build_object('count',
          (notifications.data ->> 'count')::integer + (excluded.data ->> 'count')::integer)),
      mailed as (
        insert into ${mailsDue(sql)}
        select ${id}, recipient_id, 'commented_post_activity', c.created_at, c.actor_id, ${fanout.post_id}::uuid,
          c.comment_id, null, c.created_at
        from readers join causes c on ${isNews}
        join owners o on o.id = recipient_id
        left join notification_preferences np on np.owner_id = recipient_id
        where ${wantsMail(sql, sql`'commented_post_activity'::text`)}
        on conflict do nothing
        returning 1)
    ${considered(sql)}`
}

/** Saves a cause, due at once. */
export const newFanout = (sql: SqlClient.SqlClient, fanout: NewFanout) => sql`
  insert into notification_fanouts ${sql.insert({ ...fanout, due_at: fanout.created_at })}`

const batches = { new_post: newPost, commented_post_activity: commentedPostActivity }

export const fanoutQueue: WorkQueue = { table: "notification_fanouts" }

/** Statements over `notification_fanouts`, the causes for which a worker notifies many owners. */
export const fanoutStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, one, run } = statements(sql, "fanouts")
  const { due, held, leased } = leases(sql, fanoutQueue)

  return {
    /**
     * Saves the publication of a Post, due at once. Returns false, and saves nothing, when no owner follows the actor.
     * Only one index has this order, and it begins with the creator. After `exists`, or in the order of followers,
     * PostgreSQL reads all follows of an installation where few creators have most of them.
     */
    insertForFollowers: ({ actor_id, created_at, id, post_id }: NewPostFanout) => changed(
      "insertForFollowers"
    )`
      insert into notification_fanouts (id, type, post_id, actor_id, created_at, due_at)
      select ${id}::uuid, 'new_post', ${post_id}::uuid, ${actor_id}::uuid, ${created_at}::timestamptz,
        ${created_at}::timestamptz
      where (select follower_id from follows where creator_id = ${actor_id} and ended_at is null
        order by created_at desc limit 1) is not null`,

    /** Claims fan-outs that are due. */
    claim: (claim: Claim) => many("claim", Fanout)`
      with ${due(claim)}
      update notification_fanouts f set ${leased(claim)} from due where f.id = due.id
      returning f.id, f.attempts, f.type, f.post_id, f.comment_id, f.actor_id, f.reply_target_author_id,
        f.created_at, f.position`,

    /** Locks a fan-out for the surrounding transaction. Fails as a defect when its lease ended. */
    hold: (lease: Lease) =>
      Effect.asVoid(
        one("hold", HeldRow)`select id from notification_fanouts where ${held(lease)} for update`
      ),

    /**
     * Lets this fan-out take over other ones about the same discussion, at most `limit` that no process has begun. A
     * fan-out that another process claims meanwhile is left to it.
     */
    merge: ({ id, post_id }: Fanout, limit: number) => run("merge")`
      update notification_fanouts set merged_into = ${id}, due_at = 'infinity'
      where id = any(array(
        select id from notification_fanouts
        where post_id = ${post_id} and type = 'commented_post_activity' and attempts = 0 and merged_into is null
        order by id limit ${limit} for update skip locked))`,

    /**
     * Writes the notifications and mails of the next recipients, at most `limit`. They are in the order of their ids, so
     * that batches of two fan-outs with the same rows never deadlock. Ids are made from the cause and the recipient.
     */
    notifyNext: (fanout: Fanout, limit: number) =>
      one("notifyNext", BatchRow)`${batches[fanout.type](sql, fanout, limit)}`,

    /** Saves the last recipient that was notified. The fan-out is due at once for its next batch. */
    advance: (lease: Lease, position: OwnerId, at: Date) => run("advance")`
      update notification_fanouts set position = ${position}, due_at = ${at} where ${held(lease)}`,

    /** Removes a completed fan-out, and those that it took over. */
    complete: (lease: Lease) => run("complete")`
      delete from notification_fanouts where merged_into = ${lease.id} or (${held(lease)})`
  }
})
