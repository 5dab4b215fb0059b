import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const PostRow = Schema.Struct({ id: PostId })

/** Posts whose tips are public. */
export class TippedPostsRepo extends Context.Service<
  TippedPostsRepo,
  { readonly isPublic: (id: PostId) => Effect.Effect<boolean> }
>()("pennypress/engagement/tips/TippedPostsRepo") {
  static readonly layer = Layer.effect(
    TippedPostsRepo,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const { maybe } = statements(sql, "TippedPostsRepo")
      return TippedPostsRepo.of({
        isPublic: (id) =>
          Effect.map(
            maybe("isPublic", PostRow)`select id from posts where id = ${id} and status = 'published'`,
            Option.isSome
          )
      })
    })
  )
}
