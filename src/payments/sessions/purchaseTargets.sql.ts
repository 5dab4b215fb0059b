import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { RawAmount } from "../../../schemas/platform/Nano.ts"
import { statements } from "../../platform/sql/statements.ts"

const PurchaseTargetRow = Schema.Struct({
  post_id: PostId,
  author_id: OwnerId,
  /** Null for a free Post. */
  price_raw: Schema.NullOr(RawAmount),
  /** True when the buyer, or the wallet that the buyer signs in with, has bought it. */
  is_owned: Schema.Boolean
})

/** Statements over Posts that readers see, with their prices and their authors. */
export const purchaseTargetStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "purchaseTargets")

  return {
    find: (id: PostId, buyer: OwnerId | null) => maybe("find", PurchaseTargetRow)`
      select p.id as post_id, p.owner_id as author_id, case when p.enable_paywall then p.price_raw end as price_raw,
        exists (select from purchases b where b.post_id = p.id and b.buyer_id = ${buyer}::uuid) or exists (
          select from purchases b join owners w on w.wallet_public_key = b.payer_key
          where b.post_id = p.id and w.id = ${buyer}::uuid) as is_owned
      from public_posts p where p.id = ${id}`
  }
})
