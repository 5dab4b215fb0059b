import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The receipt of a purchase, as it is stored. */
export interface ReceiptRow {
  readonly id: string
  readonly tokenHash: Uint8Array
  readonly postId: PostId
  readonly purchaseId: PurchaseId
  readonly at: Date
}

/** Writes receipts. */
export class ReceiptsRepo extends Context.Service<
  ReceiptsRepo,
  { readonly insert: (receipt: ReceiptRow) => Effect.Effect<void> }
>()("pennypress/payments/receipts/ReceiptsRepo") {
  static readonly layer = Layer.effect(
    ReceiptsRepo,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const { run } = statements(sql, "ReceiptsRepo")
      return ReceiptsRepo.of({
        insert: ({ at, id, postId, purchaseId, tokenHash }) => run("insert")`
          insert into access_receipts (id, token_hash, post_id, purchase_id, created_at)
          values (${id}, ${tokenHash}, ${postId}, ${purchaseId}, ${at})
          on conflict (token_hash) do nothing`
      })
    })
  )
}
