import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Follows of creators, and the changes of counters that each follow and its end append. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One row for each pair of owners, for good: a follow that ended has an end. announced_at is the time at which the creator
  // was told of this follow; null for a silent one. An e-mail for each Post is more than one click asks for, so it is off.
  yield* sql`
    create table follows (
      id uuid primary key,
      follower_id uuid not null references owners (id) on delete cascade,
      creator_id uuid not null references owners (id) on delete cascade,
      created_at timestamptz not null,
      ended_at timestamptz,
      announced_at timestamptz,
      notify_new_posts boolean not null default true,
      notify_channel_email boolean not null default false,
      notify_channel_inapp boolean not null default true,
      unique (follower_id, creator_id),
      check (follower_id <> creator_id)
    )
  `
  // Lists of followers and of followed creators, newest first, walk these without the table.
  yield* sql`
    create index follows_of_creator on follows (creator_id, created_at desc, id desc) include (follower_id)
    where ended_at is null`
  yield* sql`
    create index follows_of_follower on follows (follower_id, created_at desc, id desc) include (creator_id)
    where ended_at is null`
  // News of a creator reaches the followers in the order of their ids.
  yield* sql`create index follows_to_tell on follows (creator_id, follower_id) where ended_at is null`
  // Rows lie in the order of their begin, about: new follows of a month are found without reading all follows.
  yield* sql`create index follows_created_at on follows using brin (created_at)`

  // By a trigger, so that the counters equal the rows whatever changes them, the removal of an owner included.
  yield* sql`
    create function follows_count() returns trigger language plpgsql as $$
    declare
      pair follows := case when tg_op = 'DELETE' then old else new end;
      was integer := case when tg_op <> 'INSERT' and old.ended_at is null then 1 else 0 end;
      is_now integer := case when tg_op <> 'DELETE' and new.ended_at is null then 1 else 0 end;
    begin
      if is_now <> was then
        insert into counter_changes (counter, subject_id, amount) values
          ('owner_followers', pair.creator_id, is_now - was),
          ('owner_following', pair.follower_id, is_now - was);
      end if;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger follows_count after insert or delete or update of ended_at on follows
    for each row execute function follows_count()`.unprepared
})
