import { appendCounterChanges } from "../../platform/counters/counterChanges.sql.ts"

/** Triggers over `purchases`, `tips` and the addresses that money goes to. */
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
    for each row when (new.post_id is not null and new.comment_id is null) execute function tips_count()`,

  `create or replace function payout_addresses_keep() returns trigger language plpgsql as $$
    begin
      insert into payout_addresses_past (owner_id, revision, address, until)
      values (old.id, old.payout_revision, old.payout_address, new.payout_updated_at)
      on conflict do nothing;
      return null;
    end $$`,
  `create or replace trigger payout_addresses_keep after update of payout_address on owners
    for each row when (old.payout_address is not null and old.payout_address is distinct from new.payout_address)
    execute function payout_addresses_keep()`
]
