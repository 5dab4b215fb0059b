import { Effect, type Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { claimName, type IdempotencyClaim } from "../../platform/idempotency/claim.ts"
import type { PostContent } from "./content.ts"
import { decodeFirst, postColumns, type PostRow } from "./postRow.ts"
import type { WantedSlug } from "./slug.ts"
import { slugColumns } from "./slugColumns.sql.ts"
import { failOnConstraint, type ViolatedConstraint } from "./writeErrors.ts"

export interface NewPost {
  readonly id: PostId
  readonly owner_id: OwnerId
  readonly content: PostContent
  readonly slug: WantedSlug
  /** Numbers of the slug to skip, because other Posts took them. */
  readonly tried: number
  readonly at: Date
}

/** The columns that a new Post has a value for; the database fills the others. */
const columns = [
  "id",
  "owner_id",
  "title",
  "description",
  "free_content_markdown",
  "paid_content_markdown",
  "paywall_requested",
  "enable_paywall",
  "price_raw",
  "primary_category_id",
  "secondary_category_id",
  "canonical_url",
  "language",
  "comments_enabled",
  "mail_readers",
  "og_title",
  "og_description",
  "og_image",
  "first_image",
  "excerpt",
  "creation_method",
  "creation_details",
  "creation_attested",
  "dated_at",
  "created_at",
  "updated_at"
] as const satisfies ReadonlyArray<"id" | "owner_id" | "created_at" | "updated_at" | keyof PostContent>

/**
 * Inserts a Post and claims its Idempotency-Key in one statement. Returns the Post, or none when the key is taken: nothing
 * was saved then.
 */
export const insertPost = Effect.map(SqlClient.SqlClient, (sql) =>
  Effect.fn("posts.insert")(function* (
    { at, content, id, owner_id, slug, tried }: NewPost,
    claim: IdempotencyClaim | undefined
  ): Effect.fn.Return<Option.Option<PostRow>, ViolatedConstraint> {
    const row = { ...content, id, owner_id, created_at: at, updated_at: at }
    const rows = yield* failOnConstraint(sql<object>`
      with claimed as (${claim === undefined ? sql`select 1` : claimName(sql, claim)}),
      slug as (${slugColumns(sql, owner_id, slug, tried)}),
      p as (
        insert into posts (${sql.literal(columns.join(", "))}, slug, slug_base, slug_number)
        select ${sql.csv(columns.map((name) => sql`${row[name]}`))}, slug.slug, slug.base, slug.number
        from claimed, slug
        returning *)
      select ${sql.literal(postColumns)} from p join owners o on o.id = p.owner_id`)
    return yield* decodeFirst(rows)
  })
)
