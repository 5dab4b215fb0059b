import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Counters that strangers share. A write appends what it changes and locks no shared row. A worker adds the changes to
 * the rows that readers see, twice a second.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Rows live for a second. Vacuum often, or every look at the table reads the dead ones.
  yield* sql`
    create table counter_changes (
      id bigint generated always as identity primary key,
      counter text not null,
      subject_id uuid not null,
      amount integer not null
    ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_threshold = -1)
  `
  yield* sql`create index counter_changes_subject on counter_changes (subject_id)`

  // The counters of a Post that was public once. The columns in posts were never counted, and stay for the release before.
  yield* sql`
    create table post_counts (
      post_id uuid primary key references posts (id) on delete cascade,
      comments integer not null default 0,
      thumbs_up integer not null default 0,
      heart integer not null default 0,
      fire integer not null default 0,
      clap integer not null default 0,
      reactions integer not null generated always as (thumbs_up + heart + fire + clap) stored,
      purchases integer not null default 0,
      tips integer not null default 0
    ) with (fillfactor = 50)
  `
  yield* sql`insert into post_counts (post_id) select id from posts where status = 'published'`
  yield* sql`create index post_counts_reactions on post_counts (reactions desc, post_id desc)`
  yield* sql`create index post_counts_purchases on post_counts (purchases desc, post_id desc)`

  // By a trigger, because the release before publishes Posts, too.
  yield* sql`
    create function post_counts_begin() returns trigger language plpgsql as $$
    begin
      insert into post_counts (post_id) values (new.id) on conflict do nothing;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger post_counts_begin after insert or update of status on posts
    for each row when (new.status = 'published') execute function post_counts_begin()`.unprepared
})
