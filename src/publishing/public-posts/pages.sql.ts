import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { summaryColumns, type SummaryRow } from "../discovery/summary.ts"
import { publicHtmlColumns, type PublicHtmlRow, restColumns } from "../posts/texts/texts.sql.ts"
import { joinPicture, pictureColumns, type PictureRow } from "./pictures.sql.ts"
import { allBytes, publicBytes } from "./sectionBytes.sql.ts"

/** The Post of a page. */
export interface PostPageRow extends SummaryRow, Omit<PublicHtmlRow, "id"> {
  readonly author_bio: string | null
  readonly author_is_new: boolean
  /** Amounts of a tip in XNO that the author suggests. */
  readonly tip_amounts: ReadonlyArray<number>
  readonly comments_enabled: boolean
  readonly canonical_url: string | null
  readonly og_title: string | null
  readonly og_description: string | null
  readonly category_name: string | null
  readonly category_slug: string | null
  readonly all_bytes: number
  readonly public_bytes: number
  readonly files: number
  /** Images and headings of the paid section. */
  readonly rest_images: number
  readonly rest_sections: number
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
  readonly has_comments: boolean
  /** The size of the image of its cards, when the service has the image. */
  readonly og_width: number | null
  readonly og_height: number | null
}

/** The parts of a card that the summary of its Post does not have. */
export interface CardRow extends PictureRow {
  readonly id: PostId
  /** Bytes of all sections. */
  readonly bytes: number
}

/** Posts of a year that are counted. */
export const YEAR_POSTS_MAX = 1_000

/** A year with the number of its Posts. */
interface YearRow {
  readonly year: number
  readonly posts: number
}

/**
 * Accounts younger than a day without a follower or a verified address. Search engines leave their pages out, unless a
 * Post was sold.
 */
const isNew = `
  (o.created_at > $now$::timestamptz - interval '1 day' and o.email_verified_at is null and o.follower_count = 0)`

/**
 * Makes the statements that read what pages show. `hasComments` is the condition that a row `posts p` has Comments, which
 * a wing above this one knows.
 */
export const pageStatements = (hasComments: string) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const [beforeNow = "", afterNow = ""] = isNew.split("$now$")

    const post = prepared<PostPageRow>(sql)(
      ["handle", "slug", "now"],
      ({ handle, now, slug }) => sql`
        select ${sql.literal(summaryColumns)}, ${sql.literal(publicHtmlColumns)}, ${sql.literal(allBytes)}::integer as all_bytes,
          ${sql.literal(publicBytes)}::integer as public_bytes, ${sql.literal(restColumns)}, o.bio as author_bio,
          to_json(o.tip_amounts) as tip_amounts, p.comments_enabled,
          ${sql.literal(beforeNow)}${now}${sql.literal(afterNow)} as author_is_new,
          p.canonical_url, p.og_title, p.og_description, c.name as category_name, c.slug as category_slug,
          case when p.enable_paywall then (
            select count(*) from post_attachments a
            where a.post_id = p.id and a.state = 'ready' and a.removed_at is null) else 0 end::integer as files,
          image.width as og_width, image.height as og_height, n.thumbs_up, n.heart, n.fire, n.clap,
          ${sql.literal(hasComments)} as has_comments
        from owners o join public_posts p on p.owner_id = o.id join post_counts n on n.post_id = p.id
        left join categories c on c.id = p.primary_category_id
        left join lateral (
          select width, height from upload_operations
          where owner_id = p.owner_id and target_id = p.id
            and public_url = coalesce(p.og_image, p.first_image) limit 1) image on true
        where lower(o.handle) = lower(${handle}) and p.slug = ${slug}`
    )

    return {
      /** Returns the Post at a public URL. */
      post: (handle: string, slug: string, now: Date) =>
        Effect.orDie(Effect.map(post({ handle, slug, now }), ([row]) => Option.fromUndefinedOr(row))),

      /** Returns true for an author who is new as above and has sold nothing. */
      isUnknown: (owner: OwnerId, now: Date) =>
        sql`
          select from owners o where o.id = ${owner}
            and ${sql.literal(beforeNow)}${now}${sql.literal(afterNow)}
            and not exists (
              select from posts p join post_counts n on n.post_id = p.id
              where p.owner_id = o.id and n.purchases > 0)`.pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orDie
        ),

      /**
       * Returns the years in UTC in which an author has published Posts, the newest first. Counts up to {@link YEAR_POSTS_MAX} of
       * each by an index, so that the cost does not grow with the Posts of an author.
       */
      years: (owner: OwnerId) =>
        Effect.orDie(sql<YearRow>`
          select year, posts from (
            select (select extract(year from published_at at time zone 'UTC')::integer from public_posts
                where owner_id = ${owner} order by published_at limit 1) as since,
              (select extract(year from published_at at time zone 'UTC')::integer from public_posts
                where owner_id = ${owner} order by published_at desc limit 1) as until) life
          cross join generate_series(life.since, life.until) year
          cross join lateral (
            select count(*)::integer as posts from (
              select from public_posts where owner_id = ${owner}
                and published_at >= make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC')
                and published_at < make_timestamptz(year + 1, 1, 1, 0, 0, 0, 'UTC')
              limit ${sql.literal(String(YEAR_POSTS_MAX))}) p) counted
          where posts > 0 order by year desc`),

      /** Returns what the cards of these Posts need. */
      cards: (ids: ReadonlyArray<PostId>): Effect.Effect<ReadonlyMap<PostId, CardRow>> =>
        ids.length === 0
          ? Effect.succeed(new Map())
          : sql<CardRow>`
            select p.id, ${sql.literal(allBytes)}::integer as bytes, ${sql.literal(pictureColumns)}
            from posts p ${sql.literal(joinPicture)} where p.id = any(${ids}::uuid[])`.pipe(
              Effect.map((rows) => new Map(rows.map((row) => [row.id, row]))),
              Effect.orDie
            )
    }
  })
