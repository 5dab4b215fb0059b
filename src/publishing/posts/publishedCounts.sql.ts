import type { SqlClient, Statement } from "effect/sql"
import type { CategoryId } from "../../../schemas/platform/Ids.ts"

/** The categories of a published Post. */
export interface PostCategories {
  readonly primary_category_id: CategoryId | null
  readonly secondary_category_id: CategoryId | null
}

const categoriesOf = (post: PostCategories | undefined) =>
  [post?.primary_category_id, post?.secondary_category_id].filter((id) => typeof id === "number")

/** Returns the categories whose counts change, each with the change. */
const changesOf = (before: PostCategories | undefined, after: PostCategories | undefined) => {
  const changes = new Map<CategoryId, number>()
  const add = (id: CategoryId, change: number) => changes.set(id, (changes.get(id) ?? 0) + change)
  for (const id of categoriesOf(before)) add(id, -1)
  for (const id of categoriesOf(after)) add(id, 1)
  return [...changes].filter(([, change]) => change !== 0)
}

/** The part that is taken when other writes hold all parts. */
const LAST_RESORT = 0

/**
 * Makes the statement that moves a published Post from the counts of its earlier categories to those of its later ones.
 * Undefined stands for a draft, which is not counted. Returns undefined when no count changes. The statement returns the
 * part of the counts that it changed.
 *
 * It takes a part that no other write holds. Run it after all other locks of the transaction: the write that holds the
 * last resort then waits for no lock, and writes never wait in a circle.
 */
export const movePublishedCounts = (
  sql: SqlClient.SqlClient,
  before: PostCategories | undefined,
  after: PostCategories | undefined
): Statement.Statement<{ readonly part: number }> | undefined => {
  const posts = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
  const categories = changesOf(before, after).map(
    ([id, change]) =>
      sql`by_category[${id}::integer] = coalesce(by_category[${id}::integer], 0) + ${change}::integer`
  )
  if (posts === 0 && categories.length === 0) return undefined
  // The part is a joined row. PostgreSQL chooses anew in a subquery of the condition when another write has changed the
  // part since the statement began; it then finds another part, and changes none.
  return sql`
    with free as materialized (
      select coalesce(
        (select part from published_post_counts limit 1 for no key update skip locked),
        ${LAST_RESORT}::smallint) as part
    )
    update published_post_counts c
    set ${sql.csv([sql`posts = posts + ${posts}::integer`, ...categories])}
    from free where c.part = free.part
    returning c.part`
}
