import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The parts of payments, their sums, refunds, obligations, gifts and receipts. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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
  yield* sql`
    create index allocations_platform on allocations (owner_id, created_at) include (amount_raw)
    where role = 'platform'
  `

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

  // Sales of each Post, and the sum of its sales and tips, of all days.
  yield* sql`
    create table post_earnings (
      owner_id uuid,
      post_id uuid,
      shard smallint,
      sales integer not null,
      earned_raw numeric not null,
      primary key (owner_id, post_id, shard)
    ) with (fillfactor = 70)
  `

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
      constraint obligations_blocked check ((state = 'blocked') = (bound_address is null)),
      constraint obligations_reason check ((state = 'blocked') = (reason is not null)),
      constraint obligations_bound check ((bound_address is null) = (bound_revision is null)),
      constraint obligations_paid_block check ((state = 'paid') = (block_hash is not null)),
      constraint obligations_paid check ((state = 'paid') = (paid_at is not null))
    )
  `
  yield* sql`create index obligations_owner on obligations (owner_id, id desc)`
  yield* sql`create index obligations_unpaid on obligations (id) where state <> 'paid'`

  // Each gift lets a number of readers read one paid Post without a payment. The secret of the token is not stored. Nothing
  // was paid, so a gift goes with its Post. Access that was redeemed goes on after revoked_at, until access_ended_at.
  yield* sql`
    create table gifts (
      id uuid primary key,
      owner_id uuid not null references owners (id),
      post_id uuid not null references posts (id) on delete cascade,
      secret_hash bytea not null check (octet_length(secret_hash) = 32),
      label text,
      max_redemptions integer not null check (max_redemptions between 1 and 10000),
      redemptions integer not null default 0,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz,
      access_ended_at timestamptz,
      constraint gifts_redemptions check (redemptions between 0 and max_redemptions),
      constraint gifts_access_ended check (access_ended_at is null or revoked_at is not null)
    )
  `
  yield* sql`create index gifts_owner on gifts (owner_id, id desc)`
  yield* sql`create index gifts_post on gifts (post_id, id desc)`
  // Those that may be active: their number is limited.
  yield* sql`
    create index gifts_active on gifts (owner_id, expires_at)
    where revoked_at is null and redemptions < max_redemptions
  `

  // A redemption is an account's, or that of the receipt which it answered. key_hash names the one of an Idempotency-Key.
  // An account that takes a redemption leaves key_hash: a repeat of the first request still counts once.
  yield* sql`
    create table gift_redemptions (
      id uuid primary key,
      gift_id uuid not null references gifts (id) on delete cascade,
      post_id uuid not null,
      reader_id uuid references owners (id),
      key_hash bytea check (octet_length(key_hash) = 32),
      created_at timestamptz not null,
      constraint gift_redemptions_reader unique (gift_id, reader_id),
      constraint gift_redemptions_key unique (gift_id, key_hash)
    )
  `
  yield* sql`
    create index gift_redemptions_of_reader on gift_redemptions (post_id, reader_id) where reader_id is not null
  `

  // Each receipt reads one Post without an account. It is of a purchase, or of a redemption of a gift. A purchase may have
  // several: one for each quote that showed the wallet that paid. The secret is not stored.
  yield* sql`
    create table access_receipts (
      id uuid primary key,
      token_hash bytea not null check (octet_length(token_hash) = 32),
      post_id uuid not null,
      purchase_id uuid references purchases (id) on delete restrict,
      redemption_id uuid references gift_redemptions (id) on delete cascade,
      created_at timestamptz not null,
      revoked_at timestamptz,
      constraint access_receipts_token unique (token_hash),
      constraint access_receipts_source check (num_nonnulls(purchase_id, redemption_id) = 1)
    )
  `
  yield* sql`create index access_receipts_purchase on access_receipts (purchase_id) where purchase_id is not null`
  yield* sql`create index access_receipts_redemption on access_receipts (redemption_id) where redemption_id is not null`
})
