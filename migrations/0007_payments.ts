import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Payments: settlements, what they bought, the receipts that read it, and the sessions of payers.
 *
 * Keys and hashes are bytes. A settlement refers to its Post for good, so that a Post with payments cannot be deleted.
 * The other tables refer to the settlement alone: a key of each would lock a popular Post once more for every sale.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // A Post as it was accepted for payment, once for each distinct version. The description, the declaration and the language
  // are those of the first time.
  // Its first reader makes its HTML, by the renderer of this number.
  yield* sql`
    create table sold_versions (
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
      renderer integer,
      html text,
      headings jsonb,
      created_at timestamptz not null,
      constraint sold_versions_content primary key (post_id, sha256)
    )
  `

  // One block of the ledger that pays one thing. post_id is that of the Comment, too; a tip to a Profile has neither.
  // due_at is when to look at the ledger again, and the end of the lease of the request or the worker that looks now.
  // looked_at is the last look, null under a lease. sent_at is when the ledger took a block that a worker sent; the pace
  // begins there. base_raw is the price, or the tip, without the tag of a payment session. identity is the id of the owner
  // who buys (16 bytes) or else the key of the wallet (32 bytes); tips and duplicates have none. block has the payer's own
  // work, or null for a payer who leaves it to the service: that work is made_work, and may be made again.
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
      looked_at timestamptz,
      sent_at timestamptz,
      version_sha256 bytea,
      constraint settlements_block unique (block_hash),
      constraint settlements_version
        foreign key (post_id, version_sha256) references sold_versions (post_id, sha256) on delete restrict,
      constraint settlements_settled check ((state = 'settled') = (settled_at is not null)),
      constraint settlements_due check ((state in ('settling', 'lapsed')) = (due_at is not null)),
      constraint settlements_purchase_of_post check (kind = 'tip' or post_id is not null),
      constraint settlements_tip_without_identity check (kind = 'purchase' or identity is null),
      constraint settlements_comment_of_post check (comment_id is null or post_id is not null)
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
  // Payments that have bought nothing, or nothing yet: the list of purchases shows them, too. They are few compared with
  // those that have bought something.
  yield* sql`
    create index settlements_unbought_buyer on settlements (buyer_id, id desc)
    where kind = 'purchase' and (due_at is not null or duplicate)
  `
  yield* sql`
    create index settlements_unbought_wallet on settlements (payer_key, id desc)
    where kind = 'purchase' and (due_at is not null or duplicate)
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

  // A session is kept for good, as evidence: its Post cannot be deleted. It expires by its time. It is live, and its amount
  // its own, until the watch of its address has seen the end of late_until. The Idempotency-Key and the token are secrets:
  // hashes alone are stored. waited_until is the end of the holder's last wait for the payment. said_sent_at: when its holder
  // said that the payment was sent; by said_payer, if they know. Only what was said after a block counts for that block.
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
      amount_raw numeric(39, 0) not null,
      version_sha256 bytea,
      state text not null default 'open' check (state in ('open', 'seen', 'paid', 'cancelled')),
      is_live boolean not null default true,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      cancelled_at timestamptz,
      late_until timestamptz not null,
      waited_until timestamptz,
      said_sent_at timestamptz,
      said_payer bytea check (octet_length(said_payer) = 32),
      seen_hash bytea check (octet_length(seen_hash) = 32),
      block_hash bytea check (octet_length(block_hash) = 32),
      received_raw numeric(39, 0),
      matched_by text check (matched_by in ('exact', 'base')),
      is_late boolean not null default false,
      settlement_id uuid,
      duplicates bytea[] not null default '{}',
      constraint payment_sessions_key unique (key_hash),
      constraint payment_sessions_version
        foreign key (post_id, version_sha256) references sold_versions (post_id, sha256) on delete restrict,
      constraint payment_sessions_tagged check (amount_raw > base_raw),
      constraint payment_sessions_purchase_of_post check (kind = 'tip' or post_id is not null),
      constraint payment_sessions_paid check ((state = 'paid') = (block_hash is not null)),
      constraint payment_sessions_settled check ((state = 'paid') = (settlement_id is not null)),
      constraint payment_sessions_seen check ((state = 'seen') = (seen_hash is not null)),
      constraint payment_sessions_cancelled check (state <> 'cancelled' or cancelled_at is not null)
    ) with (fillfactor = 85)
  `
  // No payment fits two sessions.
  yield* sql`create unique index payment_sessions_amount on payment_sessions (pay_to_key, amount_raw) where is_live`
  yield* sql`create index payment_sessions_post on payment_sessions (post_id) where post_id is not null`
  // A browser without an account has one receipt for each Post, which all its sessions for that Post share.
  yield* sql`
    create index payment_sessions_receipt on payment_sessions (receipt_hash) where receipt_hash is not null
  `
  yield* sql`
    create index payment_sessions_buyer on payment_sessions (buyer_id, post_id) where buyer_id is not null
  `

  // One row for each address with live sessions. due_at is the next look at the ledger, or the end of the lease of the worker
  // that looks now. looked_at is the last look, null under a lease. The last look over all live sessions, the late ones too,
  // began at swept_at.
  yield* sql`
    create table watched_accounts (
      id uuid primary key,
      key bytea not null check (octet_length(key) = 32),
      active_until timestamptz not null,
      due_at timestamptz not null,
      swept_at timestamptz,
      attempts integer not null default 0,
      looked_at timestamptz,
      constraint watched_accounts_key unique (key)
    ) with (fillfactor = 70)
  `
  yield* sql`create index watched_accounts_due_at on watched_accounts (due_at)`
})
