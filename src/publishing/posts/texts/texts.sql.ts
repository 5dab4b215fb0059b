import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import { prepared } from "../../../platform/sql/prepared.ts"
import { type PageHeading, type PageText, RENDERER } from "../../content/html/pageText.ts"

/** The HTML of a Post. Its relative links stay relative, because the address of a Post may change. */
export interface PostHtml {
  /** The text that everyone may read. */
  readonly public: PageText
  /** The text with its paid section; null without a paywall. */
  readonly whole: PageText | null
}

/** The sections of a Post, as its buyers read them. */
export interface WholeText {
  readonly free_content_markdown: string | null
  readonly paid_content_markdown: string | null
}

/** The saved HTML of whole texts. Only readers who got the text may ask for its HTML. */
export interface WholeHtml {
  /** Returns the HTML of this text of a Post, if it is saved. */
  readonly find: (
    id: PostId,
    text: WholeText
  ) => Effect.Effect<Option.Option<Pick<PageText, "headings" | "html">>>
  /** Saves it, unless the Post has another text by now, or is locked. */
  readonly save: (id: PostId, text: WholeText, html: PageText) => Effect.Effect<unknown>
}

/** The HTML of a public text as it is saved. Null without one, and with one of another renderer. */
export interface PublicHtmlRow {
  readonly id: PostId
  readonly owner_id: OwnerId
  readonly public_html: string | null
  readonly public_headings: ReadonlyArray<PageHeading> | null
  readonly public_words: number | null
}

/** The columns of a {@link PublicHtmlRow}, for a row `p` of `public_posts`. */
export const publicHtmlColumns = `
  p.id, p.owner_id, case when p.renderer = ${RENDERER} then p.public_html end as public_html, p.public_headings, p.public_words`

const isSaved = `p.enable_paywall and p.renderer = ${RENDERER}`

/**
 * Columns that count what the paid section of a row `p` of `public_posts` adds, without reading it: 0 where its HTML is not
 * saved. An open block of the free section may take some of them in.
 */
export const restColumns = `
  case when ${isSaved} then greatest(p.whole_images - p.public_images, 0) else 0 end as rest_images,
  case when ${isSaved} then greatest(jsonb_array_length(p.whole_headings) - jsonb_array_length(p.public_headings), 0)
    else 0 end as rest_sections`

/** The public text of a Post as Markdown at a revision. */
interface PublicTextRow {
  readonly owner_id: OwnerId
  readonly updated_at: Timestamp
  readonly free: string | null
  /** Null with a paywall. */
  readonly public_paid: string | null
}

const json = (headings: ReadonlyArray<PageHeading>) => JSON.stringify(headings)

/** Assigns the HTML of a Post in the statement that writes its text, or publishes it. Assigns nothing without HTML. */
export const assignHtml = (sql: SqlClient.SqlClient, html: PostHtml | undefined): Statement.Fragment =>
  html === undefined
    ? sql``
    : sql`
      renderer = ${RENDERER}, public_html = ${html.public.html},
      public_headings = ${json(html.public.headings)}::jsonb, public_words = ${html.public.words},
      public_images = ${html.public.images}, whole_images = ${html.whole?.images ?? null},
      whole_html = ${html.whole?.html ?? null},
      whole_headings = ${html.whole === null ? null : json(html.whole.headings)}::jsonb,`

/** Statements over the HTML of Posts. */
export const htmlStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const publicTextOf = prepared<PublicTextRow>(sql)(
    ["id"],
    ({ id }) => sql`
      select p.owner_id, wire_time(p.updated_at) as updated_at, p.free_content_markdown as free,
        case when not p.enable_paywall then p.paid_content_markdown end as public_paid
      from public_posts p where p.id = ${id}`
  )

  /** Keeps the other HTML of the Post if the same renderer made it. */
  const ofSameRenderer = (column: string) =>
    sql`${sql.literal(column)} = case when p.renderer = ${RENDERER} then p.${sql.literal(column)} end`

  return {
    /** Returns the public text of a Post as Markdown. */
    publicText: (id: PostId) =>
      Effect.orDie(Effect.map(publicTextOf({ id }), ([row]) => Option.fromUndefinedOr(row))),

    /** Returns the HTML of these Posts, without those of more bytes than this. */
    publicHtml: (ids: ReadonlyArray<PostId>, bytesMax: number) =>
      Effect.orDie(sql<PublicHtmlRow>`
        select ${sql.literal(publicHtmlColumns)} from public_posts p
        where p.id = any(${ids}::uuid[]) and coalesce(octet_length(p.public_html), 0) <= ${bytesMax}`),

    /** Saves the HTML of a public text, unless the Post has another revision by now, or is locked. */
    savePublic: (id: PostId, revision: Timestamp, { headings, html, images, words }: PageText) =>
      Effect.orDie(sql`
        update posts p set renderer = ${RENDERER}, public_html = ${html}, public_headings = ${json(headings)}::jsonb,
          public_words = ${words}, public_images = ${images}, ${ofSameRenderer("whole_html")},
          ${ofSameRenderer("whole_headings")}, ${ofSameRenderer("whole_images")}
        where p.id = (
          select id from posts where id = ${id} and updated_at = ${revision}::timestamptz for no key update skip locked)`),

    whole: {
      find: (id, { free_content_markdown: free, paid_content_markdown: paid }) =>
        sql<{ readonly html: string; readonly headings: ReadonlyArray<PageHeading> }>`
          select whole_html as html, whole_headings as headings from posts
          where id = ${id} and renderer = ${RENDERER} and whole_html is not null
            and free_content_markdown is not distinct from ${free}
            and paid_content_markdown is not distinct from ${paid}`.pipe(
          Effect.map(([row]) => Option.fromUndefinedOr(row)),
          Effect.orDie
        ),
      save: (id, { free_content_markdown: free, paid_content_markdown: paid }, { headings, html, images }) =>
        Effect.orDie(sql`
          update posts p set renderer = ${RENDERER}, whole_html = ${html}, whole_headings = ${json(headings)}::jsonb,
            whole_images = ${images}, ${ofSameRenderer("public_html")}, ${ofSameRenderer("public_headings")},
            ${ofSameRenderer("public_words")}, ${ofSameRenderer("public_images")}
          where p.id = (
            select id from posts
            where id = ${id} and free_content_markdown is not distinct from ${free}
              and paid_content_markdown is not distinct from ${paid} for no key update skip locked)`)
    } satisfies WholeHtml
  }
})
