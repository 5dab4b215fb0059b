/**
 * The statements of the service as it sends them, for the reference servers to send the same. The benchmark compares
 * these texts with what PostgreSQL got from the service, and does not run while they differ.
 */

const summary = `
  'id', p.id,
  'title', p.title,
  'description', p.description,
  'slug', p.slug,
  'url', $1::text || '/@' || o.handle || '/' || p.slug,
  'enablePaywall', p.enable_paywall,
  'priceRaw', p.price_raw::text,
  'primaryCategoryId', p.primary_category_id,
  'secondaryCategoryId', p.secondary_category_id,
  'language', p.language,
  'ogImageEffective', coalesce(p.og_image, p.first_image),
  'creationMethod', p.creation_method,
  'creationDetails', p.creation_details,
  'publishedAt', wire_time(p.published_at),
  'updatedAt', wire_time(p.updated_at),
  'author', json_build_object('id', o.id, 'name', o.name, 'handle', o.handle, 'avatarUrl', o.avatar_url,
    'authorKind', o.author_kind),
  'counts', json_build_object('comments', p.comment_count, 'reactions', p.reaction_count,
    'purchases', p.purchase_count, 'tips', p.tip_count)`

const published = `from posts p join owners o on o.id = p.owner_id where p.status = 'published'`

/** Parameters: origin, limit, offset, page, per page. */
export const newest = {
  name: "newest",
  text: `
    select text, md5(text) as etag from (
      select json_build_object(
        'data', coalesce((
          select json_agg(summary) from (
            select json_build_object(${summary}) as summary ${published}
            order by p.published_at desc, p.id desc limit $2 offset $3) as summaries), '[]'::json),
        'total', (select coalesce(sum(primary_post_count), 0) from categories),
        'page', $4::integer,
        'per_page', $5::integer)::text as text) as answer`
}

/** Parameters: origin, words, limit, offset, the words again, page, per page. */
export const search = {
  name: "search",
  text: `
    select text, md5(text) as etag from (
      select json_build_object(
        'data', coalesce((
          select json_agg(summary) from (
            select json_build_object(${summary}) as summary ${published}
            and p.search @@ websearch_to_tsquery('english', $2)
            order by p.published_at desc, p.id desc limit $3 offset $4) as summaries), '[]'::json),
        'total', (select count(*) ${published} and p.search @@ websearch_to_tsquery('english', $5)),
        'page', $6::integer,
        'per_page', $7::integer)::text as text) as answer`
}

/** Parameters: origin, id. */
export const post = {
  name: "post",
  text: `
    select text, md5(text) as etag from (select json_build_object(${summary},
      'freeContentMarkdown', case when p.enable_paywall then p.free_content_markdown
        else nullif(concat_ws(E'\\n\\n', p.free_content_markdown, p.paid_content_markdown), '') end)::text as text
      from posts p join owners o on o.id = p.owner_id where p.id = $2 and p.status = 'published') as answer`
}

/** Parameters: key id, now. */
export const activeKey = {
  name: "active_key",
  text: `
    select id, owner_id, secret_hash from api_keys
    where key_id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`
}

/**
 * Parameters: the seven columns of the claim; the slug's base three times, how many numbers were tried, the owner and
 * the base again; the 22 columns of the Post; the origin.
 */
export const create = {
  name: "create",
  text: `
    with claimed as (
      insert into idempotency_records as record
        (scope, scope_id, idempotency_key, fingerprint, resource_id, created_at, expires_at)
      values ($1, $2::uuid, $3, $4, $5::uuid, $6, $7)
      on conflict (scope, scope_id, idempotency_key) do update
      set fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, response = null,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      where record.expires_at <= excluded.created_at
      returning resource_id),
    slug as (
      select case when number = 1 then $8 else $9 || '-' || number end as slug, $10::text as base, number
      from (
        select coalesce(max(slug_number), 0) + 1 + $11::integer as number from posts
        where owner_id = $12 and slug_base = $13) as next),
    p as (
      insert into posts (id, owner_id, enable_paywall, price_raw, title, description, free_content_markdown,
        paid_content_markdown, primary_category_id, secondary_category_id, canonical_url, language,
        comments_enabled, og_title, og_description, og_image, first_image, creation_method, creation_details,
        creation_attested, created_at, updated_at, slug, slug_base, slug_number)
      select $14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31,$32,$33,$34,$35,
        slug.slug, slug.base, slug.number
      from claimed, slug
      returning *)
    select json_build_object(
      'id', p.id,
      'status', p.status,
      'title', p.title,
      'description', p.description,
      'paidContentMarkdown', p.paid_content_markdown,
      'freeContentMarkdown', p.free_content_markdown,
      'enablePaywall', p.enable_paywall,
      'priceRaw', p.price_raw::text,
      'primaryCategoryId', p.primary_category_id,
      'secondaryCategoryId', p.secondary_category_id,
      'slug', p.slug,
      'url', case when p.status = 'published' then $36::text || '/@' || o.handle || '/' || p.slug end,
      'canonicalUrl', p.canonical_url,
      'language', p.language,
      'commentsEnabled', p.comments_enabled,
      'ogTitle', p.og_title,
      'ogDescription', p.og_description,
      'ogImage', p.og_image,
      'ogImageEffective', coalesce(p.og_image, p.first_image),
      'contentEditability', json_build_object(
        'free', json_build_object('editable', true, 'unsupportedFeatures', json_build_array()),
        'paid', json_build_object('editable', true, 'unsupportedFeatures', json_build_array())),
      'creationMethod', p.creation_method,
      'creationDetails', p.creation_details,
      'creationAttested', p.creation_attested,
      'attachments', json_build_array(),
      'createdAt', wire_time(p.created_at),
      'updatedAt', wire_time(p.updated_at),
      'publishedAt', wire_time(p.published_at))::text as text
    from p join owners o on o.id = p.owner_id`
}
