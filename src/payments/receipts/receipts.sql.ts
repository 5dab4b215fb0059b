import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { GiftRedemptionId, PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The subject of a receipt: a purchase, or a redemption of a gift. */
export type NewReceipt = { readonly tokenHash: Uint8Array; readonly postId: PostId } & (
  | { readonly purchaseId: PurchaseId }
  | { readonly redemptionId: GiftRedemptionId }
)

/** A receipt as it is stored. */
type ReceiptRow = NewReceipt & { readonly id: string; readonly at: Date }

/** Statements over `access_receipts`. */
export const receiptStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { run } = statements(sql, "receipts")

  return {
    insert: ({ at, id, postId, tokenHash, ...of }: ReceiptRow) => run("insert")`
      insert into access_receipts ${sql.insert({
        id,
        token_hash: tokenHash,
        post_id: postId,
        ...("purchaseId" in of ? { purchase_id: of.purchaseId } : { redemption_id: of.redemptionId }),
        created_at: at
      })} on conflict (token_hash) do nothing`
  }
})
