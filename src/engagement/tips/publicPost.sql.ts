import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const PostRow = Schema.Struct({ id: PostId })

/** Makes the function that returns true for a Post that every reader sees, and so its tips. */
export const makeIsPublicPost = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "tips")
  return (id: PostId) =>
    Effect.map(
      maybe("isPublicPost", PostRow)`select id from posts where id = ${id} and status = 'published'`,
      Option.isSome
    )
})
