/** The function that reserves an upload by one statement. */
export const reservationFunctions = [
  `create or replace function reserve_upload(
      operation uuid, account uuid, kind text, target uuid, key text, request text, revision text, policy text,
      begun timestamptz, lease_until timestamptz, minute_ago timestamptz, day_ago timestamptz, minute_ahead timestamptz,
      request_bytes integer, staging integer, minute_transfers_max float8, day_transfers_max float8,
      day_bytes_max float8, unfinished_max integer, staged_max integer, attached text default null
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
      elsif attached is null then return;
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
      where u.owner_id = account and (u.target_kind = 'attachment') = (kind = 'attachment')
        and (u.unfinished or u.staged_bytes > 0);
      if operations.unfinished >= unfinished_max or operations.staged + staging > staged_max then return; end if;

      insert into upload_transfers (owner_id, begun_at, byte_size) values (account, begun, request_bytes);
      return query
        insert into upload_operations as u (id, owner_id, target_kind, target_id, target_key, generation, request_key,
          created_at, state, owed, due_at, attempts, policy_version, staged_bytes, replaced_url, file_name)
        select operation, account, kind, target, key, coalesce(max(o.generation), 0) + 1, request, begun, 'receiving',
          'receipt', lease_until, 1, policy, staging, place, attached
        from upload_operations o where o.target_id = target and o.target_kind = kind and o.target_key = key
        returning u.*;
    end $$`
]
