import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Owners, the ways in which they sign in, and the log of administrators. Of tokens, only the SHA-256 is stored. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // email is set only once it is confirmed. mailbox is its canonical form, by which accounts are compared. words are those that
  // find an author. deleted_at: the account was deleted, and the row stays for what refers to it. is_author stands in indexes for the count of Posts, so that a publication changes none of them. Room on
  // each page keeps such a change on the page of its row.
  yield* sql`
    create table owners (
      id uuid primary key,
      kind text not null check (kind in ('wallet', 'email', 'guest')),
      wallet_public_key bytea unique check (octet_length(wallet_public_key) = 32),
      email text,
      mailbox text,
      email_verified_at timestamptz,
      name text not null,
      handle text collate "C" not null,
      bio text,
      location text,
      social_links jsonb not null default '[]',
      pinned_post_id uuid,
      avatar_url text,
      header_image_url text,
      author_kind text not null default 'human' check (author_kind in ('human', 'agent')),
      tip_button_label text not null default 'Tip author',
      tip_amounts numeric[] not null default '{0.25,0.5,1}',
      payout_address text,
      payout_revision integer not null default 0,
      payout_updated_at timestamptz,
      published_post_count integer not null default 0,
      is_author boolean not null generated always as (published_post_count > 0) stored,
      follower_count integer not null default 0,
      following_count integer not null default 0,
      restricted_at timestamptz,
      deleted_at timestamptz,
      created_at timestamptz not null,
      words tsvector not null generated always as (to_tsvector('words', search_words(name || ' ' || handle))) stored,
      constraint owners_wallet check (kind <> 'wallet' or wallet_public_key is not null or deleted_at is not null),
      constraint owners_email check (kind <> 'email' or email is not null or deleted_at is not null),
      constraint owners_deleted check (deleted_at is null or restricted_at is not null),
      constraint owners_email_verified check ((email is null) = (email_verified_at is null)),
      constraint owners_mailbox check ((email is null) = (mailbox is null))
    ) with (fillfactor = 85)
  `
  yield* sql`create unique index owners_handle_key on owners (lower(handle))`
  yield* sql`create unique index owners_mailbox_key on owners (mailbox)`
  yield* sql`create index owners_pinned_post on owners (pinned_post_id) where pinned_post_id is not null`
  yield* sql`create index owners_publishing on owners (id) where is_author`
  yield* sql`create index owners_restricted on owners (id) where restricted_at is not null`

  yield* sql`
    create index owners_words on owners using gin (words) where is_author and restricted_at is null
  `

  // The owners whom every reader may see. PostgreSQL inlines this view, and those of Posts and Comments.
  yield* sql`create view public_owners as select * from owners where restricted_at is null`

  // Handles that their owners gave up. Their old URLs lead to the new ones until another account claims them. They are in
  // lower case, as handles are compared. If several owners had one, the last is remembered.
  yield* sql`
    create table former_handles (
      handle text collate "C" primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      released_at timestamptz not null
    )
  `
  yield* sql`create index former_handles_owner_id on former_handles (owner_id)`

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

  // owner_id is the account that a wallet is linked to, or that it deletes, by this challenge; null for a sign-in.
  yield* sql`
    create table wallet_challenges (
      id uuid primary key,
      purpose text not null check (purpose in ('sign_in', 'link', 'deletion')),
      owner_id uuid references owners (id) on delete cascade,
      public_key bytea not null check (octet_length(public_key) = 32),
      message text not null,
      issued_at timestamptz not null,
      expires_at timestamptz not null,
      failed_claims integer not null default 0,
      claimed_at timestamptz,
      constraint wallet_challenges_owner check ((purpose = 'sign_in') = (owner_id is null))
    )
  `
  yield* sql`create index wallet_challenges_expires_at on wallet_challenges (expires_at)`

  yield* sql`
    create table sessions (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      method text not null check (method in ('nano', 'email')),
      created_at timestamptz not null,
      expires_at timestamptz not null,
      revoked_at timestamptz
    )
  `
  yield* sql`create index sessions_owner_id on sessions (owner_id)`
  yield* sql`create index sessions_expires_at on sessions (expires_at)`

  // A family is the tokens of one session. The current one has not been rotated; the others are kept so that their reuse
  // is seen.
  yield* sql`
    create table refresh_tokens (
      token_hash bytea primary key check (octet_length(token_hash) = 32),
      session_id uuid not null references sessions (id) on delete cascade,
      created_at timestamptz not null,
      rotated_at timestamptz,
      replaced_by bytea,
      sealed_replacement bytea
    )
  `
  yield* sql`create unique index refresh_tokens_current on refresh_tokens (session_id) where rotated_at is null`
  yield* sql`create index refresh_tokens_session_id on refresh_tokens (session_id)`
  yield* sql`create index refresh_tokens_sealed on refresh_tokens (rotated_at) where sealed_replacement is not null`

  // Cookies that stand for a session of their owner, and end with it.
  yield* sql`
    create table browser_sessions (
      session_id uuid primary key references sessions (id) on delete cascade,
      token_hash bytea not null unique check (octet_length(token_hash) = 32),
      label text not null check (char_length(label) <= 100),
      created_at timestamptz not null
    )
  `

  // Publishing keys.
  yield* sql`
    create table api_keys (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      key_id text not null unique,
      secret_hash bytea not null check (octet_length(secret_hash) = 32),
      label text,
      is_website boolean not null default false,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz
    )
  `
  yield* sql`create index api_keys_owner_id on api_keys (owner_id, created_at)`

  // The latest change of an owner. A confirmed one stays, so that a repeat of its confirmation is known.
  yield* sql`
    create table email_changes (
      owner_id uuid primary key references owners (id) on delete cascade,
      id uuid not null unique,
      email text not null,
      requested_at timestamptz not null,
      confirmed_at timestamptz
    )
  `

  // The proof that confirmed the address of an account, for repeats. sealed_pair is the answer to an e-mail session.
  yield* sql`
    create table email_confirmations (
      owner_id uuid primary key references owners (id) on delete cascade,
      change_id uuid not null,
      code_hash bytea not null check (octet_length(code_hash) = 32),
      confirmed_at timestamptz not null,
      session_id uuid,
      sealed_pair bytea
    )
  `
  yield* sql`
    create index email_confirmations_sealed on email_confirmations (confirmed_at) where sealed_pair is not null
  `

  // The subject is what the code opens: a mailbox, a registration, a change of address, or the deletion of an account. Every mailbox that is asked for
  // has its row, whether or not it has an owner.
  yield* sql`
    create table email_codes (
      purpose text not null check (purpose in ('login', 'registration', 'email_change', 'account_deletion')),
      subject text not null,
      mailbox text not null,
      code_hash bytea not null check (octet_length(code_hash) = 32),
      issued_at timestamptz not null,
      expires_at timestamptz not null,
      tries integer not null default 0,
      redeemed_at timestamptz,
      primary key (purpose, subject)
    )
  `
  yield* sql`create index email_codes_expires_at on email_codes (expires_at)`

  // owner_id is set by the verification, api_key_id by the one key of the registration.
  yield* sql`
    create table registrations (
      id uuid primary key,
      email text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      owner_id uuid references owners (id) on delete cascade,
      api_key_id uuid
    )
  `
  yield* sql`create index registrations_owner_id on registrations (owner_id)`
  yield* sql`create index registrations_unverified on registrations (expires_at) where owner_id is null`

  // Accounts that their owners, or administrators, delete. Such an account is restricted. Until erases_at its owner may keep
  // it, and the row goes. Then a worker erases it, by steps; due_at and attempts are its lease. was_restricted: a moderator's
  // restriction, which outlasts a deletion that is taken back. counts are those of the account when the deletion began.
  // kept_images are the images that stay for buyers, because texts that they read show them.
  yield* sql`
    create table account_deletions (
      id uuid primary key references owners (id) on delete cascade,
      requested_at timestamptz not null,
      erases_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0,
      was_restricted boolean not null,
      step text,
      counts jsonb not null,
      kept_images uuid[] not null default '{}',
      ended_at timestamptz
    )
  `
  yield* sql`create index account_deletions_due_at on account_deletions (due_at) where ended_at is null`

  // Handles of deleted accounts, as keyed hashes. Until then no account may take one, and its pages are gone (410).
  yield* sql`
    create table retired_handles (
      hash bytea primary key check (octet_length(hash) = 32),
      until timestamptz not null
    )
  `
  yield* sql`create index retired_handles_until on retired_handles (until)`

  // Accounts that may moderate.
  yield* sql`
    create table moderators (
      owner_id uuid primary key references owners (id) on delete cascade,
      added_at timestamptz not null
    )
  `

  // The audit log of administrators and moderators. It outlives the accounts and things that it names. actor_id is the account
  // of a moderator, whose handle was actor then; null for an administrator. The owner of the subject reads reason_for_author.
  yield* sql`
    create table administrator_actions (
      id uuid primary key,
      action text not null,
      actor text not null default 'administrator',
      actor_id uuid,
      subject_id uuid not null,
      reason text not null,
      reason_for_author text,
      created_at timestamptz not null
    )
  `
  yield* sql`create index administrator_actions_subject on administrator_actions (subject_id, created_at)`
  yield* sql`create index administrator_actions_newest on administrator_actions (created_at desc, id desc)`
})
