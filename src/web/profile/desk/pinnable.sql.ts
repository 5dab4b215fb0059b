import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { statements } from "../../../platform/sql/statements.ts"
import { isPublished } from "../../../publishing/posts/publications.sql.ts"

const PinnableRow = Schema.Struct({ id: PostId, title: Schema.String })
export type PinnablePost = typeof PinnableRow.Type

/** Statements that read the posts which an author can pin. */
export const pinnableStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "pinnable")

  return {
    /** Returns the newest 100 published posts of an owner, who is not restricted. */
    posts: (owner: OwnerId) => many("posts", PinnableRow)`
      select p.id, p.title from posts p where p.owner_id = ${owner} and ${sql.literal(isPublished("p"))}
      order by p.published_at desc, p.id desc limit 100`
  }
})
