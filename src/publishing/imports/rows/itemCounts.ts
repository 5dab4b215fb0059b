import { Effect } from "effect"
import type { ImportId } from "../../../../schemas/platform/Ids.ts"
import { type Counts, noCounts } from "./importRow.ts"
import { itemStatements } from "./items.sql.ts"

const NAMED = ["new", "update", "unchanged", "conflict", "skipped", "refused"] as const

/** Makes the function that counts the items of an import by what became of them. */
export const makeItemCounts = Effect.map(itemStatements, (items) =>
  Effect.fnUntraced(function* (id: ImportId): Effect.fn.Return<Counts> {
    const rows = yield* items.counts(id)
    const sum = (member: "items" | "lost" | "changed") => rows.reduce((all, row) => all + row[member], 0)
    const named = NAMED.map(
      (outcome) => [outcome, rows.find((row) => row.outcome === outcome)?.items ?? 0] as const
    )
    return {
      ...noCounts,
      ...Object.fromEntries(named),
      items: sum("items"),
      lost: sum("lost"),
      changed: sum("changed")
    }
  })
)
