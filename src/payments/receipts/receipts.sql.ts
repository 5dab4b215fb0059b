import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { GiftRedemptionId, PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The subject of a receipt: a purchase, or a redemption of a gift. */
export type NewReceipt = { readonly tokenHash: Uint8Array; readonly postId: PostId } & (
  | { readonly purchaseId: PurchaseId }
  | { readonly redemptionId: GiftRedemptionId }
)

const FoundRow = Schema.Struct({ id: Schema.String })

/** A receipt as it is stored. */
type ReceiptRow = NewReceipt & { readonly id: string; readonly at: Date }

/** A receipt that opens what another one of the same Post opens. */
export interface ReceiptCopy {
  readonly id: string
  readonly postId: PostId
  readonly of: Uint8Array
  readonly tokenHash: Uint8Array
  readonly at: Date
}

/** Statements over `access_receipts`. */
export const receiptStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, run } = statements(sql, "receipts")

  // A browser has one receipt for a Post. A purchase after a gift that ended takes its place.
  const orReplace = sql`
    on conflict (token_hash) do update
    set purchase_id = excluded.purchase_id, redemption_id = excluded.redemption_id, revoked_at = null
    where access_receipts.post_id = excluded.post_id`

  return {
    insert: ({ at, id, postId, tokenHash, ...of }: ReceiptRow) => run("insert")`
      insert into access_receipts ${sql.insert({
        id,
        token_hash: tokenHash,
        post_id: postId,
        ...("purchaseId" in of ? { purchase_id: of.purchaseId } : { redemption_id: of.redemptionId }),
        created_at: at
      })} ${orReplace}`,

    /** Saves a receipt that opens what another one does, as long as that one is valid. One of a purchase stays as it is. */
    copy: ({ at, id, of, postId, tokenHash }: ReceiptCopy) => run("copy")`
      insert into access_receipts (id, token_hash, post_id, purchase_id, redemption_id, created_at)
      select ${id}::uuid, ${tokenHash}::bytea, post_id, purchase_id, redemption_id, ${at}::timestamptz from access_receipts
      where token_hash = ${of} and post_id = ${postId} and revoked_at is null
      ${orReplace} and access_receipts.purchase_id is null`,

    find: (postId: PostId, tokenHash: Uint8Array) => maybe("find", FoundRow)`
      select id from access_receipts where token_hash = ${tokenHash} and post_id = ${postId} and revoked_at is null`,

    /** Finds a receipt whose access has not ended. */
    findOpen: (postId: PostId, tokenHash: Uint8Array) => maybe("findOpen", FoundRow)`
      select a.id from access_receipts a left join gift_redemptions r on r.id = a.redemption_id
        left join gifts g on g.id = r.gift_id
      where a.token_hash = ${tokenHash} and a.post_id = ${postId} and a.revoked_at is null and g.access_ended_at is null`
  }
})
