import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { authorColumns } from "../../accounts/owners/authorRow.ts"
import { isHidden } from "../comments/slices.sql.ts"
import { activityColumns, type ActivityRow, type ActorRow } from "./activityRow.ts"

/** The end of a page: the time and the id of its last entry. */
interface Position {
  readonly at: string
  readonly id: string
}

/** A slice that begins after a position, or at the newest entry. */
interface Slice {
  readonly after: Position | undefined
  readonly limit: number
}

/** The part of a source of entries that is walked in the order of its index. */
interface Walk {
  readonly columns: string
  readonly from: string
  readonly where: Statement.Fragment
  readonly at: string
  readonly id: string
}

/**
 * Statements that list the actions of accounts. Each source has an index in the order of the list, so a slice is a short
 * walk of each, however deep it begins.
 */
export const activityStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  // Written out, because with a limit as a parameter the planner would read and sort everything.
  const limited = ({ limit }: Slice) => sql.literal(String(limit + 1))

  const walk = ({ at, columns, from, id, where }: Walk, slice: Slice) => {
    const { after } = slice
    const place = sql.literal(`(${at}, ${id})`)
    const beyond = after === undefined ? [] : [sql`${place} < (${after.at}::timestamptz, ${after.id}::uuid)`]
    return sql`(
      select ${sql.literal(`${columns}, ${at} as at, ${id} as id`)} from ${sql.literal(from)}
      where ${sql.and([where, ...beyond])}
      order by ${sql.literal(`${at} desc, ${id} desc`)} limit ${limited(slice)})`
  }

  // Not by `public_comments`: `offset 0` keeps the planner from reading all Posts instead of one for each Comment.
  const comments = (where: Statement.Fragment): Walk => ({
    columns: "c.author_id as actor_id, c.post_id, c.id as comment_id, c.content",
    from: `comments c cross join lateral (
      select from public_posts where public_posts.id = c.post_id and comments_enabled offset 0) discussed`,
    where: sql`${where} and not ${sql.literal(isHidden("c"))} and c.deleted_at is null`,
    at: "c.created_at",
    id: "c.id"
  })

  /** Selects the first entries of all sources together, with their Posts. */
  const first = (walks: ReadonlyArray<Walk>, columns: string, slice: Slice) => {
    const [one, other] = walks.map((it) => walk(it, slice))
    return sql`
      select ${sql.literal(columns)}, row_number() over (order by e.at desc, e.id desc) as position
      from (select * from (${one} union all ${other}) entries
        order by at desc, id desc limit ${limited(slice)}) e
      cross join lateral (select * from posts where posts.id = e.post_id offset 0) p
      cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
      cross join lateral (select * from owners where owners.id = e.actor_id offset 0) actor`
  }

  const columnsWithActor = `${activityColumns}, ${authorColumns("actor", "actor")}`
  const isOwner = (column: string) => sql`${sql.literal(column)} = (select id from owner)`

  const postsOfOwner: Walk = {
    columns: "p.owner_id as actor_id, p.id as post_id, null::uuid as comment_id, null as content",
    from: "public_posts p",
    where: isOwner("p.owner_id"),
    at: "p.published_at",
    id: "p.id"
  }
  const postsOfAgents: Walk = {
    columns: "a.owner_id as actor_id, a.post_id, null::uuid as comment_id, null as content",
    from: `post_author_kinds a cross join lateral (
      select from public_posts where public_posts.id = a.post_id offset 0) shown`,
    where: sql`a.author_kind = 'agent'`,
    at: "a.published_at",
    id: "a.post_id"
  }
  const ofOwner = [postsOfOwner, comments(isOwner("c.author_id"))]
  const ofAgents = [postsOfAgents, comments(sql`c.by_agent`)]

  return {
    /** Returns the entries of a slice and one beyond, when there are more; none without the account. */
    ofOwner: (handle: string, slice: Slice) =>
      // A row without a Post means that the account did nothing.
      sql<ActivityRow & { readonly owner_id: OwnerId }>`
        with owner as materialized (
          select id from public_owners where lower(handle) = lower(${handle}))
        select owner.id as owner_id, entries.*
        from owner left join (${first(ofOwner, activityColumns, slice)}) entries on true
        order by entries.position`.pipe(
        Effect.map(([owner, ...others]) =>
          owner === undefined
            ? Option.none()
            : Option.some({
                ownerId: owner.owner_id,
                rows: owner.post_id === null ? [] : [owner, ...others]
              })
        ),
        Effect.orDie
      ),

    /** Like `ofOwner`, for all accounts with the agent label. */
    ofAgents: (slice: Slice) =>
      Effect.orDie(sql<ActorRow>`${first(ofAgents, columnsWithActor, slice)} order by position`)
  }
})
