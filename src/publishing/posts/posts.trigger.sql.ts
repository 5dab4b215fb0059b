/** Triggers over `posts`, and the kinds of their authors. */
export const postTriggers = [
  // The lock on the owner, which a publication has taken already, keeps the kind until the row is visible.
  `create or replace function post_author_kinds_keep() returns trigger language plpgsql as $$
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
    end $$`,
  `create or replace trigger post_author_kinds_keep after insert or update of status, published_at on posts
    for each row execute function post_author_kinds_keep()`,
  `create or replace function post_author_kinds_change() returns trigger language plpgsql as $$
    begin
      update post_author_kinds set author_kind = new.author_kind where owner_id = new.id;
      return null;
    end $$`,
  `create or replace trigger post_author_kinds_change after update of author_kind on owners
    for each row when (old.author_kind <> new.author_kind) execute function post_author_kinds_change()`
]
