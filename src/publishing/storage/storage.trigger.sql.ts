/**
 * Functions of the bytes that an account stores: sections of Posts, files of images that are staged, and public copies
 * that are there. Lengths of long texts are known without reading them; a native document counts as PostgreSQL keeps it.
 */
export const storageFunctions = [
  `create or replace function account_stored_bytes(account uuid) returns float8 language sql stable as $$
    select coalesce((
      select sum(
        coalesce(octet_length(free_content_markdown), 0) + coalesce(octet_length(paid_content_markdown), 0)
        + coalesce(pg_column_size(free_content_native), 0) + coalesce(pg_column_size(paid_content_native), 0))
      from posts where owner_id = account), 0)::float8
    + coalesce((
      select sum(staged_bytes + case when shown or held or owed is not null then coalesce(public_size, 0) else 0 end)
      from upload_operations where owner_id = account), 0)::float8
    + coalesce((select sum(byte_size) from post_attachments where owner_id = account and state = 'ready'), 0)::float8
  $$`
]
