import { Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { CategoryId, PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"
import { profileColumns, type ProfileRow } from "./publicProfile.ts"
import { categoryPosts } from "./publishedCounts.sql.ts"
import { type PublicPostRow, publicText, summaryColumns } from "./summary.ts"

/** A category with the number of its published Posts. */
interface CategoryRow {
  readonly id: CategoryId
  readonly name: string
  readonly slug: string
  readonly post_count: number
}

const HandleRow = Schema.Struct({ handle: Schema.String })

/** Statements over single public things. One statement decides and reads each. */
export const discoveryStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "discovery")

  /** Returns the row of a hot read, or none. Rows are not decoded. */
  const first = <Row extends object>(found: Statement.Statement<Row>): Effect.Effect<Option.Option<Row>> =>
    Effect.orDie(Effect.map(found, ([row]) => Option.fromUndefinedOr(row)))

  const publishedPost = sql`
    select ${sql.literal(summaryColumns)}, ${sql.literal(publicText)} as public_text
    from public_posts p join owners o on o.id = p.owner_id join post_counts n on n.post_id = p.id`

  return {
    post: (id: PostId) => first(sql<PublicPostRow>`${publishedPost} where p.id = ${id}`),

    postAt: (handle: string, slug: string) =>
      first(sql<PublicPostRow>`
        ${publishedPost} where lower(o.handle) = lower(${handle}) and p.slug = ${slug}`),

    profile: (handle: string) =>
      first(sql<ProfileRow>`
        select ${sql.literal(profileColumns)} from public_owners o where lower(o.handle) = lower(${handle})`),

    categories: Effect.orDie(
      sql<CategoryRow>`
        select c.id, c.name, c.slug, (${sql.literal(categoryPosts)})::integer as post_count
        from categories c order by c.id`
    ),

    /** Returns the current handle of the last owner who had this one; none while another owner has it. */
    currentHandle: (formerHandle: string) =>
      Effect.map(
        maybe("currentHandle", HandleRow)`
          select o.handle from former_handles f join public_owners o on o.id = f.owner_id
          where f.handle = lower(${formerHandle})
            and not exists (select from owners where lower(handle) = lower(${formerHandle}))`,
        Option.map(({ handle }) => handle)
      ),

    /** Returns true for an owner whose Profile is public. */
    hasProfile: (handle: string) =>
      Effect.map(
        maybe("hasProfile", HandleRow)`
          select handle from public_owners where lower(handle) = lower(${handle})`,
        Option.isSome
      ),

    isHandleTaken: (handle: string) =>
      Effect.map(
        maybe("isHandleTaken", HandleRow)`select handle from owners where lower(handle) = lower(${handle})`,
        Option.isSome
      )
  }
})
