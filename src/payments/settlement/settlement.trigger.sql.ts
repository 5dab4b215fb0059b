import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"

/** Triggers over `purchases` and `tips`. */
export const settlementTriggers = [
  // A tip to a Comment is not a tip to its Post.
  `create or replace function purchases_count() returns trigger language plpgsql as $$
    begin
      ${appendCounterChanges} values ('post_purchases', new.post_id, 1);
      return null;
    end $$`,
  `create or replace trigger purchases_count after insert on purchases
    for each row execute function purchases_count()`,
  `create or replace function tips_count() returns trigger language plpgsql as $$
    begin
      ${appendCounterChanges} values ('post_tips', new.post_id, 1);
      return null;
    end $$`,
  `create or replace trigger tips_count after insert on tips
    for each row when (new.post_id is not null and new.comment_id is null) execute function tips_count()`
]
