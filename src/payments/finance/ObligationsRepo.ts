import { Context, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ObligationId, OwnerId } from "../../../schemas/platform/Ids.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { statements } from "../../platform/sql/statements.ts"
import { holdBlock, isPaidOut, isPayment } from "../settlement/usedBlocks.sql.ts"
import { obligationColumns, ObligationRow } from "./obligation.ts"

/** Maximum number of obligations in a list. */
const LISTED_MAX = 1000

const BoundRow = Schema.Struct({ is_bound: Schema.Boolean })

/** Obligations of the platform to authors. */
export class ObligationsRepo extends Context.Service<
  ObligationsRepo,
  {
    readonly list: (owner: OwnerId) => Effect.Effect<ReadonlyArray<ObligationRow>>
    /** Saves an obligation: bound to the payout address of its owner, or blocked without one. */
    readonly insert: (
      owner: OwnerId,
      obligation: { readonly id: string; readonly amountRaw: bigint; readonly at: Date }
    ) => Effect.Effect<ObligationRow>
    /**
     * Binds an unpaid obligation to the payout address, if that has this revision. Returns false for another revision and
     * for a paid obligation; none when the owner has no such obligation.
     */
    readonly bind: (
      owner: OwnerId,
      id: ObligationId,
      revision: number
    ) => Effect.Effect<Option.Option<typeof BoundRow.Type>>
    readonly find: (id: ObligationId) => Effect.Effect<Option.Option<ObligationRow>>
    /** Lists obligations in a state, oldest first. */
    readonly waiting: (
      state: "owed" | "blocked",
      limit: number
    ) => Effect.Effect<ReadonlyArray<ObligationRow>>
    /** Locks a block until the transaction ends, so that it pays for only one thing. */
    readonly hold: (block: BlockHash) => Effect.Effect<void>
    /** Marks an owed obligation as paid by a block that nothing else has used. Returns false without a change. */
    readonly pay: (id: ObligationId, block: BlockHash, at: Date) => Effect.Effect<boolean>
  }
>()("pennypress/payments/finance/ObligationsRepo") {
  static readonly layer = Layer.effect(
    ObligationsRepo,
    Effect.map(SqlClient.SqlClient, (sql) => {
      const { changed, many, maybe, one } = statements(sql, "ObligationsRepo")
      const columns = sql.literal(obligationColumns)

      return ObligationsRepo.of({
        list: (owner) => many("list", ObligationRow)`
          select ${columns} from obligations where owner_id = ${owner} order by id desc limit ${LISTED_MAX}`,

        insert: (owner, { amountRaw, at, id }) => one("insert", ObligationRow)`
          insert into obligations (id, owner_id, amount_raw, state, reason, bound_address, bound_revision, created_at)
          select ${id}::uuid, o.id, ${String(amountRaw)}::numeric,
            case when o.restricted_at is null and o.payout_address is not null then 'owed' else 'blocked' end,
            case when o.restricted_at is not null then 'account_restricted'
              when o.payout_address is null then 'payout_address_required' end,
            case when o.restricted_at is null then o.payout_address end,
            case when o.restricted_at is null and o.payout_address is not null then o.payout_revision end,
            ${at}::timestamptz
          from owners o where o.id = ${owner} for share
          returning ${columns}`,

        bind: (owner, id, revision) => maybe("bind", BoundRow)`
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
          select is_bound from mine`,

        find: (id) => maybe("find", ObligationRow)`select ${columns} from obligations where id = ${id}`,

        waiting: (state, limit) => many("waiting", ObligationRow)`
          select ${columns} from obligations where state <> 'paid' and state = ${state} order by id limit ${limit}`,

        hold: (block) => holdBlock(sql, block),

        pay: (id, block, at) => changed("pay")`
          update obligations set state = 'paid', block_hash = decode(${block}, 'hex'), paid_at = ${at}
          where id = ${id} and state = 'owed'
            and not ${isPaidOut(sql, block)} and not ${isPayment(sql, block)}`
      })
    })
  )
}
