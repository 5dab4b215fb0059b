/**
 * The statements of the Fastify server. They make their JSON in PostgreSQL, which is the least work for a server that only
 * passes it on; the service makes values instead. `verify.ts` compares the answers of both.
 */
const origin = `'${process.env["PUBLIC_BASE_URL"] ?? ""}'`

const summary = `
  'id', p.id, 'title', p.title, 'description', p.description, 'slug', p.slug,
  'url', ${origin} || '/@' || o.handle || '/' || p.slug,
  'enablePaywall', p.enable_paywall, 'priceRaw', p.price_raw::text,
  'primaryCategoryId', p.primary_category_id, 'secondaryCategoryId', p.secondary_category_id,
  'language', p.language, 'ogImageEffective', coalesce(p.og_image, p.first_image),
  'creationMethod', p.creation_method, 'creationDetails', p.creation_details,
  'publishedAt', wire_time(p.published_at), 'updatedAt', wire_time(p.updated_at),
  'author', json_build_object('id', o.id, 'name', o.name, 'handle', o.handle, 'avatarUrl', o.avatar_url,
    'authorKind', o.author_kind),
  'counts', (select json_build_object('comments', n.comments, 'reactions', n.reactions,
    'purchases', n.purchases, 'tips', n.tips) from post_counts n where n.post_id = p.id)`

/** Adds the ETag to an answer. */
const hashed = (answer: string) =>
  `with answer as materialized (${answer}) select text, md5(text) as etag from answer`

const list = (where: string, total: string, page: string, perPage: string, more = "") =>
  hashed(`
    select json_build_object(${more}
      'data', coalesce((
        select json_agg(json_build_object(${summary}) order by p.published_at desc, p.id desc)
        from (select p.* from posts p where ${where} order by p.published_at desc, p.id desc limit 20) p
        cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o), '[]'::json),
      'total', ${total},
      'page', ${page}::integer,
      'per_page', ${perPage}::integer)::text as text`)

const published = "(select sum(posts) from published_post_counts)"

/** Parameters: page, per page. */
export const newest = { name: "newest", text: list("p.status = 'published'", published, "$1", "$2") }

const matches =
  "(p.status = 'published' and p.search @@ to_tsquery('words', replace($1, ' ', ' & ') || ':*'))"
const found = `(select count(*) from (select from posts p where ${matches} limit 1000) p)`

/** Parameters: words, page, per page. */
export const search = { name: "search", text: list(matches, found, "$2", "$3", "'authors', '[]'::json,") }

/** Parameters: id. */
export const post = {
  name: "post",
  text: hashed(`
    select json_build_object(${summary},
      'freeContentMarkdown', case when p.enable_paywall then p.free_content_markdown
        else nullif(concat_ws(E'\\n\\n', p.free_content_markdown, p.paid_content_markdown), '') end)::text as text
    from posts p join owners o on o.id = p.owner_id where p.id = $1 and p.status = 'published'`)
}

/** Parameters: key id, now. */
export const activeKey = {
  name: "activeKey",
  text: `
    select k.id, k.owner_id, k.secret_hash from api_keys k
    where k.key_id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)`
}

/** Parameters: owner id. */
export const profile = {
  name: "profile",
  text: `
    select json_build_object('id', o.id, 'name', o.name, 'handle', o.handle, 'bio', o.bio, 'location', o.location,
      'socialLinks', o.social_links, 'pinnedPostId', o.pinned_post_id, 'avatarUrl', o.avatar_url,
      'headerImageUrl', o.header_image_url, 'authorKind', o.author_kind,
      'tipping', json_build_object('buttonLabel', o.tip_button_label, 'amounts', to_json(o.tip_amounts)))::text as text
    from owners o where o.id = $1`
}

/** Parameters: key id, Idempotency-Key, fingerprint, id, now, end of the claim, owner id, slug, the draft as JSON. */
export const create = {
  name: "create",
  text: `
    with claimed as (
      insert into idempotency_records as record
        (scope, scope_id, idempotency_key, fingerprint, resource_id, created_at, expires_at)
      values ('post_creation', $1::uuid, $2, $3, $4::uuid, $5::timestamptz, $6)
      on conflict (scope, scope_id, idempotency_key) do update set resource_id = excluded.resource_id
      where record.expires_at <= excluded.created_at
      returning resource_id),
    slug as (
      select case when number = 1 then $8::text else $8 || '-' || number end as slug, number
      from (
        select coalesce(max(slug_number), 0) + 1 as number from posts where owner_id = $7::uuid and slug_base = $8) as next),
    p as (
      insert into posts (id, owner_id, title, description, free_content_markdown, primary_category_id, creation_method,
        creation_attested, paywall_requested, enable_paywall, language, comments_enabled, excerpt, created_at, updated_at,
        slug, slug_base, slug_number)
      select $4::uuid, $7::uuid, title, description, "freeContentMarkdown", "primaryCategoryId", "creationMethod",
        "creationAttested", false, false, 'en', true, '', $5::timestamptz, $5::timestamptz, slug.slug, $8, slug.number
      from claimed, slug, json_to_record($9::json) as draft (title text, description text, "freeContentMarkdown" text,
        "primaryCategoryId" integer, "creationMethod" text, "creationAttested" boolean)
      returning *)
    select json_build_object(
      'id', p.id, 'status', p.status, 'title', p.title, 'description', p.description,
      'paidContentMarkdown', p.paid_content_markdown, 'freeContentMarkdown', p.free_content_markdown,
      'enablePaywall', p.enable_paywall, 'priceRaw', p.price_raw::text,
      'primaryCategoryId', p.primary_category_id, 'secondaryCategoryId', p.secondary_category_id,
      'slug', p.slug,
      'url', case when p.status = 'published' then ${origin} || '/@' || o.handle || '/' || p.slug end,
      'canonicalUrl', p.canonical_url, 'language', p.language, 'commentsEnabled', p.comments_enabled,
      'ogTitle', p.og_title, 'ogDescription', p.og_description, 'ogImage', p.og_image,
      'ogImageEffective', coalesce(p.og_image, p.first_image),
      'contentEditability', json_build_object(
        'free', json_build_object('editable', p.free_unsupported = '{}',
          'unsupportedFeatures', to_json(p.free_unsupported)),
        'paid', json_build_object('editable', p.paid_unsupported = '{}',
          'unsupportedFeatures', to_json(p.paid_unsupported))),
      'creationMethod', p.creation_method, 'creationDetails', p.creation_details,
      'creationAttested', p.creation_attested,
      'attachments', coalesce((
        select json_agg(json_build_object('id', a.id, 'fileName', a.file_name, 'byteSize', a.byte_size, 'state', a.state)
          order by a.created_at, a.id)
        from post_attachments a where a.post_id = p.id), '[]'::json),
      'createdAt', wire_time(p.created_at), 'updatedAt', wire_time(p.updated_at),
      'publishedAt', wire_time(p.published_at))::text as text
    from p join owners o on o.id = p.owner_id`
}
