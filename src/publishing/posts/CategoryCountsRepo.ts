import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CategoryId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The categories of a public Post. */
export interface PostCategories {
  readonly primary_category_id: CategoryId | null
  readonly secondary_category_id: CategoryId | null
}

const deltas = (removed: PostCategories | undefined, added: PostCategories | undefined) => {
  const byId = new Map<CategoryId, { primary: number; secondary: number }>()
  const add = (id: CategoryId | null, primary: number, secondary: number) => {
    if (id === null) return
    const delta = byId.get(id) ?? { primary: 0, secondary: 0 }
    byId.set(id, { primary: delta.primary + primary, secondary: delta.secondary + secondary })
  }
  if (removed !== undefined) {
    add(removed.primary_category_id, -1, 0)
    add(removed.secondary_category_id, 0, -1)
  }
  if (added !== undefined) {
    add(added.primary_category_id, 1, 0)
    add(added.secondary_category_id, 0, 1)
  }
  return [...byId]
    .filter(([, { primary, secondary }]) => primary !== 0 || secondary !== 0)
    .toSorted(([a], [b]) => a - b)
}

/** The counts of public Posts of each category. */
export class CategoryCountsRepo extends Context.Service<
  CategoryCountsRepo,
  {
    /** Moves a public Post from the counts of its earlier categories to those of its new ones. */
    readonly move: (from: PostCategories | undefined, to: PostCategories | undefined) => Effect.Effect<void>
  }
>()("pennypress/publishing/posts/CategoryCountsRepo") {
  static readonly layer = Layer.effect(
    CategoryCountsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { run } = statements(sql, "CategoryCountsRepo")

      return CategoryCountsRepo.of({
        // One statement for each row, in the order of ids, so that two writes never wait for each other. One statement
        // over locked rows has no such order: it can return to a version of a row for which another write waits.
        move: Effect.fn("CategoryCountsRepo.move")(function* (from, to) {
          for (const [id, { primary, secondary }] of deltas(from, to)) {
            yield* run("add")`
              update categories set
                primary_post_count = primary_post_count + ${primary}, secondary_post_count = secondary_post_count + ${secondary}
              where id = ${id}`
          }
        })
      })
    })
  )
}
