import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Reactions to Posts and Comments, and where the sweep that compares counters with their rows stands. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // One of the two ids is the target. A key of each shares a lock on the row that it names, so that reactions to one
  // target never wait for each other.
  yield* sql`
    create table reactions (
      target_id uuid not null generated always as (coalesce(comment_id, post_id)) stored,
      target_kind text not null generated always as (case when comment_id is null then 'post' else 'comment' end) stored,
      owner_id uuid not null references owners (id) on delete cascade,
      post_id uuid references posts (id) on delete cascade,
      comment_id uuid references comments (id) on delete cascade,
      reaction text not null check (reaction in ('thumbs_up', 'heart', 'fire', 'clap')),
      created_at timestamptz not null,
      changed_at timestamptz not null,
      primary key (target_id, owner_id),
      check (num_nonnulls(post_id, comment_id) = 1)
    )
  `
  // Each answers a page of owners with one reaction, and finds the rows of a target that is deleted.
  yield* sql`
    create index reactions_of_posts on reactions (post_id, reaction, changed_at desc, owner_id desc)
    where post_id is not null
  `
  yield* sql`
    create index reactions_of_comments on reactions (comment_id, reaction, changed_at desc, owner_id desc)
    where comment_id is not null
  `
  yield* sql`create index reactions_owner on reactions (owner_id, changed_at desc)`

  yield* sql`
    create function reactions_changed() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        insert into counter_changes (counter, subject_id, amount)
        values (old.target_kind || '_' || old.reaction, old.target_id, -1);
      end if;
      insert into counter_changes (counter, subject_id, amount)
      values (new.target_kind || '_' || new.reaction, new.target_id, 1);
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger reactions_added after insert on reactions
    for each row execute function reactions_changed()`.unprepared
  yield* sql`
    create trigger reactions_changed after update on reactions
    for each row when (old.reaction <> new.reaction) execute function reactions_changed()`.unprepared

  // One change for each counter: a target or an owner that is deleted may have had very many.
  yield* sql`
    create function reactions_removed() returns trigger language plpgsql as $$
    begin
      insert into counter_changes (counter, subject_id, amount)
      select target_kind || '_' || reaction, target_id, -count(*) from removed group by target_kind, reaction, target_id;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger reactions_removed after delete on reactions referencing old table as removed
    for each statement execute function reactions_removed()`.unprepared

  // The replies to a Comment, which its counter is compared with.
  yield* sql`
    create index comments_replies on comments (parent_comment_id)
    where parent_comment_id is not null and hidden_at is null and deleted_at is null
  `

  // The last subject of each table whose counters were compared with their rows.
  yield* sql`create table counter_audits (counter_table text primary key, after_id uuid not null)`
})
