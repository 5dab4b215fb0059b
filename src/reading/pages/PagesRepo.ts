import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { comparedColumns, relatedTo } from "../../publishing/discovery/related.sql.ts"
import { summaryColumns, type SummaryRow } from "../../publishing/discovery/summary.ts"
import { allBytes, publicBytes } from "./sectionBytes.sql.ts"
import {
  MARKDOWN,
  NO_TEXT,
  type PublicText,
  STORED_OR_MARKDOWN,
  storedTextJoin,
  type TextColumns
} from "./storedText.sql.ts"

/** One of the other Posts on the page of a Post. */
export interface RelatedRow extends SummaryRow {
  /** Place among them, from 1 on; 0 for the Post of the page. */
  readonly position: number
  readonly all_bytes: number
}

/** The Post of a page, without its text unless the page is new. */
export interface PostPageRow extends RelatedRow, PublicText {
  readonly author_bio: string | null
  readonly author_is_new: boolean
  readonly canonical_url: string | null
  readonly og_title: string | null
  readonly og_description: string | null
  readonly category_name: string | null
  readonly category_slug: string | null
  readonly public_bytes: number
  readonly files: number
  readonly thumbs_up: number
  readonly heart: number
  readonly fire: number
  readonly clap: number
  readonly has_comments: boolean
  /** The size of the image of its cards, when the service has the image. */
  readonly og_width: number | null
  readonly og_height: number | null
}

export interface PostWithOthers {
  readonly row: PostPageRow
  readonly others: ReadonlyArray<RelatedRow>
}

/** An image of a Post that the service has, with its size in pixels. */
export interface ImageRow {
  readonly url: string
  readonly width: number
  readonly height: number
}

/** The public text of a Post at a revision. */
export interface TextRow extends PublicText {
  readonly updated_at: Timestamp
}

/**
 * Other Posts on the page of a Post, at most. PostgreSQL expects more of an array, and would plan each read anew (1 ms), which looks
 * cheaper to it than the plan for any array.
 */
export const OTHERS_MAX = 4

/**
 * Accounts younger than a day without a follower or a verified address. Search engines leave their pages out, unless a
 * Post was sold.
 */
const isNew = `
  (o.created_at > $now$::timestamptz - interval '1 day' and o.email_verified_at is null and o.follower_count = 0)`

const isOfPage = (row: RelatedRow): row is PostPageRow => row.position === 0

const withOthers = (rows: ReadonlyArray<RelatedRow>): Option.Option<PostWithOthers> => {
  const row = rows.find(isOfPage)
  if (row === undefined) return Option.none()
  const others = rows.filter((it) => it !== row).toSorted((one, other) => one.position - other.position)
  return Option.some({ row, others })
}

/** Reads what pages show. */
export class PagesRepo extends Context.Service<
  PagesRepo,
  {
    /** Returns the Post at a public URL with those of four others that are public, in their order. */
    readonly post: (
      handle: string,
      slug: string,
      others: ReadonlyArray<PostId>,
      now: Date
    ) => Effect.Effect<Option.Option<PostWithOthers>>
    /** Returns the same with the stored HTML and the stored choice of others, as far as there are any. */
    readonly storedPost: (
      handle: string,
      slug: string,
      now: Date
    ) => Effect.Effect<Option.Option<PostWithOthers>>
    /** Returns the Post at a public URL with its text, and the others that are related to it, which it chooses. */
    readonly newPost: (
      handle: string,
      slug: string,
      now: Date
    ) => Effect.Effect<Option.Option<PostWithOthers>>
    /** Returns true for an author who is new as above and has sold nothing. */
    readonly isUnknown: (owner: OwnerId, now: Date) => Effect.Effect<boolean>
    /** Returns the images of a Post that the service has. */
    readonly images: (id: PostId) => Effect.Effect<ReadonlyArray<ImageRow>>
    /** Returns the public text of a Post as Markdown. */
    readonly markdown: (id: PostId) => Effect.Effect<Option.Option<TextRow>>
    /** Returns the public text of a Post as stored HTML, or else as Markdown. */
    readonly text: (id: PostId) => Effect.Effect<Option.Option<TextRow>>
    /** Returns the bytes of all sections of these Posts. */
    readonly bytes: (ids: ReadonlyArray<PostId>) => Effect.Effect<ReadonlyMap<PostId, number>>
  }
>()("pennypress/reading/pages/PagesRepo") {
  static readonly layer = Layer.effect(
    PagesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [beforeNow = "", afterNow = ""] = isNew.split("$now$")

      const isAt = ({ handle, slug }: Readonly<Record<"handle" | "slug", string>>) => sql`
        lower(o.handle) = lower(${handle}) and p.slug = ${slug} and p.status = 'published' and o.restricted_at is null`

      /**
       * Selects the one Post that fulfils a condition, and others from rows of their ids and positions. The others have a branch of their own, so
       * that they are not joined to what the page alone shows. Comments in their order: where one Post has most of them, an
       * "exists" reads them all for a Post without any.
       */
      const postOfPage = (
        condition: Statement.Fragment,
        now: string,
        text: TextColumns,
        others: Statement.Fragment
      ) => sql`
        select 0 as position, ${sql.literal(summaryColumns)}, ${sql.literal(allBytes)}::integer as all_bytes,
          ${sql.literal(publicBytes)}::integer as public_bytes, ${sql.literal(text.columns)}, o.bio as author_bio,
          ${sql.literal(beforeNow)}${now}${sql.literal(afterNow)} as author_is_new,
          p.canonical_url, p.og_title, p.og_description, c.name as category_name, c.slug as category_slug,
          case when p.enable_paywall then (
            select count(*) from post_attachments a
            where a.post_id = p.id and a.state = 'ready' and a.removed_at is null) else 0 end::integer as files,
          image.width as og_width, image.height as og_height, n.thumbs_up, n.heart, n.fire, n.clap,
          p.comments_enabled and coalesce(
            (select true from comments where post_id = p.id order by created_at, id limit 1), false) as has_comments
        from owners o join posts p on p.owner_id = o.id join post_counts n on n.post_id = p.id ${sql.literal(text.join)}
        left join categories c on c.id = p.primary_category_id
        left join lateral (
          select width, height from upload_operations
          where owner_id = p.owner_id and target_id = p.id
            and public_url = coalesce(p.og_image, p.first_image) limit 1) image on true
        where ${condition}
        union all
        select other.position::integer, ${sql.literal(summaryColumns)}, ${sql.literal(allBytes)}::integer,
          null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null
        from (${others} limit ${sql.literal(String(OTHERS_MAX))}) other
        join posts p on p.id = other.id join owners o on o.id = p.owner_id join post_counts n on n.post_id = p.id
        where p.status = 'published' and o.restricted_at is null`

      const post = prepared<RelatedRow>(sql)(["handle", "slug", "others", "now"], ({ now, others, ...url }) =>
        postOfPage(
          isAt(url),
          now,
          NO_TEXT,
          sql`select id, position from unnest(${others}::uuid[]) with ordinality as other (id, position)`
        )
      )

      const storedPost = prepared<RelatedRow>(sql)(
        ["handle", "slug", "now"],
        ({ now, ...url }) => sql`
          with it as materialized (
            select p.id, t.html, t.words, t.related
            from owners o join posts p on p.owner_id = o.id ${sql.literal(storedTextJoin)} where ${isAt(url)}
          )
          ${postOfPage(
            sql`p.id = (select id from it)`,
            now,
            { columns: "t.html, t.words, null::text as public_text", join: "join it t on t.id = p.id" },
            sql`select other.id, other.position from it, unnest(it.related) with ordinality as other (id, position)`
          )}`
      )

      const newPost = prepared<RelatedRow>(sql)(
        ["handle", "slug", "now"],
        ({ now, ...url }) => sql`
          with it as materialized (
            select ${sql.literal(comparedColumns)}
            from owners o join posts p on p.owner_id = o.id where ${isAt(url)}
          ), ${sql.literal(relatedTo)}
          ${postOfPage(
            sql`p.id = (select id from it)`,
            now,
            STORED_OR_MARKDOWN,
            sql`select id, position from related order by position`
          )}`
      )

      const images = prepared<ImageRow>(sql)(
        ["id"],
        ({ id }) => sql`
          select u.public_url as url, u.width, u.height
          from posts p join upload_operations u on u.owner_id = p.owner_id and u.target_id = p.id
          where p.id = ${id} and u.public_url is not null and u.width is not null and u.height is not null`
      )

      const textBy = ({ columns, join }: TextColumns) => {
        const text = prepared<TextRow>(sql)(
          ["id"],
          ({ id }) => sql`
            select wire_time(p.updated_at) as updated_at, ${sql.literal(columns)}
            from posts p ${sql.literal(join)} where p.id = ${id} and p.status = 'published'`
        )
        return (id: PostId) => Effect.orDie(Effect.map(text({ id }), ([row]) => Option.fromUndefinedOr(row)))
      }

      return PagesRepo.of({
        post: (handle, slug, others, now) =>
          Effect.orDie(Effect.map(post({ handle, slug, others, now }), withOthers)),
        storedPost: (handle, slug, now) =>
          Effect.orDie(Effect.map(storedPost({ handle, slug, now }), withOthers)),
        // A transaction has a connection to itself: no read waits behind the choice.
        newPost: (handle, slug, now) =>
          Effect.orDie(Effect.map(sql.withTransaction(newPost({ handle, slug, now })), withOthers)),
        isUnknown: (owner, now) =>
          sql`
            select from owners o where o.id = ${owner}
              and ${sql.literal(beforeNow)}${now}${sql.literal(afterNow)}
              and not exists (
                select from posts p join post_counts n on n.post_id = p.id
                where p.owner_id = o.id and n.purchases > 0)`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        images: (id) => Effect.orDie(images({ id })),
        markdown: textBy(MARKDOWN),
        text: textBy(STORED_OR_MARKDOWN),
        bytes: (ids) =>
          ids.length === 0
            ? Effect.succeed(new Map())
            : sql<{ readonly id: PostId; readonly bytes: number }>`
                select p.id, ${sql.literal(allBytes)}::integer as bytes from posts p where p.id = any(${ids}::uuid[])`.pipe(
                Effect.map((rows) => new Map(rows.map(({ bytes, id }) => [id, bytes]))),
                Effect.orDie
              )
      })
    })
  )
}
