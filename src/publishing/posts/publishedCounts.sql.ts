import type { SqlClient, Statement } from "effect/sql"
import type { CategoryId } from "../../../schemas/platform/Ids.ts"

/** The columns of a published Post by which it counts. */
export interface CountedPost {
  readonly primary_category_id: CategoryId | null
  readonly secondary_category_id: CategoryId | null
  /** True for a Post that is for sale. */
  readonly enable_paywall: boolean
}

/** The Posts of one change that are public before or after it. */
type PublicPosts = ReadonlyArray<CountedPost>

const categoriesOf = (posts: PublicPosts) =>
  posts
    .flatMap(({ primary_category_id, secondary_category_id }) => [primary_category_id, secondary_category_id])
    .filter((id) => id !== null)

const forSaleOf = (posts: PublicPosts) => posts.filter(({ enable_paywall }) => enable_paywall).length

/** Returns the categories whose counts change, each with the change. */
const changesOf = (before: PublicPosts, after: PublicPosts) => {
  const changes = new Map<CategoryId, number>()
  const add = (id: CategoryId, change: number) => changes.set(id, (changes.get(id) ?? 0) + change)
  for (const id of categoriesOf(before)) add(id, -1)
  for (const id of categoriesOf(after)) add(id, 1)
  return [...changes].filter(([, change]) => change !== 0)
}

/** The part that is taken when other writes hold all parts. */
const LAST_RESORT = 0

/**
 * Makes the statement that moves Posts from the counts before a change to those after it: of all Posts, of those for sale
 * and of categories. Each list has those that are public then. Returns undefined when no count changes. The statement
 * returns the part of the counts that it changed.
 *
 * It takes a part that no other write holds. Run it after all other locks of the transaction: the write that holds the
 * last resort then waits for no lock, so writes never deadlock. As a part of a statement, it runs after the part
 * `earlier`, for its only row; without that row it changes nothing.
 */
export const movePublishedCounts = (
  sql: SqlClient.SqlClient,
  before: PublicPosts,
  after: PublicPosts,
  earlier?: string
): Statement.Statement<{ readonly part: number }> | undefined => {
  const posts = after.length - before.length
  const forSale = forSaleOf(after) - forSaleOf(before)
  const categories = changesOf(before, after).map(
    ([id, change]) =>
      sql`by_category[${id}::integer] = coalesce(by_category[${id}::integer], 0) + ${change}::integer`
  )
  if (posts === 0 && forSale === 0 && categories.length === 0) return undefined
  // The part is a joined row. In a subquery of the condition, PostgreSQL would choose again if another write changed
  // the part since the statement began. It would then find another part, and change none.
  return sql`
    with free as materialized (
      select coalesce(
        (select part from published_post_counts limit 1 for no key update skip locked),
        ${LAST_RESORT}::smallint) as part
      ${earlier === undefined ? sql`` : sql`from ${sql(earlier)}`}
    )
    update published_post_counts c
    set ${sql.csv([
      sql`posts = posts + ${posts}::integer, for_sale = for_sale + ${forSale}::integer`,
      ...categories
    ])}
    from free where c.part = free.part
    returning c.part`
}
