import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId } from "../../../schemas/platform/Ids.ts"
import type { CountedRows } from "../../platform/counters/audit.sql.ts"
import { type CounterTable, counterTable } from "../../platform/counters/counterTable.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"

const PostRow = Schema.Struct({ post_id: PostId })

/** The counters of Comments. A change also drops the kept answers that show the discussion. */
export const commentCounts = Effect.map(SqlClient.SqlClient, (sql): CounterTable => {
  const { many } = statements(sql, "commentCounts")
  const table = counterTable(sql, {
    table: "comments",
    id: "id",
    columns: {
      reply_count: "comment_replies",
      thumbs_up: "comment_thumbs_up",
      heart: "comment_heart",
      fire: "comment_fire",
      clap: "comment_clap"
    },
    tags: () => []
  })
  return {
    ...table,
    add: Effect.fnUntraced(function* (changes) {
      yield* table.add(changes)
      const posts = yield* many("posts", PostRow)`
        select distinct post_id from comments where ${sql.in(
          "id",
          changes.map(({ subject_id }) => subject_id)
        )}`
      return posts.map(({ post_id }) => postTags.discussion(post_id))
    })
  }
})

/** The Comments behind each counter: those that are visible and not deleted. */
export const commentRows: CountedRows = {
  post_comments:
    "select count(*) from comments where post_id = s.post_id and hidden_at is null and deleted_at is null",
  comment_replies:
    "select count(*) from comments where parent_comment_id = s.id and hidden_at is null and deleted_at is null"
}
