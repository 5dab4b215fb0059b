import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Follow, type FollowPreferences } from "../../../schemas/engagement/follows/Follow.ts"
import type { FollowId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import type { CountedRows } from "../../platform/counters/audit.sql.ts"
import { insertEvents } from "../../platform/events/events.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { betweenPublications } from "../../publishing/posts/publications.sql.ts"
import { followNotices, mailedCount } from "../notifications/notices/notices.sql.ts"

/** One owner and another, whom the first may follow. */
export interface Pair {
  readonly follower: OwnerId
  readonly creator: OwnerId
}

/** A follow that begins. */
interface NewFollow extends Pair {
  readonly id: FollowId
  readonly at: Date
  /** A follow that ended after this moment begins again without a notification. */
  readonly silentAfter: Date
  readonly eventId: string
}

const StartedRow = Schema.Struct({ ...Follow.fields, mailed: Schema.Int, is_recorded: Schema.Boolean })

/** The row of a creator, with the follow of the pair or without one. */
const StateRow = Schema.Union([Follow, Schema.Struct({ id: Schema.Null })])

const columns = `f.id, f.creator_id, wire_time(f.created_at) as created_at,
  f.notify_new_posts, f.notify_channel_email, f.notify_channel_inapp`

/** Statements over `follows`. */
export const followStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, maybe } = statements(sql, "follows")
  const follow = sql.literal(columns)
  const own = (follower: OwnerId, id: FollowId) =>
    sql`f.id = ${id} and f.follower_id = ${follower} and f.ended_at is null`

  return {
    /**
     * Begins a follow, and notifies the creator of one that is not silent, with an event for their programs. Returns none if the pair already has one, or
     * if there is no such public creator.
     */
    begin: ({ at, creator, eventId, follower, id, silentAfter }: NewFollow) => maybe("begin", StartedRow)`
      with begun as (
      insert into follows as f (id, follower_id, creator_id, created_at, announced_at)
      select ${id}::uuid, ${follower}::uuid, o.id, ${at}::timestamptz, ${at}::timestamptz
      from public_owners o, ${betweenPublications(sql, creator)} where o.id = ${creator}
      on conflict (follower_id, creator_id) do update set
        created_at = excluded.created_at, ended_at = null,
        announced_at = case when f.ended_at <= ${silentAfter}::timestamptz then excluded.created_at end
      where f.ended_at is not null
      returning f.*),
      ${followNotices(sql, at, sql`begun where announced_at is not null`)},
      recorded as (
        ${insertEvents(
          sql,
          [{ id: eventId, ownerId: creator, type: "follow.created", subjectId: follower, data: {}, at }],
          at,
          sql`exists (select from begun where announced_at is not null)`
        )}
        on conflict do nothing returning id)
      select ${follow}, ${sql.literal(mailedCount)}, exists (select from recorded) as is_recorded from begun f`,

    end: ({ creator, follower }: Pair, at: Date) => changed("end")`
      update follows set ended_at = ${at}
      where follower_id = ${follower} and creator_id = ${creator} and ended_at is null`,

    /** Returns the creator's row; none without the creator, and for a restricted one who is not followed. */
    find: ({ creator, follower }: Pair) => maybe("find", StateRow)`
      select ${follow} from owners o
      left join follows f on f.follower_id = ${follower} and f.creator_id = o.id and f.ended_at is null
      where o.id = ${creator} and (f.id is not null or not ${sql.literal(isRestricted("o"))})`,

    /** Erases follows of an owner, in both directions. */
    eraseSome: (owner: OwnerId, limit: number) => changed("eraseSome")`
      delete from follows where ctid = any(array(
        (select ctid from follows where follower_id = ${owner} limit ${limit})
        union (select ctid from follows where creator_id = ${owner} limit ${limit})))`,

    findOwn: (follower: OwnerId, id: FollowId) =>
      maybe("findOwn", Follow)`select ${follow} from follows f where ${own(follower, id)}`,

    setPreferences: (follower: OwnerId, id: FollowId, preferences: FollowPreferences) =>
      maybe("setPreferences", Follow)`
        update follows f set ${sql.update(preferences)} where ${own(follower, id)} returning ${follow}`
  }
})

/** The follows behind each counter. */
export const followRows: CountedRows = {
  owner_followers: "select count(*) from follows where creator_id = s.id and ended_at is null",
  owner_following: "select count(*) from follows where follower_id = s.id and ended_at is null"
}

/** Erases follows of and by accounts that are deleted. */
export const followErasure = Effect.map(followStatements, ({ eraseSome }) => ({ eraseSome }))
