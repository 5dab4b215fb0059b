import type { SqlClient, Statement } from "effect/sql"
import { quoted } from "../../platform/sql/literals.ts"

/**
 * Returns the members of a published Post's summary (schema `PostSummary`) as arguments of `json_build_object`, for
 * `posts p` joined to `owners o`.
 */
export const summaryMembers = (sql: SqlClient.SqlClient, baseUrl: string): Statement.Fragment =>
  sql.literal(`
  'id', p.id,
  'title', p.title,
  'description', p.description,
  'slug', p.slug,
  'url', ${quoted(baseUrl)} || '/@' || o.handle || '/' || p.slug,
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
    'purchases', p.purchase_count, 'tips', p.tip_count)`)

/** The text of a free Post, and the teaser of a paid one. */
export const publicText = `case when p.enable_paywall then p.free_content_markdown
  else nullif(concat_ws(E'\\n\\n', p.free_content_markdown, p.paid_content_markdown), '') end`
