import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Daily summaries of owners, and news of one discussion that is told at once. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create function notification_moment(at timestamptz) returns text
    language sql immutable strict parallel safe
    return lpad(to_hex(floor(extract(epoch from at at time zone 'UTC') * 1000)::bigint), 12, '0')
  `

  // The days on which something happened to an owner. Each day has its own row, which is taken when nothing more can
  // happen in it. Two who meet an owner at once may both write one: neither waits for the other, as with a unique key.
  yield* sql`
    create table notification_summaries (
      id bigint generated always as identity primary key,
      owner_id uuid not null,
      ends_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index notification_summaries_day on notification_summaries (owner_id, ends_at)`
  yield* sql`create index notification_summaries_due_at on notification_summaries (due_at)`

  // Days end at 07:00 UTC. What happened before has committed five minutes later: no request takes that long.
  yield* sql`
    create function summary_due(owner uuid, happened_at timestamptz) returns void language plpgsql as $$
    declare
      ends timestamptz := date_bin('24 hours', happened_at, timestamptz '1900-01-01 07:00:00Z') + interval '24 hours';
    begin
      insert into notification_summaries (owner_id, ends_at, due_at)
      select owner, ends, ends + interval '5 minutes'
      where not exists (select from notification_summaries where owner_id = owner and ends_at = ends);
    end $$`.unprepared

  // By triggers, because the release before takes follows, Comments and reactions, too.
  yield* sql`
    create function follows_summary() returns trigger language plpgsql as $$
    begin
      perform summary_due(new.creator_id, new.announced_at);
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger follows_summary after insert or update of announced_at on follows
    for each row when (new.announced_at is not null) execute function follows_summary()`.unprepared

  yield* sql`
    create function comments_summary() returns trigger language plpgsql as $$
    begin
      perform summary_due(owner_id, new.created_at) from posts where id = new.post_id and owner_id <> new.author_id;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger comments_summary after insert on comments
    for each row execute function comments_summary()`.unprepared

  yield* sql`
    create function reactions_summary() returns trigger language plpgsql as $$
    begin
      if new.comment_id is null then
        perform summary_due(owner_id, new.created_at) from posts where id = new.post_id;
      else
        perform summary_due(author_id, new.created_at) from comments where id = new.comment_id;
      end if;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger reactions_summary after insert on reactions
    for each row execute function reactions_summary()`.unprepared

  // News of one discussion that waits is told by one fan-out. The others name it, and are never due themselves.
  yield* sql`alter table notification_fanouts add column merged_into uuid`
  yield* sql`
    create index notification_fanouts_merged on notification_fanouts (merged_into) where merged_into is not null
  `
  yield* sql`
    create index notification_fanouts_waiting on notification_fanouts (post_id, id)
    where type = 'commented_post_activity' and attempts = 0 and merged_into is null
  `
})
