import type { SqlClient, Statement } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"

/** Public Posts that an owner has more. */
interface AddedPosts {
  readonly ownerId: OwnerId
  readonly count: number
  /** True labels the account `agent` (spec 3.4b). */
  readonly isAgentWork: boolean
}

/** Public Posts that an owner no longer has. */
interface RemovedPosts {
  readonly ownerId: OwnerId
  readonly posts: ReadonlyArray<PostId>
}

/** Makes the part of an update that runs it once for the only row of an earlier part of its statement. */
const after = (sql: SqlClient.SqlClient, earlier: string | undefined) =>
  earlier === undefined ? sql`` : sql`from ${sql(earlier)}`

/**
 * Makes the update that counts more public Posts. It returns no row, and changes nothing, while the owner is restricted.
 * The lock on the row orders a publication before a restriction, which then sees the Post, or after it.
 *
 * Without a row of `earlier`, a part of the same statement, the update changes nothing.
 */
export const addPublishedPosts = (
  sql: SqlClient.SqlClient,
  { count, isAgentWork, ownerId }: AddedPosts,
  earlier?: string
): Statement.Fragment => sql`
  update owners set published_post_count = published_post_count + ${count}::integer,
    author_kind = case when ${isAgentWork}::boolean then 'agent' else author_kind end
  ${after(sql, earlier)}
  where owners.id = ${ownerId} and restricted_at is null
  returning owners.id`

/** Makes the update that stops counting public Posts, and unpins them from the Profile; see {@link addPublishedPosts}. */
export const removePublishedPosts = (
  sql: SqlClient.SqlClient,
  { ownerId, posts }: RemovedPosts,
  earlier?: string
): Statement.Fragment => sql`
  update owners set published_post_count = published_post_count - ${posts.length}::integer,
    pinned_post_id = case when pinned_post_id = any(${posts}::uuid[]) then null else pinned_post_id end
  ${after(sql, earlier)}
  where owners.id = ${ownerId}
  returning owners.id`
