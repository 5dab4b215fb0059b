import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** ZIP attachments of Posts, as upload operations of another kind. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // The file name stays with the operation, as the row of the file goes when the file is refused or cancelled.
  yield* sql`
    alter table upload_operations
      drop constraint upload_operations_target_kind_check,
      add constraint upload_operations_target_kind_check
        check (target_kind in ('inline', 'og', 'avatar', 'header', 'attachment')),
      drop constraint upload_operations_format_check,
      add constraint upload_operations_format_check check (format in ('png', 'jpeg', 'webp', 'gif', 'zip')),
      add column file_name text,
      add constraint upload_operations_file_name check ((target_kind = 'attachment') = (file_name is not null))
  `

  // A file has the id of its operation. A ready one that its author removes stays for those who bought it.
  yield* sql`
    alter table post_attachments
      add column owner_id uuid references owners (id) on delete cascade,
      add column sha256 bytea check (octet_length(sha256) = 32),
      add column removed_at timestamptz
  `
  yield* sql`
    create unique index post_attachments_name on post_attachments (post_id, lower(file_name)) where removed_at is null
  `
  yield* sql`create index post_attachments_owner on post_attachments (owner_id)`

  yield* sql`
    create or replace function account_stored_bytes(account uuid) returns float8 language sql stable as $$
      select coalesce((
        select sum(
          coalesce(octet_length(free_content_markdown), 0) + coalesce(octet_length(paid_content_markdown), 0)
          + coalesce(pg_column_size(free_content_native), 0) + coalesce(pg_column_size(paid_content_native), 0))
        from posts where owner_id = account), 0)::float8
      + coalesce((
        select sum(staged_bytes + case when shown or held or owed is not null then coalesce(public_size, 0) else 0 end)
        from upload_operations where owner_id = account), 0)::float8
      + coalesce((select sum(byte_size) from post_attachments where owner_id = account and state = 'ready'), 0)::float8
    $$
  `

  // As in 0018. Attachments have limits of their own, and are reserved by a transaction.
  yield* sql`
    create or replace function reserve_upload(
      operation uuid, account uuid, kind text, target uuid, key text, request text, revision text, policy text,
      begun timestamptz, lease_until timestamptz, minute_ago timestamptz, day_ago timestamptz, minute_ahead timestamptz,
      request_bytes integer, staging integer, minute_transfers_max float8, day_transfers_max float8,
      day_bytes_max float8, unfinished_max integer, staged_max integer
    ) returns setof upload_operations language plpgsql as $$
    declare
      place text;
      profile record;
      post record;
      transfers record;
      operations record;
    begin
      select o.avatar_url, o.header_image_url into profile from owners o where o.id = account for no key update;
      if not found then return; end if;
      if kind = 'avatar' then place := profile.avatar_url;
      elsif kind = 'header' then place := profile.header_image_url;
      elsif kind = 'og' then
        select p.og_image, p.updated_at into post from posts p
        where p.id = target and p.owner_id = account for no key update;
        if not found or wire_time(post.updated_at) is distinct from revision then return; end if;
        place := post.og_image;
      elsif kind = 'inline' then
        select p.updated_at into post from posts p where p.id = target and p.owner_id = account for key share;
        if not found or wire_time(post.updated_at) is distinct from revision then return; end if;
      else return;
      end if;

      if exists (select from upload_operations u where u.owner_id = account and u.request_key = request) then
        return;
      end if;

      select count(*) filter (where t.begun_at > minute_ago) as in_minute, count(*) as in_day,
        coalesce(sum(t.byte_size), 0)::float8 as bytes
      into transfers from upload_transfers t
      where t.owner_id = account and t.begun_at > day_ago and t.begun_at <= minute_ahead;
      if transfers.in_minute >= minute_transfers_max or transfers.in_day >= day_transfers_max
        or transfers.bytes + request_bytes > day_bytes_max then return;
      end if;

      select count(*) filter (where u.unfinished) as unfinished, coalesce(sum(u.staged_bytes), 0) as staged
      into operations from upload_operations u
      where u.owner_id = account and u.target_kind <> 'attachment' and (u.unfinished or u.staged_bytes > 0);
      if operations.unfinished >= unfinished_max or operations.staged + staging > staged_max then return; end if;

      insert into upload_transfers (owner_id, begun_at, byte_size) values (account, begun, request_bytes);
      return query
        insert into upload_operations as u (id, owner_id, target_kind, target_id, target_key, generation, request_key,
          created_at, state, owed, due_at, attempts, policy_version, staged_bytes, replaced_url)
        select operation, account, kind, target, key, coalesce(max(o.generation), 0) + 1, request, begun, 'receiving',
          'receipt', lease_until, 1, policy, staging, place
        from upload_operations o where o.target_id = target and o.target_kind = kind and o.target_key = key
        returning u.*;
    end $$
  `
})
