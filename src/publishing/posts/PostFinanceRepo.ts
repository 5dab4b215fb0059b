import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"

/** Payments that a Post has a part in, counted. */
export interface PostFinanceRow {
  readonly purchases: number
  readonly tips: number
}

export class PostFinanceRepo extends Context.Service<
  PostFinanceRepo,
  { readonly find: (id: PostId) => Effect.Effect<PostFinanceRow> }
>()("pennypress/publishing/posts/PostFinanceRepo") {
  static readonly layer = Layer.effect(
    PostFinanceRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      return PostFinanceRepo.of({
        find: Effect.fn("PostFinanceRepo.find")(function* (id) {
          const rows = yield* sql<PostFinanceRow>`
            select purchase_count as purchases, tip_count as tips from posts where id = ${id}`
          return rows[0] ?? { purchases: 0, tips: 0 }
        }, Effect.orDie)
      })
    })
  )
}
