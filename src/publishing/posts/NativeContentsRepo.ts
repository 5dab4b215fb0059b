import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"

/** The sections of a Post: the native documents as JSON where another service wrote them, and the Markdown. */
export interface NativeContentRow {
  readonly updated_at: Timestamp
  readonly free_content_native: string | null
  readonly free_content_markdown: string | null
  readonly paid_content_native: string | null
  readonly paid_content_markdown: string | null
}

export class NativeContentsRepo extends Context.Service<
  NativeContentsRepo,
  { readonly find: (owner: OwnerId, id: PostId) => Effect.Effect<Option.Option<NativeContentRow>> }
>()("pennypress/publishing/posts/NativeContentsRepo") {
  static readonly layer = Layer.effect(
    NativeContentsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      return NativeContentsRepo.of({
        find: Effect.fn("NativeContentsRepo.find")(function* (owner, id) {
          const rows = yield* sql<NativeContentRow>`
            select wire_time(updated_at) as updated_at,
              free_content_native::text as free_content_native, free_content_markdown,
              paid_content_native::text as paid_content_native, paid_content_markdown
            from posts where id = ${id} and owner_id = ${owner}`
          return Option.fromUndefinedOr(rows[0])
        }, Effect.orDie)
      })
    })
  )
}
