import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import { postColumns, PostRow } from "./postRow.ts"

/** Posts that one statement reads, at most: few, so that the requests of others take their turns between two pages. */
const POSTS_MAX = 10
/** Bytes of the texts of these Posts, at most. The first Post of a page may have more. */
const BYTES_MAX = 4 * 1024 * 1024

/** A Post with everything about it that its author takes away. */
const ExportedPostRow = Schema.Struct({
  ...PostRow.fields,
  /** The time of publication; of a Post that moderation made a draft, the one that it will have again; or that of a draft. */
  date: Schema.NullOr(Timestamp),
  /** The documents of sections that Markdown cannot say, as JSON. */
  free_native: Schema.NullOr(Schema.String),
  paid_native: Schema.NullOr(Schema.String),
  categories: Schema.Array(Schema.String),
  comments: Schema.Int,
  reactions: Schema.Int,
  purchases: Schema.Int,
  tips: Schema.Int
})
export type ExportedPostRow = typeof ExportedPostRow.Type

/** Makes the function that returns the next Posts of an owner after one of them, oldest first; none after the last. */
export const exportedPosts = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "exportedPosts")

  return (owner: OwnerId, after: Pick<ExportedPostRow, "created_at" | "id"> | undefined) => many(
    "page",
    ExportedPostRow
  )`
    with page as materialized (
      select p.id, sum(bytes) over (order by p.created_at, p.id) - bytes as before
      from (
        select p.id, p.created_at, coalesce(octet_length(p.free_content_markdown), 0)
          + coalesce(octet_length(p.paid_content_markdown), 0) + coalesce(pg_column_size(p.free_content_native), 0)
          + coalesce(pg_column_size(p.paid_content_native), 0) as bytes
        from posts p
        where p.owner_id = ${owner}
          and ${after === undefined ? sql`true` : sql`(p.created_at, p.id) > (${after.created_at}::timestamptz, ${after.id}::uuid)`}
        order by p.created_at, p.id limit ${sql.literal(String(POSTS_MAX))}) p)
    select ${sql.literal(postColumns)}, wire_time(coalesce(p.published_at, p.former_published_at, p.dated_at)) as date,
      case when p.free_unsupported <> '{}' then p.free_content_native::text end as free_native,
      case when p.paid_unsupported <> '{}' then p.paid_content_native::text end as paid_native,
      array(
        select c.name from unnest(array[p.primary_category_id, p.secondary_category_id]) with ordinality named (id, place)
        join categories c on c.id = named.id order by place) as categories,
      coalesce(n.comments, 0) as comments, coalesce(n.reactions, 0) as reactions,
      coalesce(n.purchases, 0) as purchases, coalesce(n.tips, 0) as tips
    from page
    join posts p on p.id = page.id
    join owners o on o.id = p.owner_id
    left join post_counts n on n.post_id = p.id
    where page.before < ${BYTES_MAX}
    order by p.created_at, p.id`
})
