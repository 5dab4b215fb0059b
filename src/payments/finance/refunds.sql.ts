import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId, SettlementId } from "../../../schemas/platform/Ids.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { statements } from "../../platform/sql/statements.ts"
import { holdBlock, isPayment } from "../settlement/usedBlocks.sql.ts"

/** A refund of a sale. */
interface NewRefund {
  readonly id: string
  readonly saleId: SettlementId
  readonly owner: OwnerId
  readonly amountRaw: bigint
  readonly block: BlockHash
  readonly at: Date
}

const SavedRow = Schema.Struct({
  /** The sale that the block has refunded before. */
  earlier_id: Schema.NullOr(Schema.String),
  is_used: Schema.Boolean,
  is_saved: Schema.Boolean
})

/** Statements over `refunds`. */
export const refundStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { one, run } = statements(sql, "refunds")

  return {
    /**
     * Locks a block and then a sale until the transaction ends, so that uses of either are counted one after the other.
     */
    lock: (sale: SettlementId, block: BlockHash) =>
      Effect.andThen(
        holdBlock(sql, block),
        run("lock")`select from settlements where id = ${sale} for no key update`
      ),

    /** Saves a refund of at most the amount that is left, unless its block was used before. */
    save: ({ amountRaw, at, block, id, owner, saleId }: NewRefund) => one("save", SavedRow)`
      with earlier as (select settlement_id from refunds where block_hash = decode(${block}, 'hex')),
      used as (
        select ${isPayment(sql, block)}
          or exists (select from obligations where block_hash = decode(${block}, 'hex')) as is_used
      ), saved as (
        insert into refunds (id, settlement_id, owner_id, amount_raw, block_hash, created_at)
        select ${id}::uuid, s.id, ${owner}, ${String(amountRaw)}::numeric, decode(${block}, 'hex'), ${at}::timestamptz
        from settlements s, used
        where s.id = ${saleId} and not used.is_used and not exists (select from earlier)
          and s.amount_raw - (select coalesce(sum(amount_raw), 0) from refunds where settlement_id = s.id)
            >= ${String(amountRaw)}::numeric
        on conflict (block_hash) do nothing returning id
      )
      select (select settlement_id from earlier) as earlier_id, (select is_used from used) as is_used,
        exists (select from saved) as is_saved`
  }
})
