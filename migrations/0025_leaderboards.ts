import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Leaderboards, one for each board and period, which are leased work every five minutes, and their rows. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table leaderboards (
      id text primary key,
      board text not null,
      period text not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index leaderboards_due_at on leaderboards (due_at)`
  yield* sql`
    insert into leaderboards (id, board, period, due_at)
    select board || ':' || period, board, period, timestamptz 'epoch'
    from unnest(array['creator_sales', 'creator_earnings', 'creator_followers', 'supporters']) board,
      unnest(array['all', 'month', 'week']) period
  `

  // Every owner with a score has a row. position counts the public rows from 1; owners who are not shown have none. There
  // is no foreign key: the next refresh takes the row of a removed owner, and readers join the owners.
  yield* sql`
    create table leaderboard_rows (
      leaderboard_id text not null references leaderboards (id),
      owner_id uuid not null,
      rank integer not null,
      value numeric(39, 0) not null,
      position integer,
      primary key (leaderboard_id, owner_id)
    )
  `
  yield* sql`
    create index leaderboard_rows_shown on leaderboard_rows (leaderboard_id, position) where position is not null`
})
