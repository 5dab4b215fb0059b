import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"

/** Counts the Comments that are visible and not deleted, for their Post and for their parent. */
const count = [
  `create or replace function comments_count() returns trigger language plpgsql as $$
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
        ${appendCounterChanges} values ('post_comments', comment.post_id, amount);
        if comment.parent_comment_id is not null then
          ${appendCounterChanges}
          values ('comment_replies', comment.parent_comment_id, amount);
        end if;
      end if;
      return null;
    end $$`,
  `create or replace trigger comments_count after insert or delete or update of deleted_at, hidden_at on comments
    for each row execute function comments_count()`
]

/** Keeps the author's kind in each Comment. An append that read the former kind ends before it changes. */
const byAgent = [
  `create or replace function lock_comments_of(author uuid) returns void language sql as $$
    select pg_advisory_xact_lock(7104220, hashtext(author::text))
  $$`,
  `create or replace function comments_by_agent() returns trigger language plpgsql as $$
    begin
      perform lock_comments_of(new.id);
      update comments set by_agent = (new.author_kind = 'agent')
      where author_id = new.id and by_agent <> (new.author_kind = 'agent');
      return null;
    end $$`,
  `create or replace trigger comments_by_agent after update of author_kind on owners
    for each row when (old.author_kind <> new.author_kind) execute function comments_by_agent()`
]

/** Triggers over `comments`. */
export const commentTriggers = [...count, ...byAgent]
