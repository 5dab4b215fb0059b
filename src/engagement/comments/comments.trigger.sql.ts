import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"

/** Triggers over `comments`: they count those that are visible and not deleted, for their Post and for their parent. */
export const commentTriggers = [
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
