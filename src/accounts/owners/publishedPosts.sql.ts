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

/**
 * Makes the update that counts more public Posts. It returns no row, and changes nothing, while the owner is restricted.
 * The lock on the row orders a publication before a restriction, which then sees the Post, or after it.
 *
 * The row has the owner's `author_kind`, and `is_labelled`: true means that the update labelled the account, so tell
 * `AuthorKinds`.
 *
 * Without a row of `earlier`, a part of the same statement, the update changes nothing.
 */
export const addPublishedPosts = (
  sql: SqlClient.SqlClient,
  { count, isAgentWork, ownerId }: AddedPosts,
  earlier?: string
): Statement.Fragment => sql`
  with former as (
    select o.id, o.author_kind from ${earlier === undefined ? sql`` : sql`${sql(earlier)},`} owners o
    where o.id = ${ownerId} for no key update of o)
  update owners set published_post_count = published_post_count + ${count}::integer,
    author_kind = case when ${isAgentWork}::boolean then 'agent' else owners.author_kind end
  from former where owners.id = former.id and restricted_at is null
  returning owners.id, owners.author_kind, owners.author_kind <> former.author_kind as is_labelled`

/** Makes the update that stops counting public Posts, and unpins them from the Profile; see {@link addPublishedPosts}. */
export const removePublishedPosts = (
  sql: SqlClient.SqlClient,
  { ownerId, posts }: RemovedPosts,
  earlier?: string
): Statement.Fragment => sql`
  update owners set published_post_count = published_post_count - ${posts.length}::integer,
    pinned_post_id = case when pinned_post_id = any(${posts}::uuid[]) then null else pinned_post_id end
  ${earlier === undefined ? sql`` : sql`from ${sql(earlier)}`}
  where owners.id = ${ownerId}
  returning owners.id`
