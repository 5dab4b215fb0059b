import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Reads of Posts by UTC day, and what tells the visitors of a day apart until it ends. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Adds up hosts with their counts. The 50 with the most stay, and all others are "other".
  yield* sql`
    create function merged_sources(variadic sources jsonb[]) returns jsonb
    language sql immutable parallel safe
    return coalesce((
      select jsonb_object_agg(host, count) from (
        select case when place <= 50 then host else 'other' end as host, sum(count) as count from (
          select host, count, row_number() over (order by host = 'other', count desc, host) as place from (
            select e.key as host, sum(e.value::integer) as count
            from unnest(sources) s, jsonb_each_text(s) e group by e.key) summed) placed
        group by 1) merged), '{}')
  `

  // One row for each Post and day; a year later, for each Post and month, whose day is its first. owner_id is the author, who
  // never changes. sources are hosts with their counts. Room on each page keeps a change on the page of its row.
  yield* sql`
    create table post_reads (
      post_id uuid not null references posts (id) on delete cascade,
      day date not null,
      is_month boolean not null default false,
      owner_id uuid not null,
      people integer not null,
      agents integer not null,
      crawlers integer not null,
      feeds integer not null,
      people_walls integer not null,
      agent_walls integer not null,
      people_checkouts integer not null,
      agent_checkouts integer not null,
      visitors integer not null,
      sources jsonb not null,
      primary key (post_id, day, is_month)
    ) with (fillfactor = 70)
  `
  yield* sql`create index post_reads_owner on post_reads (owner_id, day)`
  yield* sql`create index post_reads_days on post_reads (day) where not is_month`

  // The key under which the visitors of a day are hashed, and the least hashes of each Post. Both go when the day ends. They
  // are unlogged, so that they stay out of the log, the replicas and the backups.
  yield* sql`create unlogged table visitor_keys (day date primary key, key bytea not null)`
  yield* sql`
    create unlogged table post_visitors (
      day date,
      post_id uuid,
      hashes bigint[] not null,
      primary key (day, post_id)
    )
  `
})
