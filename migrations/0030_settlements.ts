import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Payments: settlements, what they bought, who got how much of them, and the sums that leaderboards and fees read.
 *
 * Keys and hashes are bytes. A settlement refers to its Post for good, so that a Post with payments cannot be deleted.
 * The other tables refer to the settlement alone: a key of each would lock a popular Post once more for every sale.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A Post as it was sold, once for each distinct version.
  yield* sql`
    create table sold_versions (
      id uuid primary key,
      post_id uuid not null references posts (id) on delete restrict,
      sha256 bytea not null check (octet_length(sha256) = 32),
      title text not null,
      description text not null,
      free_content_markdown text,
      paid_content_markdown text,
      creation_method text,
      creation_details text,
      language text not null,
      attachments jsonb not null default '[]',
      created_at timestamptz not null,
      constraint sold_versions_content unique (post_id, sha256)
    )
  `

  // One block of the ledger that pays one thing. post_id is that of the Comment, too; a tip to a Profile has neither.
  // due_at is when to look at the ledger again, and the end of the lease of the request or the worker that looks now.
  // base_raw is the price, or the tip, without the tag of a payment session. identity is the id of the owner who buys
  // (16 bytes) or else the key of the wallet (32 bytes); tips and duplicates have none. block has the payer's own work, or
  // null for a payer who leaves it to the service: that work is made_work, and may be made anew.
  yield* sql`
    create table settlements (
      id uuid primary key,
      kind text not null check (kind in ('purchase', 'tip')),
      channel text not null check (channel in ('x402', 'session', 'claim')),
      state text not null check (state in ('settling', 'settled', 'refused', 'lapsed')),
      code text,
      duplicate boolean not null default false,
      post_id uuid references posts (id) on delete restrict,
      comment_id uuid references comments (id) on delete restrict,
      recipient_id uuid not null references owners (id) on delete restrict,
      target_id uuid not null generated always as (coalesce(comment_id, post_id, recipient_id)) stored,
      quote_hash bytea check (octet_length(quote_hash) = 32),
      payload_hash bytea check (octet_length(payload_hash) = 32),
      payment_identifier text,
      receipt_hash bytea check (octet_length(receipt_hash) = 32),
      session_id uuid,
      block_hash bytea not null check (octet_length(block_hash) = 32),
      previous bytea not null check (octet_length(previous) = 32),
      payer_key bytea not null check (octet_length(payer_key) = 32),
      pay_to_key bytea not null check (octet_length(pay_to_key) = 32),
      pay_to_role text not null check (pay_to_role in ('author', 'platform')),
      payout_revision integer,
      buyer_id uuid references owners (id) on delete restrict,
      identity bytea,
      amount_raw numeric(39, 0) not null check (amount_raw > 0),
      base_raw numeric(39, 0) not null check (base_raw > 0),
      late boolean not null default false,
      block jsonb,
      made_work text,
      created_at timestamptz not null,
      settled_at timestamptz,
      due_at timestamptz,
      attempts integer not null default 0,
      sold_version_id uuid references sold_versions (id) on delete restrict,
      constraint settlements_block unique (block_hash),
      check ((state = 'settled') = (settled_at is not null)),
      check ((state in ('settling', 'lapsed')) = (due_at is not null)),
      check (kind = 'tip' or post_id is not null),
      check (kind = 'purchase' or identity is null),
      check (comment_id is null or post_id is not null)
    )
  `
  // One quote, and one payment identifier, for one block. Those of a lapsed settlement stay taken: it may settle yet.
  yield* sql`
    create unique index settlements_quote on settlements (quote_hash)
    where quote_hash is not null and state <> 'refused'
  `
  yield* sql`
    create unique index settlements_payment_identifier on settlements (target_id, kind, payment_identifier)
    where payment_identifier is not null and state <> 'refused'
  `
  // Of two blocks that follow one block, one must lose.
  yield* sql`create unique index settlements_previous on settlements (previous) where state = 'settling'`
  // Binds the claim: a Post is bought once for each identity. It never refuses money that came.
  yield* sql`
    create unique index settlements_identity on settlements (post_id, identity)
    where kind = 'purchase' and state in ('settling', 'settled')
  `
  yield* sql`create index settlements_due_at on settlements (due_at) where due_at is not null`
  yield* sql`create index settlements_post on settlements (post_id) where post_id is not null`
  yield* sql`create index settlements_comment on settlements (comment_id) where comment_id is not null`
  yield* sql`create index settlements_payer on settlements (payer_key, post_id)`
  yield* sql`create index settlements_buyer on settlements (buyer_id, post_id) where buyer_id is not null`
  yield* sql`create index settlements_session on settlements (session_id) where session_id is not null`
  yield* sql`create index settlements_refused on settlements (created_at) where state = 'refused'`
  yield* sql`
    create index settlements_recipient on settlements (recipient_id, settled_at desc, id desc) where state = 'settled'
  `

  yield* sql`
    create table purchases (
      id uuid primary key,
      settlement_id uuid not null references settlements (id) on delete restrict,
      post_id uuid not null,
      buyer_id uuid,
      payer_key bytea not null,
      amount_raw numeric(39, 0) not null,
      late boolean not null default false,
      created_at timestamptz not null,
      constraint purchases_settlement unique (settlement_id)
    )
  `
  yield* sql`create index purchases_buyer on purchases (buyer_id, id desc) where buyer_id is not null`
  yield* sql`create index purchases_of_owner on purchases (post_id, buyer_id)`
  yield* sql`create index purchases_of_wallet on purchases (post_id, payer_key)`
  yield* sql`create index purchases_wallet on purchases (payer_key, id desc)`

  yield* sql`
    create table tips (
      id uuid primary key,
      settlement_id uuid not null references settlements (id) on delete restrict,
      post_id uuid,
      comment_id uuid,
      recipient_id uuid not null,
      buyer_id uuid,
      payer_key bytea not null,
      amount_raw numeric(39, 0) not null,
      late boolean not null default false,
      created_at timestamptz not null,
      constraint tips_settlement unique (settlement_id)
    )
  `
  yield* sql`create index tips_post on tips (post_id, id desc) where post_id is not null`
  yield* sql`create index tips_comment on tips (comment_id) include (buyer_id, amount_raw) where comment_id is not null`
  yield* sql`create index tips_buyer on tips (buyer_id, id desc) where buyer_id is not null`

  // owner_id is the author, for the platform's part as well. address and payout_revision are those of the payment.
  yield* sql`
    create table allocations (
      id uuid primary key,
      settlement_id uuid not null references settlements (id) on delete restrict,
      role text not null check (role in ('author', 'platform')),
      owner_id uuid not null,
      amount_raw numeric(39, 0) not null check (amount_raw > 0),
      address text not null,
      payout_revision integer,
      state text not null check (state in ('settled')),
      created_at timestamptz not null
    )
  `
  yield* sql`create index allocations_owner on allocations (owner_id, id desc)`
  yield* sql`create index allocations_settlement on allocations (settlement_id)`

  // Sums that the payers of one author share are split into 16 rows, so that none waits for another's commit. A sum is
  // that of all its rows. accrued_raw is the fee that the platform has not received yet; it may be negative.
  yield* sql`
    create table fee_accounts (
      owner_id uuid,
      shard smallint,
      accrued_raw numeric not null,
      primary key (owner_id, shard)
    ) with (fillfactor = 70)
  `
  yield* sql`
    create table earnings_daily (
      owner_id uuid,
      day date,
      shard smallint,
      sales integer not null default 0,
      sales_raw numeric not null default 0,
      tips integer not null default 0,
      tips_raw numeric not null default 0,
      primary key (owner_id, day, shard)
    ) with (fillfactor = 70)
  `
  yield* sql`create index earnings_daily_day on earnings_daily (day)`

  // Sums that an account paid, by UTC days.
  yield* sql`
    create table support_daily (
      owner_id uuid,
      day date,
      sales integer not null default 0,
      sales_raw numeric not null default 0,
      tips integer not null default 0,
      tips_raw numeric not null default 0,
      primary key (owner_id, day)
    ) with (fillfactor = 70)
  `
  yield* sql`create index support_daily_day on support_daily (day)`

  // The addresses that an owner had before, each until the moment of its change. Money may still come to them.
  yield* sql`
    create table payout_addresses_past (
      owner_id uuid references owners (id) on delete cascade,
      revision integer,
      address text not null,
      until timestamptz,
      primary key (owner_id, revision)
    )
  `
  yield* sql`
    create function payout_addresses_keep() returns trigger language plpgsql as $$
    begin
      insert into payout_addresses_past (owner_id, revision, address, until)
      values (old.id, old.payout_revision, old.payout_address, new.payout_updated_at)
      on conflict do nothing;
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger payout_addresses_keep after update of payout_address on owners
    for each row when (old.payout_address is not null and old.payout_address is distinct from new.payout_address)
    execute function payout_addresses_keep()`.unprepared

  // A tip to a Comment is no tip to its Post.
  yield* sql`
    create function purchases_count() returns trigger language plpgsql as $$
    begin
      insert into counter_changes (counter, subject_id, amount) values ('post_purchases', new.post_id, 1);
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger purchases_count after insert on purchases
    for each row execute function purchases_count()`.unprepared
  yield* sql`
    create function tips_count() returns trigger language plpgsql as $$
    begin
      insert into counter_changes (counter, subject_id, amount) values ('post_tips', new.post_id, 1);
      return null;
    end $$`.unprepared
  yield* sql`
    create trigger tips_count after insert on tips
    for each row when (new.post_id is not null and new.comment_id is null) execute function tips_count()`
    .unprepared
})
