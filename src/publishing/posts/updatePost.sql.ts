import { Effect, type Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { PostContent } from "./content.ts"
import type { NativeSections } from "./editability.ts"
import { nextRevision } from "./nextRevision.sql.ts"
import { decodeFirst, postColumns, type PostRow } from "./postRow.ts"
import type { WantedSlug } from "./slug.ts"
import { slugColumns } from "./slugColumns.sql.ts"
import { assignHtml, type PostHtml } from "./texts/texts.sql.ts"
import { failOnConstraint, type ViolatedConstraint } from "./writeErrors.ts"

export interface PostChange {
  readonly id: PostId
  readonly ownerId: OwnerId
  /** The revision that the change was computed from. */
  readonly revision: Timestamp
  readonly content: PostContent
  readonly native: NativeSections
  /** The HTML of a public text that changes. Without it, a text that changes loses its HTML. */
  readonly html: PostHtml | undefined
  /** Undefined keeps the slug. */
  readonly slug: WantedSlug | undefined
  /** Numbers of the slug to skip, because other Posts took them. */
  readonly tried: number
  readonly at: Date
}

/**
 * Makes the function that saves a changed Post with a new revision. Returns the Post, or none when it no
 * longer has the revision that the change was computed from.
 */
export const updatePost = Effect.map(SqlClient.SqlClient, (sql) => {
  const columns = sql.literal(postColumns)

  const slugOf = ({ id, ownerId, slug, tried }: PostChange) =>
    slug === undefined
      ? sql`select p.slug, p.slug_base as base, p.slug_number as number from posts p where p.id = ${id}`
      : slugColumns(sql, ownerId, slug, tried)

  /** Assigns the native documents that change; the others stay byte for byte. */
  const nativeOf = ({ free, paid }: NativeSections) => sql`
    ${free === undefined ? sql`` : sql`free_content_native = ${free.json}, free_unsupported = ${free.unsupported},`}
    ${paid === undefined ? sql`` : sql`paid_content_native = ${paid.json}, paid_unsupported = ${paid.unsupported},`}`

  return Effect.fn("posts.update")(function* (
    change: PostChange
  ): Effect.fn.Return<Option.Option<PostRow>, ViolatedConstraint> {
    const { at, content, html, id, native, ownerId, revision } = change
    const rows = yield* failOnConstraint(sql<object>`
      with slug as (${slugOf(change)}),
      p as (
        update posts p set
          title = ${content.title},
          description = ${content.description},
          free_content_markdown = ${content.free_content_markdown},
          paid_content_markdown = ${content.paid_content_markdown},
          paywall_requested = ${content.paywall_requested},
          enable_paywall = ${content.enable_paywall},
          price_raw = ${content.price_raw},
          primary_category_id = ${content.primary_category_id},
          secondary_category_id = ${content.secondary_category_id},
          canonical_url = ${content.canonical_url},
          language = ${content.language},
          comments_enabled = ${content.comments_enabled},
          mail_readers = ${content.mail_readers},
          og_title = ${content.og_title},
          og_description = ${content.og_description},
          og_image = ${content.og_image},
          first_image = ${content.first_image},
          excerpt = ${content.excerpt},
          creation_method = ${content.creation_method},
          creation_details = ${content.creation_details},
          creation_attested = ${content.creation_attested},
          dated_at = ${content.dated_at}::timestamptz,
          ${nativeOf(native)}
          ${assignHtml(sql, html)}
          slug = slug.slug, slug_base = slug.base, slug_number = slug.number,
          updated_at = ${nextRevision(sql, at)}
        from slug
        where p.id = ${id} and p.owner_id = ${ownerId} and p.updated_at = ${revision}::timestamptz
        returning p.*)
      select ${columns} from p join owners o on o.id = p.owner_id`)
    return yield* decodeFirst(rows)
  })
})
