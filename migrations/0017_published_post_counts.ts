import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The counts of published Posts in parts. A write adds to any part that no other write holds, so that authors do not
 * wait for each other. The sum over all parts counts, and a part may be negative. The columns in `categories` keep what
 * earlier releases counted; one that still runs goes on with them. A count is the sum of both.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Room on each page, so that a change stays on the page of its row.
  yield* sql`
    create table published_post_counts (
      part smallint primary key,
      posts integer not null default 0,
      by_category integer[] not null
    ) with (fillfactor = 25)
  `
  yield* sql`
    insert into published_post_counts (part, by_category)
    select part, array_fill(0, array[(select max(id) from categories)]) from generate_series(0, 31) part
  `
})
