import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Finances of authors: refunds that they sent, and obligations of the platform to them. The Posts that are for sale, in the
 * order of their catalogue, and their number.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create index posts_for_sale on posts (published_at desc, id desc) where status = 'published' and enable_paywall
  `

  // The number in parts, as that of all published Posts: their sum counts, and a part may be negative.
  yield* sql`
    create table posts_for_sale_counts (
      part smallint primary key,
      posts integer not null default 0
    ) with (fillfactor = 25)
  `
  yield* sql`
    insert into posts_for_sale_counts (part, posts)
    select part, case when part = 0 then (
      select count(*) from posts where status = 'published' and enable_paywall) else 0 end
    from generate_series(0, 31) part
  `
  // By a trigger, because the release before publishes Posts, too. A write adds to a part that no other write holds.
  yield* sql`
    create function posts_for_sale_count() returns trigger language plpgsql as $$
    declare
      change integer := 0;
      free smallint;
    begin
      if tg_op <> 'INSERT' and old.status = 'published' and old.enable_paywall then change := change - 1; end if;
      if tg_op <> 'DELETE' and new.status = 'published' and new.enable_paywall then change := change + 1; end if;
      if change <> 0 then
        select part into free from posts_for_sale_counts limit 1 for no key update skip locked;
        update posts_for_sale_counts set posts = posts + change where part = coalesce(free, 0);
      end if;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger posts_for_sale_count after insert or delete or update of status, enable_paywall on posts
    for each row execute function posts_for_sale_count()`.unprepared

  // The payments of an author by kind, and of one Post, in the order of their lists.
  yield* sql`
    create index settlements_received on settlements (recipient_id, kind, settled_at desc, id desc)
    where state = 'settled'
  `
  yield* sql`
    create index settlements_received_for_post on settlements (recipient_id, post_id, kind, settled_at desc, id desc)
    where state = 'settled' and post_id is not null
  `
  yield* sql`
    create index settlements_duplicates on settlements (recipient_id, settled_at) where state = 'settled' and duplicate
  `
  yield* sql`
    create index allocations_platform on allocations (owner_id, created_at) include (amount_raw)
    where role = 'platform'
  `

  // Money that an author sent back. owner_id is the author, at whose time the sums of a period are.
  yield* sql`
    create table refunds (
      id uuid primary key,
      settlement_id uuid not null references settlements (id) on delete restrict,
      owner_id uuid not null,
      amount_raw numeric(39, 0) not null check (amount_raw > 0),
      block_hash bytea not null check (octet_length(block_hash) = 32),
      created_at timestamptz not null,
      constraint refunds_block unique (block_hash)
    )
  `
  yield* sql`create index refunds_settlement on refunds (settlement_id)`
  yield* sql`create index refunds_owner on refunds (owner_id, created_at) include (amount_raw)`

  // Money that the platform received and owes to an author. A blocked one has no address until its owner binds one.
  yield* sql`
    create table obligations (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete restrict,
      amount_raw numeric not null check (amount_raw > 0),
      state text not null check (state in ('blocked', 'owed', 'paid')),
      reason text check (reason in ('payout_address_required', 'account_restricted')),
      bound_address text,
      bound_revision integer,
      block_hash bytea check (octet_length(block_hash) = 32),
      created_at timestamptz not null,
      paid_at timestamptz,
      constraint obligations_block unique (block_hash),
      check ((state = 'blocked') = (bound_address is null)),
      check ((state = 'blocked') = (reason is not null)),
      check ((bound_address is null) = (bound_revision is null)),
      check ((state = 'paid') = (block_hash is not null)),
      check ((state = 'paid') = (paid_at is not null))
    )
  `
  yield* sql`create index obligations_owner on obligations (owner_id, id desc)`
  yield* sql`create index obligations_unpaid on obligations (id) where state <> 'paid'`
})
