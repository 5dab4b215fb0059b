import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { counterTable } from "../../platform/counters/counterTable.sql.ts"
import { tags } from "../../platform/public-answers/tags.ts"

/** The counters of owners that others change: followers, and the creators that they follow. */
export const ownerCounts = Effect.map(SqlClient.SqlClient, (sql) =>
  counterTable(sql, {
    table: "owners",
    id: "id",
    columns: { follower_count: "owner_followers", following_count: "owner_following" },
    tags: (changes) => [...new Set(changes.map(({ subject_id }) => tags.counts(OwnerId.make(subject_id))))]
  })
)
