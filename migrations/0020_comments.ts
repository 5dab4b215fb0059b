import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Comments on Posts. A Comment is never removed but with its Post: deletion erases its content, and hiding takes it from
 * readers. Parent, target and root need no foreign keys, which would lock a popular Comment for each reply.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Either cause hides a Comment, and each is taken back by itself.
  yield* sql`
    create table comments (
      id uuid primary key,
      post_id uuid not null references posts (id) on delete cascade,
      author_id uuid not null references owners (id),
      content text,
      parent_comment_id uuid,
      reply_target_comment_id uuid,
      thread_root_id uuid not null,
      depth smallint not null check (depth between 0 and 4),
      created_at timestamptz not null,
      deleted_at timestamptz,
      deleted_by_role text check (deleted_by_role in ('author', 'moderator')),
      hidden_by_moderator_at timestamptz,
      hidden_with_author_at timestamptz,
      hidden_at timestamptz generated always as (least(hidden_by_moderator_at, hidden_with_author_at)) stored,
      idempotency_key text not null,
      intent bytea not null,
      by_agent boolean not null,
      reply_count integer not null default 0,
      thumbs_up integer not null default 0,
      heart integer not null default 0,
      fire integer not null default 0,
      clap integer not null default 0,
      tip_amount_raw numeric(39, 0) not null default 0,
      unique (author_id, idempotency_key),
      check ((content is null) = (deleted_at is not null)),
      check ((deleted_at is null) = (deleted_by_role is null)),
      check ((parent_comment_id is null) = (depth = 0)),
      check ((parent_comment_id is null) = (reply_target_comment_id is null))
    ) with (fillfactor = 85)
  `
  yield* sql`create index comments_of_post on comments (post_id, created_at, id)`
  yield* sql`create index comments_of_thread on comments (thread_root_id, created_at, id) where hidden_at is null`
  yield* sql`create index comments_of_author on comments (author_id, created_at desc, id desc)`
  yield* sql`
    create index comments_of_agents on comments (created_at desc, id desc)
    where by_agent and hidden_at is null and deleted_at is null`

  // Comments that are visible and not deleted count, for their Post and for their parent.
  yield* sql`
    create function comments_count() returns trigger language plpgsql as $$
    declare
      amount integer := 0;
      comment record;
    begin
      if tg_op <> 'INSERT' then
        comment := old;
        if old.hidden_at is null and old.deleted_at is null then amount := amount - 1; end if;
      end if;
      if tg_op <> 'DELETE' then
        comment := new;
        if new.hidden_at is null and new.deleted_at is null then amount := amount + 1; end if;
      end if;
      if amount <> 0 then
        insert into counter_changes (counter, subject_id, amount) values ('post_comments', comment.post_id, amount);
        if comment.parent_comment_id is not null then
          insert into counter_changes (counter, subject_id, amount)
          values ('comment_replies', comment.parent_comment_id, amount);
        end if;
      end if;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger comments_count after insert or delete or update of deleted_at, hidden_at on comments
    for each row execute function comments_count()`.unprepared

  // One writer of an author's Comments at a time: an append that read the kind before this change ends before it.
  yield* sql`
    create function lock_comments_of(author uuid) returns void language sql as $$
      select pg_advisory_xact_lock(7104220, hashtext(author::text))
    $$`.unprepared
  yield* sql`
    create function comments_by_agent() returns trigger language plpgsql as $$
    begin
      perform lock_comments_of(new.id);
      update comments set by_agent = (new.author_kind = 'agent')
      where author_id = new.id and by_agent <> (new.author_kind = 'agent');
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger comments_by_agent after update of author_kind on owners
    for each row when (old.author_kind <> new.author_kind) execute function comments_by_agent()`.unprepared
})
