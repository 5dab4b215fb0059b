import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The public Posts by the kind of their authors, newest first. In `posts` itself, a new label would write each Post of
 * the account anew, with the index of its words: 1.4 ms each, where a row here takes 0.03 ms.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table post_author_kinds (
      post_id uuid primary key references posts (id) on delete cascade,
      owner_id uuid not null,
      author_kind text not null,
      published_at timestamptz not null
    )
  `
  yield* sql`
    insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
    select p.id, o.id, o.author_kind, p.published_at
    from posts p join owners o on o.id = p.owner_id where p.status = 'published'
  `
  yield* sql`create index post_author_kinds_newest on post_author_kinds (author_kind, published_at desc, post_id desc)`
  yield* sql`create index post_author_kinds_owner on post_author_kinds (owner_id)`
  // The few accounts with the label, for the number of their Posts.
  yield* sql`create index owners_agents on owners (id) where author_kind = 'agent'`

  // By triggers, because the release before publishes Posts and labels accounts, too. The lock on the owner, which a
  // publication has taken already, keeps the kind until the row is visible.
  yield* sql`
    create function post_author_kinds_keep() returns trigger language plpgsql as $$
    begin
      if new.status = 'published' then
        insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
        select new.id, o.id, o.author_kind, new.published_at
        from owners o where o.id = new.owner_id for no key update
        on conflict (post_id) do update set published_at = excluded.published_at;
      else
        delete from post_author_kinds where post_id = new.id;
      end if;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger post_author_kinds_keep after insert or update of status, published_at on posts
    for each row execute function post_author_kinds_keep()`.unprepared
  yield* sql`
    create function post_author_kinds_change() returns trigger language plpgsql as $$
    begin
      update post_author_kinds set author_kind = new.author_kind where owner_id = new.id;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger post_author_kinds_change after update of author_kind on owners
    for each row when (old.author_kind <> new.author_kind) execute function post_author_kinds_change()`
    .unprepared
})
