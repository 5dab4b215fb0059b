import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** E-mail addresses of accounts, the codes that confirm them, registrations, and the outbox of mail. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // In the form that addresses are compared in; only a confirmed one stands here.
  yield* sql`alter table owners add column email text, add column email_verified_at timestamptz`
  yield* sql`create unique index owners_email_key on owners (email)`
  yield* sql`
    alter table owners
      add check ((email is null) = (email_verified_at is null)),
      add check (kind <> 'email' or email is not null)
  `

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

  // The subject is what the code opens: a mailbox, a registration, or a change of address.
  // Every mailbox that is asked for has its row, whether or not it has an owner.
  yield* sql`
    create table email_codes (
      purpose text not null check (purpose in ('login', 'registration', 'email_change')),
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

  // The content of a mail is sealed, as it holds codes. due_at is when it may be taken, which also is
  // the end of the lease of who took it; attempts fences those whose lease has ended.
  yield* sql`
    create table mails (
      id uuid primary key,
      recipient text not null,
      sealed_content bytea not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`create index mails_due_at on mails (due_at)`
})
