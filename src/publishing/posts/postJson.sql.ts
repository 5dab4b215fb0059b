import type { SqlClient } from "effect/sql"
import { quoted } from "../../platform/sql/literals.ts"

/** The price as the wire has it: digits, or null. */
const price = "p.price_raw::text"

/** Ends in a column list; null unless the Post is public. */
const publicUrl = (sql: SqlClient.SqlClient, baseUrl: string) =>
  sql`case when p.status = 'published' then ${sql.literal(quoted(baseUrl))} || '/@' || o.handle || '/' || p.slug end`

/**
 * A Post as its author sees it (schema `Post`), for `posts p` joined to `owners o`. A section can be edited unless
 * another service wrote into it what Markdown cannot say.
 */
export const postJson = (sql: SqlClient.SqlClient, baseUrl: string) => sql`json_build_object(
  'id', p.id,
  'status', p.status,
  'title', p.title,
  'description', p.description,
  'paidContentMarkdown', p.paid_content_markdown,
  'freeContentMarkdown', p.free_content_markdown,
  'enablePaywall', p.enable_paywall,
  'priceRaw', ${sql.literal(price)},
  'primaryCategoryId', p.primary_category_id,
  'secondaryCategoryId', p.secondary_category_id,
  'slug', p.slug,
  'url', ${publicUrl(sql, baseUrl)},
  'canonicalUrl', p.canonical_url,
  'language', p.language,
  'commentsEnabled', p.comments_enabled,
  'ogTitle', p.og_title,
  'ogDescription', p.og_description,
  'ogImage', p.og_image,
  'ogImageEffective', coalesce(p.og_image, p.first_image),
  'contentEditability', json_build_object(
    'free', json_build_object('editable', p.free_unsupported = '{}', 'unsupportedFeatures', to_json(p.free_unsupported)),
    'paid', json_build_object('editable', p.paid_unsupported = '{}', 'unsupportedFeatures', to_json(p.paid_unsupported))),
  'creationMethod', p.creation_method,
  'creationDetails', p.creation_details,
  'creationAttested', p.creation_attested,
  'attachments', coalesce((
    select json_agg(json_build_object('id', a.id, 'fileName', a.file_name, 'byteSize', a.byte_size, 'state', a.state)
      order by a.created_at, a.id)
    from post_attachments a where a.post_id = p.id), '[]'::json),
  'createdAt', wire_time(p.created_at),
  'updatedAt', wire_time(p.updated_at),
  'publishedAt', wire_time(p.published_at))`
