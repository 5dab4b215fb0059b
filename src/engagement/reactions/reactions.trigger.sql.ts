import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"

/**
 * Triggers over `reactions` that append the changes of counters. By a trigger, so that the counters equal the rows after
 * any change, the removal of a target or an owner included.
 */
export const reactionTriggers = [
  `create or replace function reactions_changed() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        ${appendCounterChanges}
        values (old.target_kind || '_' || old.reaction, old.target_id, -1);
      end if;
      ${appendCounterChanges}
      values (new.target_kind || '_' || new.reaction, new.target_id, 1);
      return null;
    end $$`,
  `create or replace trigger reactions_added after insert on reactions
    for each row execute function reactions_changed()`,
  `create or replace trigger reactions_changed after update on reactions
    for each row when (old.reaction <> new.reaction) execute function reactions_changed()`,

  // One change for each counter: a target or an owner that is deleted may have had very many.
  `create or replace function reactions_removed() returns trigger language plpgsql as $$
    begin
      ${appendCounterChanges}
      select target_kind || '_' || reaction, target_id, -count(*) from removed group by target_kind, reaction, target_id;
      return null;
    end $$`,
  `create or replace trigger reactions_removed after delete on reactions referencing old table as removed
    for each statement execute function reactions_removed()`
]
