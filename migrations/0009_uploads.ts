import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Images that were uploaded, from the reservation to the verdict of screening. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `owed` names the next task, `due_at` the time from which a worker may do it: it is when to try
  // again, and the end of the lease of who does it now. `attempts` grows with each lease and fences
  // those whose lease has ended.
  //
  // Each of the `receipts`, the times that bytes were sent, has a staged file of its own. `staged_bytes`
  // are reserved before the first byte arrives, and given back once the staged files are gone.
  yield* sql`
    create table upload_operations (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      target_kind text not null check (target_kind in ('inline', 'og', 'avatar', 'header')),
      target_id uuid not null,
      target_key text not null,
      generation integer not null,
      request_key text not null,
      created_at timestamptz not null,

      state text not null
        check (state in ('receiving', 'queued', 'checking', 'cleared', 'rejected', 'failed', 'cancelled')),
      owed text check (owed in ('receipt', 'expiry', 'promotion', 'screening', 'cleanup')),
      due_at timestamptz not null,
      attempts integer not null default 0,
      retries integer not null default 0,
      failures integer not null default 0,
      last_error text,
      desired boolean not null default true,
      held boolean not null default false,
      policy_version text not null,

      receipts integer not null default 1,
      staged_bytes integer not null check (staged_bytes >= 0),
      received_at timestamptz,
      format text check (format in ('png', 'jpeg', 'webp', 'gif')),
      byte_size integer,
      sha256 bytea check (octet_length(sha256) = 32),
      width integer,
      height integer,
      frames integer,
      public_url text,
      public_size integer,
      associated_at timestamptz,

      verdict text check (verdict in ('cleared', 'rejected', 'failed')),
      decided_at timestamptz,
      engine text,
      definitions_version text,
      known_material_version text,
      finding text,

      constraint upload_operations_request unique (owner_id, request_key),
      constraint upload_operations_generation unique (target_id, target_kind, target_key, generation),
      check ((received_at is null) = (sha256 is null)),
      check (received_at is not null or public_url is null),
      check ((public_url is null) = (public_size is null)),
      check ((verdict is null) = (decided_at is null))
    )
  `
  yield* sql`create index upload_operations_due on upload_operations (due_at) where owed is not null`
  yield* sql`create index upload_operations_listed on upload_operations (owner_id, target_id, created_at desc, id desc)`
  // Transfers that count against the limits of a Profile.
  yield* sql`
    create index upload_operations_counted on upload_operations (owner_id)
    where state in ('receiving', 'queued', 'checking') or staged_bytes > 0
  `
  // Operations that may need an administrator.
  yield* sql`
    create index upload_operations_unsettled on upload_operations (created_at, id)
    where state in ('receiving', 'queued', 'checking') or held
  `

  // Requests that carried a file, whatever became of it; of the last day.
  yield* sql`
    create table upload_transfers (
      owner_id uuid not null references owners (id) on delete cascade,
      begun_at timestamptz not null,
      byte_size integer not null
    )
  `
  yield* sql`create index upload_transfers_owner on upload_transfers (owner_id, begun_at)`
  yield* sql`create index upload_transfers_begun_at on upload_transfers (begun_at)`
})
