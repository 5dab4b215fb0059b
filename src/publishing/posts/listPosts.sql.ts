import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { postColumns, PostRow } from "./postRow.ts"

/**
 * Maximum number of bytes of Markdown on one page, so that a few concurrent answers do not fill the memory. The largest
 * Post has 1.6 million, and JSON escapes a character with at most six bytes.
 */
const PAGE_BYTES_MAX = 2 * 1024 * 1024

/** A page of own Posts. */
export interface PostsQuery {
  readonly status: PostStatus | undefined
  /** True for those with a schedule alone: those that wait, the next first, and then those that failed. */
  readonly isScheduled: boolean
  readonly page: number
  readonly perPage: number
}

// An empty page is one row of the numbers alone.
const PageRow = Schema.Struct({ total: Schema.Int, per_page: Schema.Int, id: Schema.NullOr(Schema.String) })
const decodePage = Schema.decodeUnknownEffect(PageRow)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(PostRow))

/** Returns the page sizes to try: the requested size, its half, and so on down to one Post. */
const pageSizes = (wanted: number): ReadonlyArray<number> =>
  wanted === 1 ? [1] : [wanted, ...pageSizes(Math.ceil(wanted / 2))]

/**
 * Makes the function that lists own Posts, newest first or by their schedules. All pages have the same size: the requested size or, if a page
 * would hold too many bytes, the largest of its half, quarter and so on at which every page fits. `perPage` says which.
 * The size of a text is read without the text. The limit stops at the first size that fits, which is usually the
 * requested one. Returns the rows with the number of all Posts that match.
 */
export const listPosts = Effect.map(SqlClient.SqlClient, (sql) =>
  Effect.fn("posts.list")(function* (owner: OwnerId, { isScheduled, page, perPage, status }: PostsQuery) {
    const hasStatus = status === undefined ? sql`true` : sql`p.status = ${status}`
    const found = isScheduled
      ? sql`scheduled_publications s join posts p on p.id = s.id and p.status = 'draft' where s.owner_id = ${owner}`
      : sql`posts p where p.owner_id = ${owner}`
    const order = isScheduled
      ? sql`s.failure is not null, s.publish_at, p.id`
      : sql`p.created_at desc, p.id desc`
    const rows = yield* sql<object>`
      with own as materialized (
        select p.id, row_number() over (order by ${order}) - 1 as place,
          coalesce(octet_length(p.free_content_markdown), 0) + coalesce(octet_length(p.paid_content_markdown), 0) as bytes
        from ${found} and ${hasStatus}),
      page as materialized (
        select size from unnest(${pageSizes(perPage)}::integer[]) as size
        where size = 1 or not exists (
          select from own group by place / size having sum(bytes) > ${PAGE_BYTES_MAX})
        limit 1)
      select (select count(*) from own)::integer as total, page.size as per_page, posts.*
      from page
      left join lateral (
        select ${sql.literal(postColumns)}, own.place
        from own
        join posts p on p.id = own.id
        join owners o on o.id = p.owner_id
        where own.place >= (${page}::bigint - 1) * page.size and own.place < ${page}::bigint * page.size) posts on true
      order by posts.place`
    const { id, per_page, total } = yield* decodePage(rows[0])
    return { rows: id === null ? [] : yield* decodeRows(rows), total, perPage: per_page }
  }, Effect.orDie)
)
