import { Effect, type Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { claimMembers, claimName, type IdempotencyClaim, noClaim } from "../../platform/idempotency/claim.ts"
import { prepared } from "../../platform/sql/prepared.ts"
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
  "og_title",
  "og_description",
  "og_image",
  "first_image",
  "excerpt",
  "creation_method",
  "creation_details",
  "creation_attested",
  "created_at",
  "updated_at"
] as const satisfies ReadonlyArray<"id" | "owner_id" | "created_at" | "updated_at" | keyof PostContent>

/**
 * Makes the function that inserts a Post and claims its Idempotency-Key in one statement. Returns the Post, or
 * none when the key is taken: nothing was saved then.
 */
export const insertPost = Effect.map(SqlClient.SqlClient, (sql) => {
  const insertOf = (isNamed: boolean, isChosen: boolean) =>
    prepared<object>(sql)([...columns, ...claimMembers, "slug", "tried"], (it) => {
      const slug = isChosen ? { chosen: it.slug } : { base: it.slug }
      return sql`
        with claimed as (${isNamed ? claimName(sql, it) : sql`select 1`}),
        slug as (${slugColumns(sql, it.owner_id, slug, it.tried)}),
        p as (
          insert into posts (${sql.literal(columns.join(", "))}, slug, slug_base, slug_number)
          select ${sql.csv(columns.map((name) => sql`${it[name]}`))}, slug.slug, slug.base, slug.number
          from claimed, slug
          returning *)
        select ${sql.literal(postColumns)} from p join owners o on o.id = p.owner_id`
    })
  const withKey = { chosen: insertOf(true, true), free: insertOf(true, false) }
  const withoutKey = { chosen: insertOf(false, true), free: insertOf(false, false) }

  return (
    { at, content, id, owner_id, slug, tried }: NewPost,
    claim: IdempotencyClaim | undefined
  ): Effect.Effect<Option.Option<PostRow>, ViolatedConstraint> => {
    const statements = claim === undefined ? withoutKey : withKey
    const isChosen = "chosen" in slug
    return failOnConstraint(
      (isChosen ? statements.chosen : statements.free)({
        ...(claim ?? noClaim),
        ...content,
        id,
        owner_id,
        created_at: at,
        updated_at: at,
        slug: isChosen ? slug.chosen : slug.base,
        tried
      })
    ).pipe(Effect.flatMap(decodeFirst))
  }
})
