import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Payment sessions, and the addresses that the service watches for their payments. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A session is kept for good, as evidence: its Post cannot be deleted. It expires by its time. It is live, and its amount
  // its own, until the watch of its address has seen the end of late_until. The Idempotency-Key and the token are secrets:
  // hashes alone are stored.
  yield* sql`
    create table payment_sessions (
      id uuid primary key,
      kind text not null check (kind in ('purchase', 'tip')),
      post_id uuid references posts (id) on delete restrict,
      comment_id uuid,
      recipient_id uuid not null references owners (id),
      buyer_id uuid references owners (id),
      key_hash bytea not null check (octet_length(key_hash) = 32),
      intent bytea not null,
      token_hash bytea not null check (octet_length(token_hash) = 32),
      receipt_hash bytea check (octet_length(receipt_hash) = 32),
      pay_to_key bytea not null check (octet_length(pay_to_key) = 32),
      payout_revision integer,
      base_raw numeric(39, 0) not null,
      amount_raw numeric(39, 0) not null check (amount_raw > base_raw),
      state text not null default 'open' check (state in ('open', 'seen', 'paid', 'cancelled')),
      is_live boolean not null default true,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      cancelled_at timestamptz,
      late_until timestamptz not null,
      seen_hash bytea check (octet_length(seen_hash) = 32),
      block_hash bytea check (octet_length(block_hash) = 32),
      received_raw numeric(39, 0),
      matched_by text check (matched_by in ('exact', 'base')),
      is_late boolean not null default false,
      settlement_id uuid,
      duplicates bytea[] not null default '{}',
      constraint payment_sessions_key unique (key_hash),
      check (kind = 'tip' or post_id is not null),
      check ((state = 'paid') = (block_hash is not null)),
      check ((state = 'paid') = (settlement_id is not null)),
      check ((state = 'seen') = (seen_hash is not null)),
      check (state <> 'cancelled' or cancelled_at is not null)
    ) with (fillfactor = 85)
  `
  // No payment fits two sessions.
  yield* sql`create unique index payment_sessions_amount on payment_sessions (pay_to_key, amount_raw) where is_live`
  yield* sql`create index payment_sessions_post on payment_sessions (post_id) where post_id is not null`

  // One row for each address with live sessions. due_at is the next look at the ledger, or the end of the lease of the worker
  // that looks now. The last look over all live sessions, the late ones too, began at swept_at.
  yield* sql`
    create table watched_accounts (
      id uuid primary key,
      key bytea not null check (octet_length(key) = 32),
      active_until timestamptz not null,
      due_at timestamptz not null,
      swept_at timestamptz,
      attempts integer not null default 0,
      constraint watched_accounts_key unique (key)
    ) with (fillfactor = 70)
  `
  yield* sql`create index watched_accounts_due_at on watched_accounts (due_at)`
})
