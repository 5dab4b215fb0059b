import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { FollowListRow } from "../../../schemas/engagement/follows/Follow.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import type { Pair } from "./follows.sql.ts"

/** A page by its number, which begins at 1. */
interface Page {
  readonly page: number
  readonly limit: number
}

interface CountsRow {
  readonly followers: number
  readonly following: number
  readonly viewer_follows: boolean
}

type ListRow = FollowListRow & { readonly total: number; readonly place: number | null }

/** The two sides of a follow: the owner whose list it is, the owner in the list, and the counter of the list. */
const sides = {
  followers: { of: "creator_id", shown: "follower_id", count: "follower_count", counter: "owner_followers" },
  following: { of: "follower_id", shown: "creator_id", count: "following_count", counter: "owner_following" }
} as const

/** Returns the exact number of follows of an owner `o`: the counter, and the changes that wait to be added to it. */
const exact = ({ count, counter }: (typeof sides)["followers" | "following"]) => `
  (o.${count} + coalesce((
    select sum(amount) from counter_changes where subject_id = o.id and counter = '${counter}'), 0))::integer`

/** Statements that read who follows whom, one for each list. */
export const followListStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  // Each row has the total; an empty page is one row with only the total. Restricted owners are counted but not
  // listed. The limit is written out, because PostgreSQL plans a list with a limit as a parameter again at each
  // request.
  const page = (side: keyof typeof sides, limit: number) => {
    const { of, shown } = sides[side]
    return prepared<ListRow>(sql)(
      ["owner", "offset"],
      ({ offset, owner }) => sql`
      select counted.total, listed.*
      from (select ${sql.literal(exact(sides[side]))} as total
        from public_owners o where o.id = ${owner}) counted
      left join (
        select o.id, o.name, o.handle, o.avatar_url, o.author_kind, wire_time(f.created_at) as followed_at,
          row_number() over (order by f.created_at desc, f.id desc) as place
        from (
          select ${sql(shown)} as shown_id, created_at, id from follows
          where ${sql(of)} = ${owner} and ended_at is null
          order by created_at desc, id desc limit ${sql.literal(String(limit))} offset ${offset}) f
        cross join lateral (
          select * from public_owners where public_owners.id = f.shown_id offset 0) o) listed on true
      order by listed.place`
    )
  }
  const pages = new Map<string, ReturnType<typeof page>>()
  const pageOf = (side: keyof typeof sides, limit: number) => {
    const key = `${side} ${limit}`
    const made = pages.get(key) ?? page(side, limit)
    pages.set(key, made)
    return made
  }

  const counts = prepared<CountsRow>(sql)(
    ["owner", "viewer"],
    ({ owner, viewer }) => sql`
    select ${sql.literal(exact(sides.followers))} as followers, ${sql.literal(exact(sides.following))} as following,
      exists (select from follows where follower_id = ${viewer}::uuid and creator_id = o.id and ended_at is null)
        as viewer_follows
    from public_owners o where o.id = ${owner}`
  )

  return {
    /** Counts as the fan-out of the first publication does. A Post dated more than a day back is no news, and tells no one. */
    notified: (owner: OwnerId, post: PostId) =>
      sql<{ readonly count: number }>`
        select count(*)::integer as count
        from posts p join follows f on f.creator_id = p.owner_id
        where p.id = ${post} and p.owner_id = ${owner} and p.published_at <= p.first_published_at
          and p.published_at >= p.first_published_at - interval '1 day'
          and f.ended_at is null and f.created_at <= p.first_published_at
          and f.notify_new_posts and (f.notify_channel_inapp or f.notify_channel_email)`.pipe(
        Effect.map(([row]) => row?.count ?? 0),
        Effect.orDie
      ),
    /** Returns those of the followers that the lists of their creators have, in any order. */
    followers: (pairs: ReadonlyArray<Pair>) =>
      Effect.orDie(
        sql<FollowListRow & { readonly creator_id: OwnerId }>`
          select o.id, o.name, o.handle, o.avatar_url, o.author_kind, wire_time(f.created_at) as followed_at, f.creator_id
          from unnest(${pairs.map(({ follower }) => follower)}::uuid[], ${pairs.map(({ creator }) => creator)}::uuid[])
            wanted (follower_id, creator_id)
          join follows f using (follower_id, creator_id)
          join public_owners o on o.id = f.follower_id
          where f.ended_at is null`
      ),
    /** Returns none without the owner. */
    page: (side: keyof typeof sides, owner: OwnerId, { limit, page }: Page) =>
      Effect.map(Effect.orDie(pageOf(side, limit)({ owner, offset: (page - 1) * limit })), (rows) =>
        Option.map(Option.fromUndefinedOr(rows[0]), ({ total }) => ({
          total,
          rows: rows.filter(({ place }) => place !== null)
        }))
      ),
    /** Returns none without the owner. `viewer_follows` is false for null. */
    counts: (owner: OwnerId, viewer: OwnerId | null) =>
      Effect.map(Effect.orDie(counts({ owner, viewer })), ([row]) => Option.fromUndefinedOr(row))
  }
})
