import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { counterTable } from "../../platform/counters/counterTable.sql.ts"
import { postTags } from "../discovery/postTags.ts"

/** The counters of Posts, which lists show and are ordered by. */
export const postCounts = Effect.map(SqlClient.SqlClient, (sql) =>
  counterTable(sql, {
    table: "post_counts",
    id: "post_id",
    columns: {
      comments: "post_comments",
      thumbs_up: "post_thumbs_up",
      heart: "post_heart",
      fire: "post_fire",
      clap: "post_clap",
      purchases: "post_purchases",
      tips: "post_tips"
    },
    tags: (changes) => [
      ...new Set(changes.map(({ subject_id }) => postTags.counts(PostId.make(subject_id)))),
      ...(changes.some(({ counter }) => counter !== "post_comments") ? [postTags.ranking] : [])
    ]
  })
)
