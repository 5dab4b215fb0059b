import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Wallet challenges, owner sessions and their refresh tokens. Tokens are stored as SHA-256 alone. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table wallet_challenges (
      id uuid primary key,
      public_key bytea not null check (octet_length(public_key) = 32),
      message text not null,
      issued_at timestamptz not null,
      expires_at timestamptz not null,
      failed_claims integer not null default 0,
      claimed_at timestamptz
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

  // A family is the tokens of one session. The current one has not been rotated;
  // the others are kept so that their reuse is seen.
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
})
