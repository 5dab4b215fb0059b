/**
 * The statements of the reference servers. They make their JSON in PostgreSQL, which is the least work for a server that
 * only passes it on; the service makes values instead. The statements of keys and sessions are those of the service, as
 * the benchmark saw them. A wrong statement or order of parameters is seen when the answers are compared.
 */
const texts: Readonly<Record<string, string>> = JSON.parse(process.env["STATEMENTS"] ?? "{}")

const captured = (name: string) => {
  const text = texts[name]
  if (text === undefined) throw new Error(`STATEMENTS has no "${name}"; run.ts gives them`)
  return { name, text }
}

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
  'counts', json_build_object('comments', p.comment_count, 'reactions', p.reaction_count,
    'purchases', p.purchase_count, 'tips', p.tip_count)`

/** Adds the ETag to an answer. */
const hashed = (answer: string) =>
  `with answer as materialized (${answer}) select text, md5(text) as etag from answer`

const list = (where: string, total: string, page: string, perPage: string) =>
  hashed(`
    select json_build_object(
      'data', coalesce((
        select json_agg(json_build_object(${summary}) order by p.published_at desc, p.id desc)
        from (select p.* from posts p where ${where} order by p.published_at desc, p.id desc limit 20) p
        cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o), '[]'::json),
      'total', ${total},
      'page', ${page}::integer,
      'per_page', ${perPage}::integer)::text as text`)

/** Parameters: page, per page. */
export const newest = {
  name: "newest",
  text: list(
    "p.status = 'published'",
    "(select coalesce(sum(primary_post_count), 0) from categories)",
    "$1",
    "$2"
  )
}

const matches = (words: string) =>
  `(p.status = 'published' and p.search @@ websearch_to_tsquery('english', ${words}))`

/** Parameters: words, the words again, page, per page. */
export const search = {
  name: "search",
  text: list(matches("$1"), `(select count(*) from posts p where ${matches("$2")})`, "$3", "$4")
}

/** Parameters: id. */
export const post = {
  name: "post",
  text: hashed(`
    select json_build_object(${summary},
      'freeContentMarkdown', case when p.enable_paywall then p.free_content_markdown
        else nullif(concat_ws(E'\\n\\n', p.free_content_markdown, p.paid_content_markdown), '') end)::text as text
    from posts p join owners o on o.id = p.owner_id where p.id = $1 and p.status = 'published'`)
}

/** Parameters: handle. */
export const publicProfile = {
  name: "publicProfile",
  text: hashed(`
    select json_build_object('id', o.id, 'name', o.name, 'handle', o.handle, 'bio', o.bio, 'location', o.location,
      'social_links', o.social_links, 'avatar_url', o.avatar_url, 'header_image_url', o.header_image_url,
      'author_kind', o.author_kind,
      'tipping', json_build_object('button_label', o.tip_button_label, 'amounts', to_json(o.tip_amounts)),
      'pinned_post_id', o.pinned_post_id, 'created_at', wire_time(o.created_at))::text as text
    from owners o where lower(o.handle) = lower($1)`)
}

/** Parameters: id, owner id, title, now. */
export const rename = {
  name: "rename",
  text: `
    update posts p set title = $3, updated_at = $4 where p.id = $1 and p.owner_id = $2
    returning json_build_object('id', p.id, 'title', p.title, 'freeContentMarkdown', p.free_content_markdown,
      'paidContentMarkdown', p.paid_content_markdown)::text as text`
}

/** Parameters: key id, now. */
export const activeKey = captured("activeKey")

/** Parameters: owner id. */
export const profile = captured("key-check")

/** Parameters: hash of the token. */
export const refreshToken = captured("refreshToken")

/**
 * Parameters: hash of the token, now, now, hash of the new token, the sealed pair, hash of the token, hash of the new
 * token, now.
 */
export const rotate = captured("refresh")

/**
 * Parameters: the seven columns of the claim; the slug's base three times, how many numbers were tried, the owner and
 * the base again; the 24 columns of the Post.
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
      insert into posts (id, owner_id, title, description, free_content_markdown, paid_content_markdown,
        paywall_requested, enable_paywall, price_raw, primary_category_id, secondary_category_id, canonical_url,
        language, comments_enabled, og_title, og_description, og_image, first_image, excerpt, creation_method,
        creation_details, creation_attested, created_at, updated_at, slug, slug_base, slug_number)
      select $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34,
        $35, $36, $37, slug.slug, slug.base, slug.number
      from claimed, slug
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
