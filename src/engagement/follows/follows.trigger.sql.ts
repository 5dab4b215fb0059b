import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"

/**
 * Triggers over `follows` that append the changes of counters. By a trigger, so that the counters equal the rows after any
 * change, the removal of an owner included.
 */
export const followTriggers = [
  `create or replace function follows_count() returns trigger language plpgsql as $$
    declare
      pair follows := case when tg_op = 'DELETE' then old else new end;
      was integer := case when tg_op <> 'INSERT' and old.ended_at is null then 1 else 0 end;
      is_now integer := case when tg_op <> 'DELETE' and new.ended_at is null then 1 else 0 end;
    begin
      if is_now <> was then
        ${appendCounterChanges} values
          ('owner_followers', pair.creator_id, is_now - was),
          ('owner_following', pair.follower_id, is_now - was);
      end if;
      return null;
    end $$`,
  `create or replace trigger follows_count after insert or delete or update of ended_at on follows
    for each row execute function follows_count()`
]
