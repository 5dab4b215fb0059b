import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { paragraphs } from "../../support/manyPosts.ts"
import { wordLists } from "../seed/words.ts"
import { fill, makeProgress, quickly, withoutIndexes } from "./bulk.ts"
import { counters, rowsOf, type Sizes } from "./rows.ts"

const WORDS_OF_PARAGRAPH = 40

/** The tables that get many rows. */
const TABLES = [
  "owners",
  "posts",
  "post_author_kinds",
  "post_counts",
  "follows",
  "comments",
  "reactions",
  "notifications",
  "settlements",
  "allocations",
  "purchases",
  "earnings_daily",
  "support_daily"
]

/** Returns true for a database without accounts, and so without anything else. */
export const isEmpty = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`select from owners limit 1`, (rows) => rows.length === 0)
)

/**
 * Fills an empty database. PostgreSQL makes the rows itself, as `COPY` would take longer to send them than it takes to make
 * them. Fails for an account of the database that may not leave out triggers.
 */
export const seedGrowth = Effect.fnUntraced(function* (sizes: Sizes) {
  const sql = yield* SqlClient.SqlClient
  const bulks = rowsOf(sizes)
  const progress = makeProgress(bulks.reduce((sum, { count, weight = 1 }) => sum + count * weight, 0) * 1.2)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select setseed(${(sizes.seed % 1000) / 1000})`
      yield* sql.unsafe(paragraphs(WORDS_OF_PARAGRAPH), wordLists)
      yield* sql`alter table paragraphs add primary key (n)`
      yield* sql`analyze paragraphs`
    })
  )
  yield* withoutIndexes(
    TABLES,
    Effect.gen(function* () {
      for (const bulk of bulks) yield* fill(bulk, progress)
      for (const statement of counters) yield* quickly(statement)
      yield* progress("indexes", 0)
    })
  )
  yield* sql`drop table paragraphs`
  yield* progress("statistics", 0)
  yield* sql`vacuum analyze`.unprepared
  yield* sql`checkpoint`.unprepared
})
