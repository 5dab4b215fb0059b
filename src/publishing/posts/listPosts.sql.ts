import { Effect, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { PostPage, PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import { firstJson, type JsonText } from "../../platform/sql/JsonText.ts"

/**
 * Bytes of Markdown on one page. The largest Post has 1.6 million, and JSON escapes a character with at most six bytes, so
 * that a page stays below the 16 MiB that the driver takes in one message.
 */
const PAGE_BYTES_MAX = 2 * 1024 * 1024

/** A page of own Posts. */
export interface PostsQuery {
  readonly status: PostStatus | undefined
  readonly page: number
  readonly perPage: number
}

/** Returns the page sizes to try: the wanted one, its half, and so on down to one Post. */
const pageSizes = (wanted: number): ReadonlyArray<number> =>
  wanted === 1 ? [1] : [wanted, ...pageSizes(Math.ceil(wanted / 2))]

/**
 * Makes the function that lists own Posts, the newest first. All pages have the same size: the wanted one or, when a page
 * would hold too many bytes, the largest half of it, quarter of it, and so on, at which every page fits. `perPage` says
 * which. The size of a text is read without the text. The limit stops at the first size that fits: the usual one, the
 * wanted one.
 */
export const listPosts = (sql: SqlClient.SqlClient, json: Statement.Fragment) =>
  Effect.fn("PostsRepo.list")(function* (
    owner: OwnerId,
    { page, perPage, status }: PostsQuery
  ): Effect.fn.Return<JsonText<PostPage>> {
    const hasStatus = status === undefined ? sql`true` : sql`p.status = ${status}`
    const rows = yield* Effect.orDie(sql<{ readonly text: string }>`
      with own as materialized (
        select p.id, row_number() over (order by p.created_at desc, p.id desc) - 1 as place,
          coalesce(octet_length(p.free_content_markdown), 0) + coalesce(octet_length(p.paid_content_markdown), 0) as bytes
        from posts p where p.owner_id = ${owner} and ${hasStatus}),
      page as materialized (
        select size from unnest(${pageSizes(perPage)}::integer[]) as size
        where size = 1 or not exists (
          select from own group by place / size having sum(bytes) > ${PAGE_BYTES_MAX})
        limit 1)
      select json_build_object(
        'data', coalesce((
          select json_agg(${json} order by own.place)
          from page
          join own on own.place >= (${page}::bigint - 1) * page.size and own.place < ${page}::bigint * page.size
          join posts p on p.id = own.id
          join owners o on o.id = p.owner_id), '[]'::json),
        'total', (select count(*) from own),
        'page', ${page}::integer,
        'perPage', (select size from page))::text as text`)
    return Option.getOrThrow(firstJson(rows))
  })
