import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { summaryColumns, type SummaryRow } from "../discovery/summary.ts"

/** Number of newest Posts that are considered for a feed. A flood of new accounts costs no more than these. */
const LOOKED_AT = 500

/** Below every id. */
const NIL = "00000000-0000-0000-0000-000000000000"

/** The place of a page in a sitemap. */
export interface PlaceRow<Id> {
  readonly id: Id
  readonly handle: string
  readonly slug: string
  readonly changed_at: Timestamp
}

/** Accounts created before this moment are no longer new. Null if new accounts are shown like all others. */
export type NewSince = Date | null

/** Statements that read the newest Posts of the site, and the places of all pages. */
export const feedStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  /**
   * Accounts that are shown everywhere: older ones, and new ones that have a verified address, a follower or a
   * sale.
   */
  const isKnown = (newSince: NewSince) =>
    newSince === null
      ? sql`true`
      : sql`(o.created_at <= ${newSince} or o.email_verified_at is not null or o.follower_count > 0)`

  // Walks of one index each. Files begin after any of these ids, and show only what is public.
  const source = {
    posts: sql`select post_id as id from post_author_kinds`,
    authors: sql`select id from owners where is_author`
  }

  // Limits of files are literal: with a parameter, PostgreSQL 15 expects a tenth of all rows, and reads and sorts them all.
  return {
    newest: (limit: number, newSince: NewSince) =>
      Effect.orDie(sql<SummaryRow>`
        select ${sql.literal(summaryColumns)}
        from (
          select * from public_posts
          order by published_at desc, id desc limit ${sql.literal(String(LOOKED_AT))}) p
        cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
        cross join lateral (select * from post_counts where post_id = p.id offset 0) n
        where ${isKnown(newSince)} or n.purchases > 0
        order by p.published_at desc, p.id desc limit ${limit}`),

    /** Returns the ids after which the files of a sitemap begin, except the first file. */
    fileStarts: (kind: keyof typeof source, size: number) =>
      sql<{ readonly id: PostId | OwnerId }>`
        select id from (
          select id, row_number() over (order by id) as place, count(*) over () as total from (${source[kind]}) all_ids) numbered
        where place % ${size} = 0 and place < total order by id`.pipe(
        Effect.map((rows) => rows.map(({ id }) => id)),
        Effect.orDie
      ),

    posts: (after: string | null, limit: number, newSince: NewSince) =>
      Effect.orDie(sql<PlaceRow<PostId>>`
        select p.id, o.handle, p.slug, wire_time(p.updated_at) as changed_at
        from (
          select id, owner_id, slug, updated_at, canonical_url from public_posts
          where id > ${after ?? NIL}::uuid
          order by id limit ${sql.literal(String(limit))}) p
        cross join lateral (select * from owners where owners.id = p.owner_id offset 0) o
        where p.canonical_url is null and (${isKnown(newSince)}
          or (select purchases > 0 from post_counts where post_id = p.id))
        order by p.id`),

    /** A Profile shows the newest Posts first. The last change of any Post would have all of them read. */
    authors: (after: string | null, limit: number, newSince: NewSince) =>
      Effect.orDie(sql<PlaceRow<OwnerId>>`
        select o.id, o.handle, '' as slug, wire_time((
          select updated_at from public_posts where owner_id = o.id
          order by published_at desc, id desc limit 1)) as changed_at
        from (
          select * from public_owners
          where is_author and id > ${after ?? NIL}::uuid
          order by id limit ${sql.literal(String(limit))}) o
        where ${isKnown(newSince)} or (
          select true from posts s join post_counts n on n.post_id = s.id
          where s.owner_id = o.id and n.purchases > 0 limit 1)
        order by o.id`)
  }
})
