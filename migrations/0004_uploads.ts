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

  // Imports: a file of posts from another platform, which its author sends in pieces. It is read in a process of its own, and
  // what it has is listed before a draft is made. due_at is when a worker may go on, and the end of the lease of the one that
  // does. attempts grows with each claim, and when an author cancels, so that no other can go on.
  //
  // action is what an import that is applying does, as its author asked for it with the key api_key_id. An import that is
  // removing is gone for its author, and its files are being removed.
  yield* sql`
    create table imports (
      id uuid primary key,
      owner_id uuid not null references owners (id) on delete cascade,
      state text not null check (state in
        ('awaiting_file', 'reading', 'review', 'applying', 'done', 'failed', 'cancelled', 'failing', 'cancelling',
         'removing')),
      kind text,
      file_name text not null,
      byte_size bigint not null,
      received bigint not null default 0,
      sha256 text,
      options json not null,
      site json,
      counts json not null,
      images json not null,
      action json,
      api_key_id uuid,
      done integer not null default 0,
      total integer,
      error json,
      created_at timestamptz not null,
      read_at timestamptz,
      finished_at timestamptz,
      began_at timestamptz not null,
      expires_at timestamptz not null,
      due_at timestamptz not null,
      attempts integer not null default 0
    )
  `
  yield* sql`
    create unique index imports_under_way on imports (owner_id)
      where state in ('awaiting_file', 'reading', 'review', 'applying')
  `
  yield* sql`create index imports_owner on imports (owner_id, id desc)`
  yield* sql`create index imports_due on imports (due_at) 
    where state in ('reading', 'applying', 'failing', 'cancelling', 'removing')`
  yield* sql`create index imports_expires on imports (expires_at)`

  // The items of a file in its order. source_key is the form and the id in the source; slug is free in the account when
  // the item is read, source_slug is that of the source. meta is for lists; content has the draft, links and pictures as they were read. pictures are those that
  // have a place in the Post. task is what the worker does with the item next. aliases are the old addresses by which other
  // items link to it, each after the id of the import and a colon. revision and draft_sha256 are those of the draft as the import
  // left it, so that an undo takes no changed one back.
  yield* sql`
    create table import_items (
      id uuid primary key,
      import_id uuid not null references imports (id) on delete cascade,
      ordinal integer not null,
      source_key text not null,
      outcome text not null,
      task text check (task in ('admit', 'apply', 'publish')),
      attempts integer not null default 0,
      slug text,
      source_slug text,
      aliases text[] not null,
      meta json not null,
      content json not null,
      pictures json not null default '[]',
      report json not null,
      severities text[] not null,
      sha256 text not null,
      post_id uuid references posts (id) on delete set null,
      revision timestamptz,
      draft_sha256 text,
      constraint import_items_ordinal unique (import_id, ordinal)
    )
  `
  yield* sql`create index import_items_outcome on import_items (import_id, outcome, ordinal)`
  yield* sql`create index import_items_source on import_items (import_id, source_key, ordinal)`
  yield* sql`create index import_items_slug on import_items (import_id, slug)`
  yield* sql`create index import_items_source_slug on import_items (import_id, source_slug)`
  yield* sql`create index import_items_task on import_items (import_id, ordinal) where task is not null`
  yield* sql`create index import_items_post on import_items (post_id) where post_id is not null`
  yield* sql`create index import_items_aliases on import_items using gin (aliases)`

  // The Posts that imports made, by their sources, so that the same file again changes nothing. sha256 is the hash of the item
  // as it was read, written_sha256 that of the members of the Post as the import wrote them. post_id has no foreign key: the
  // source of a deleted Post stays, so that an import does not bring it back by itself.
  yield* sql`
    create table import_sources (
      owner_id uuid not null references owners (id) on delete cascade,
      source_key text not null,
      post_id uuid not null,
      revision timestamptz not null,
      sha256 text not null,
      written_sha256 text not null,
      primary key (owner_id, source_key)
    )
  `
  yield* sql`create index import_sources_post on import_sources (post_id)`
})
