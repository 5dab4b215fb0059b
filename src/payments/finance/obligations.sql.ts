import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ObligationId, OwnerId } from "../../../schemas/platform/Ids.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { isRestricted } from "../../accounts/owners/owners.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { holdBlock, isPaidOut, isPayment } from "../settlement/usedBlocks.sql.ts"
import { obligationColumns, ObligationRow } from "./obligation.ts"

/** Maximum number of obligations in a list. */
const LISTED_MAX = 1000

const BoundRow = Schema.Struct({ is_bound: Schema.Boolean, payout_revision: Schema.Int })

/** Statements over `obligations`. */
export const obligationStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one } = statements(sql, "obligations")
  const columns = sql.literal(obligationColumns)
  const isBlocked = sql.literal(isRestricted("o"))

  return {
    list: (owner: OwnerId) => many("list", ObligationRow)`
      select ${columns} from obligations where owner_id = ${owner} order by id desc limit ${LISTED_MAX}`,

    /** Saves an obligation: bound to the payout address of its owner, or blocked without one. */
    insert: (
      owner: OwnerId,
      { amountRaw, at, id }: { readonly id: string; readonly amountRaw: bigint; readonly at: Date }
    ) => one("insert", ObligationRow)`
      insert into obligations (id, owner_id, amount_raw, state, reason, bound_address, bound_revision, created_at)
      select ${id}::uuid, o.id, ${String(amountRaw)}::numeric,
        case when not ${isBlocked} and o.payout_address is not null then 'owed' else 'blocked' end,
        case when ${isBlocked} then 'account_restricted'
          when o.payout_address is null then 'payout_address_required' end,
        case when not ${isBlocked} then o.payout_address end,
        case when not ${isBlocked} and o.payout_address is not null then o.payout_revision end,
        ${at}::timestamptz
      from owners o where o.id = ${owner} for share
      returning ${columns}`,

    /**
     * Binds an unpaid obligation to the payout address, if that has this revision. Returns false for another revision and
     * for a paid obligation; none when the owner has no such obligation.
     */
    bind: (owner: OwnerId, id: ObligationId, revision: number) => maybe("bind", BoundRow)`
      with mine as materialized (
        select b.id, o.payout_address, o.payout_revision,
          b.state <> 'paid' and o.payout_address is not null and o.payout_revision = ${revision} as is_bound
        from obligations b join owners o on o.id = b.owner_id
        where b.id = ${id} and b.owner_id = ${owner} for no key update of b for share of o
      ), bound as (
        update obligations b set state = 'owed', reason = null, bound_address = mine.payout_address,
          bound_revision = mine.payout_revision
        from mine where b.id = mine.id and mine.is_bound
      )
      select is_bound, payout_revision from mine`,

    find: (id: ObligationId) =>
      maybe("find", ObligationRow)`select ${columns} from obligations where id = ${id}`,

    /** Lists obligations in a state, oldest first. */
    waiting: (state: "owed" | "blocked", limit: number) => many("waiting", ObligationRow)`
      select ${columns} from obligations where state <> 'paid' and state = ${state} order by id limit ${limit}`,

    /** Locks a block until the transaction ends, so that it pays for only one thing. */
    hold: (block: BlockHash) => holdBlock(sql, block),

    /** Marks an owed obligation as paid by a block that nothing else has used. Returns false without a change. */
    pay: (id: ObligationId, block: BlockHash, at: Date) => changed("pay")`
      update obligations set state = 'paid', block_hash = decode(${block}, 'hex'), paid_at = ${at}
      where id = ${id} and state = 'owed'
        and not ${isPaidOut(sql, block)} and not ${isPayment(sql, block)}`
  }
})
