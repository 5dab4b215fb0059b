import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Uploads of images and files, from the reservation to the verdict of screening, and the files that readers download. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const nextPixels = sql.literal(`
    case when next_task not in ('screen', 'scale') then 0 when format = 'zip' then 32000000
      else least(coalesce(frames * greatest(width::bigint * height, 10000), 0), 128000000) end`)

  // due_at is the time from which a worker may do the next task: it is when to try again, and the end of the lease of the
  // worker that does it now. attempts grows with each lease and fences workers whose lease has ended.
  //
  // Each of the upload_attempts, the times that bytes were sent, has a staged file of its own. staged_bytes are reserved
  // before the first byte arrives, and given back once the staged files are gone.
  //
  // unfinished: something still happens to the operation without its author. shown: readers may see its public copy.
  // replaced_url is what stood in the place of an og, avatar or header image when its upload began. detail explains
  // last_error to the author. file_name stays when the row of the file goes, because the file is refused or cancelled.
  //
  // next_pixels are the pixels that the next task decodes. Each frame counts as 10,000 at least, because the smallest one
  // takes time too. A ZIP counts as the largest picture. heavy: more than the photos of most telephones have.
  //
  // variants are the smaller copies of a still image: the bytes of each by its width in pixels. Null until they are made,
  // and empty for an image that has none.
  yield* sql`
    create table upload_operations (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      target_kind text not null check (target_kind in ('inline', 'og', 'avatar', 'header', 'attachment')),
      target_id uuid not null,
      target_key text not null,
      generation integer not null,
      request_key text not null,
      file_name text,
      replaced_url text,
      created_at timestamptz not null,

      state text not null
        check (state in ('receiving', 'queued', 'checking', 'cleared', 'rejected', 'failed', 'cancelled')),
      next_task text check (next_task in ('receive', 'expire', 'publish', 'screen', 'clean_up', 'scale')),
      due_at timestamptz not null,
      attempts integer not null default 0,
      retries integer not null default 0,
      failures integer not null default 0,
      last_error text,
      detail text,
      desired boolean not null default true,
      held boolean not null default false,
      policy_version text not null,
      unfinished boolean not null generated always as (state in ('receiving', 'queued', 'checking')) stored,
      shown boolean not null
        generated always as (state in ('queued', 'checking', 'cleared') and not held and public_url is not null) stored,

      upload_attempts integer not null default 1,
      staged_bytes integer not null check (staged_bytes >= 0),
      received_at timestamptz,
      format text check (format in ('png', 'jpeg', 'webp', 'gif', 'zip')),
      byte_size integer,
      sha256 bytea check (octet_length(sha256) = 32),
      width integer,
      height integer,
      frames integer,
      next_pixels integer generated always as (coalesce(${nextPixels}, 0)) stored,
      heavy boolean generated always as (coalesce(${nextPixels}, 0) > 16000000) stored,
      public_url text,
      public_size integer,
      variants jsonb,
      associated_at timestamptz,

      verdict text check (verdict in ('cleared', 'rejected', 'failed')),
      decided_at timestamptz,
      engine text,
      definitions_version text,
      known_material_version text,
      finding text,

      constraint upload_operations_request unique (owner_id, request_key),
      constraint upload_operations_generation unique (target_id, target_kind, target_key, generation),
      constraint upload_operations_file_name check ((target_kind = 'attachment') = (file_name is not null)),
      constraint upload_operations_received check ((received_at is null) = (sha256 is null)),
      constraint upload_operations_copied check (received_at is not null or public_url is null),
      constraint upload_operations_copy_size check ((public_url is null) = (public_size is null)),
      constraint upload_operations_variants check (variants is null or public_url is not null),
      constraint upload_operations_decided check ((verdict is null) = (decided_at is null))
    )
  `
  yield* sql`create index upload_operations_due on upload_operations (due_at) where next_task is not null`
  // The turns of what is due, by class. A second of waiting counts as 100,000 pixels.
  yield* sql`
    create index upload_operations_turn on upload_operations
      (heavy, (case next_task when 'clean_up' then 1 when 'scale' then 2 else 0 end), ((due_at at time zone 'UTC') + next_pixels * interval '10 microseconds'))
      where next_task is not null
  `
  yield* sql`create index upload_operations_listed on upload_operations (owner_id, target_id, created_at desc, id desc)`
  // Counted against the limits of a Profile.
  yield* sql`
    create index upload_operations_limited on upload_operations (owner_id) where unfinished or staged_bytes > 0
  `
  // Listed for an administrator.
  yield* sql`
    create index upload_operations_stuck on upload_operations (created_at, id) where unfinished or held
  `

  // Listed for moderators.
  yield* sql`
    create index upload_operations_refused on upload_operations (decided_at desc, id desc)
    where state in ('rejected', 'failed')
  `

  // Cleared before there were smaller copies.
  yield* sql`
    create index upload_operations_unscaled on upload_operations (id)
      where state = 'cleared' and next_task is null and variants is null and frames = 1 and width >= 320
  `

  // Requests of the last day that carried a file, with any outcome.
  yield* sql`
    create table upload_transfers (
      owner_id uuid not null references owners (id) on delete cascade,
      begun_at timestamptz not null,
      byte_size integer not null
    )
  `
  yield* sql`create index upload_transfers_owner on upload_transfers (owner_id, begun_at)`
  yield* sql`create index upload_transfers_begun_at on upload_transfers (begun_at)`

  // Files that buyers download. Each has the id of its operation, and is receiving until all of its bytes are stored. A
  // ready one that its author removes stays for those who bought it, and may have lost its last reader at kept_until.
  yield* sql`
    create table post_attachments (
      id uuid primary key,
      post_id uuid not null references posts (id) on delete cascade,
      owner_id uuid not null references owners (id) on delete cascade,
      file_name text not null,
      byte_size bigint not null check (byte_size >= 0),
      sha256 bytea check (octet_length(sha256) = 32),
      state text not null check (state in ('receiving', 'pending', 'ready')),
      created_at timestamptz not null,
      removed_at timestamptz,
      kept_until timestamptz
    )
  `
  yield* sql`create index post_attachments_post_id on post_attachments (post_id)`
  yield* sql`
    create unique index post_attachments_name on post_attachments (post_id, lower(file_name)) where removed_at is null
  `
  yield* sql`create index post_attachments_owner on post_attachments (owner_id)`
  yield* sql`create index post_attachments_kept on post_attachments (kept_until) where kept_until is not null`
})
