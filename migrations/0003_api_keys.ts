import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Publishing keys, and the record of requests that name themselves with an Idempotency-Key. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    create table api_keys (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      key_id text not null unique,
      secret_hash bytea not null check (octet_length(secret_hash) = 32),
      label text,
      created_at timestamptz not null,
      expires_at timestamptz,
      revoked_at timestamptz
    )
  `
  yield* sql`create index api_keys_owner_id on api_keys (owner_id, created_at)`

  // scope_id is the owner or the Publishing key that the name is unique for.
  // Without a reference to the resource: a record outlives it.
  yield* sql`
    create table idempotency_records (
      scope text not null,
      scope_id uuid not null,
      idempotency_key text not null,
      fingerprint bytea not null check (octet_length(fingerprint) = 32),
      resource_id uuid not null,
      response jsonb,
      created_at timestamptz not null,
      expires_at timestamptz,
      primary key (scope, scope_id, idempotency_key)
    )
  `
  yield* sql`create index idempotency_records_expires_at on idempotency_records (expires_at)`
})
