import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import { Board, Period } from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { isShownSupporter, paidScores, type Scores } from "../../payments/finance/paidScores.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { type Claim, type Lease, leases, type WorkQueue } from "../../platform/work/lease.ts"

/** Names a leaderboard. */
interface Named {
  readonly board: Board
  readonly period: Period
}

/** A part of the public rows, as a viewer asks for it. */
interface Part extends Named {
  readonly viewer: OwnerId | null
  readonly limit: number
  readonly offset: number
}

const ClaimedRow = Schema.Struct({ id: Schema.String, attempts: Schema.Int, board: Board, period: Period })
export type ClaimedLeaderboard = typeof ClaimedRow.Type

const partColumns = {
  total: Schema.Int,
  my_rank: Schema.NullOr(Schema.Int),
  my_value: Schema.NullOr(Schema.String)
}
const Listed = Schema.Struct({
  ...partColumns,
  rank: Schema.Int,
  value: Schema.String,
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  avatar_url: Schema.NullOr(Schema.String),
  author_kind: AuthorKind
})
/** A public row with the total and the rank of the viewer. An empty part has only these two. */
const PartRow = Schema.Union([Listed, Schema.Struct({ ...partColumns, id: Schema.Null })])
export type PartRow = typeof PartRow.Type

const ReplacedRow = Schema.Struct({ is_changed: Schema.Boolean })

/** All followers, as Profiles show them, or the current followers whose follow began in a period. */
const followers: Scores = (sql, since) =>
  since === null
    ? sql`select id as owner_id, follower_count::numeric as value from owners where follower_count > 0`
    : sql`
      select creator_id as owner_id, count(*)::numeric as value from follows
      where ended_at is null and created_at >= ${since} group by creator_id`

/** The scores of each board. */
const scores: Readonly<Record<Board, Scores>> = { creator_followers: followers, ...paidScores }

/** Rankings of payments tell what creators earn, so they show a creator only by choice. Numbers of followers are public. */
const isShownCreator = (isUsual: boolean) => `coalesce(p.show_on_creator_leaderboards, ${isUsual})`

/** The condition by which the owner `o` with the preferences `p` is shown on each board. */
const isShown: Readonly<Record<Board, string>> = {
  creator_followers: isShownCreator(true),
  creator_sales: isShownCreator(false),
  creator_earnings: isShownCreator(false),
  supporters: isShownSupporter("p", "o")
}

const idOf = ({ board, period }: Named) => `${board}:${period}`

export const leaderboardQueue: WorkQueue = { table: "leaderboards" }

/** Statements over leaderboards and their rows. */
export const leaderboardStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, one } = statements(sql, "leaderboards")
  const { due, held, leased } = leases(sql, leaderboardQueue)

  return {
    claim: (claim: Claim) => many("claim", ClaimedRow)`
      with ${due(claim)}
      update leaderboards l set ${leased(claim)} from due where l.id = due.id
      returning l.id, l.attempts, l.board, l.period`,

    /** Makes a leaderboard due at a later time. Returns false for a lease that ended. */
    complete: (lease: Lease, dueAt: Date) =>
      changed("complete")`update leaderboards set due_at = ${dueAt} where ${held(lease)}`,

    /**
     * Replaces the rows of a leaderboard by the current scores. Writes only rows that differ, and returns true if there
     * is one.
     */
    replace: (named: Named, since: Date | null) =>
      Effect.map(
        one("replace", ReplacedRow)`
          with scored as (
            select s.owner_id, s.value, ${sql.literal(isShown[named.board])} as is_shown
            from (${scores[named.board](sql, since)}) s
            join public_owners o on o.id = s.owner_id
            left join notification_preferences p on p.owner_id = s.owner_id
          ), ranked as materialized (
            select owner_id, value, rank() over (order by value desc)::integer as rank,
              case when is_shown then
                rank() over (partition by is_shown order by value desc)
              end::integer as public_rank,
              case when is_shown then
                row_number() over (partition by is_shown order by value desc, owner_id)
              end::integer as position
            from scored
          ), gone as (
            delete from leaderboard_rows r where leaderboard_id = ${idOf(named)}
              and not exists (select from ranked where ranked.owner_id = r.owner_id)
            returning owner_id
          ), written as (
            insert into leaderboard_rows as r (leaderboard_id, owner_id, rank, value, public_rank, position)
            select ${idOf(named)}, owner_id, rank, value, public_rank, position from ranked
            where not exists (
              select from leaderboard_rows r where r.leaderboard_id = ${idOf(named)}
                and r.owner_id = ranked.owner_id and r.rank = ranked.rank and r.value = ranked.value
                and r.public_rank is not distinct from ranked.public_rank
                and r.position is not distinct from ranked.position)
            on conflict (leaderboard_id, owner_id) do update
            set rank = excluded.rank, value = excluded.value, public_rank = excluded.public_rank,
              position = excluded.position
            returning owner_id
          )
          select exists (select from gone) or exists (select from written) as is_changed`,
        ({ is_changed }) => is_changed
      ),

    erase: (owner: OwnerId) => changed("erase")`
      delete from leaderboard_rows where leaderboard_id in (select id from leaderboards) and owner_id = ${owner}`,

    /**
     * Reads public rows in one statement. Positions begin at 1 and have no gaps, so any offset costs the same, and the
     * greatest position is the total.
     */
    read: ({ limit, offset, viewer, ...named }: Part) => many("read", PartRow)`
      select counted.total, mine.rank as my_rank, mine.value::text as my_value, listed.*
      from (
        select coalesce(max(position), 0) as total from leaderboard_rows
        where leaderboard_id = ${idOf(named)} and position is not null) counted
      left join leaderboard_rows mine on mine.leaderboard_id = ${idOf(named)} and mine.owner_id = ${viewer}::uuid
      left join (
        select r.public_rank as rank, r.value::text, r.position, o.id, o.name, o.handle, o.avatar_url, o.author_kind
        from leaderboard_rows r join public_owners o on o.id = r.owner_id
        where r.leaderboard_id = ${idOf(named)} and r.position > ${offset}::bigint
          and r.position <= ${offset}::bigint + ${limit}::bigint) listed on true
      order by listed.position`
  }
})

/** Erases the places of accounts that are deleted. */
export const leaderboardErasure = Effect.map(leaderboardStatements, ({ erase }) => ({ erase }))
