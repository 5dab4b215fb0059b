import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"

/** The payout columns of an owner; the time is in its wire form. */
export const PayoutAddressRow = Schema.Struct({
  payout_address: Schema.NullOr(NanoAddress),
  payout_revision: Schema.Int,
  payout_updated_at: Schema.NullOr(Timestamp)
})
export type PayoutAddressRow = typeof PayoutAddressRow.Type

/** An address to save, and the revision that it replaces; null for whichever it is. */
export interface PayoutChange {
  readonly owner: OwnerId
  readonly address: NanoAddress
  readonly revision: number | null
  readonly at: Date
}

export class PayoutAddressesRepo extends Context.Service<
  PayoutAddressesRepo,
  {
    readonly find: (owner: OwnerId) => Effect.Effect<PayoutAddressRow>
    /**
     * Compares and sets in one statement: false, and no change, when the revision is another one. An address that is
     * saved already keeps its revision and its time.
     */
    readonly save: (change: PayoutChange) => Effect.Effect<boolean>
  }
>()("pennypress/accounts/payout-address/PayoutAddressesRepo") {
  static readonly layer = Layer.effect(
    PayoutAddressesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const find = SqlSchema.findOne({
        Request: OwnerId,
        Result: PayoutAddressRow,
        execute: (owner) => sql`
          select payout_address, payout_revision, wire_time(payout_updated_at) as payout_updated_at
          from owners where id = ${owner}`
      })

      // The lock makes the verdict and the change speak of the same row, whoever else saves at the same time.
      const save = SqlSchema.findOne({
        Request: Schema.Any,
        Result: Schema.Struct({ is_current: Schema.Boolean }),
        execute: ({ address, at, owner, revision }: PayoutChange) => sql`
          with mine as (
            select id, payout_revision = coalesce(${revision}::integer, payout_revision) as is_current
            from owners where id = ${owner} for no key update
          ), changed as (
            update owners
            set payout_address = ${address}, payout_revision = payout_revision + 1, payout_updated_at = ${at}
            from mine
            where owners.id = mine.id and mine.is_current and payout_address is distinct from ${address}
          )
          select is_current from mine`
      })

      return PayoutAddressesRepo.of({
        find: Effect.fn("PayoutAddressesRepo.find")((owner) => Effect.orDie(find(owner))),
        save: Effect.fn("PayoutAddressesRepo.save")((change) =>
          Effect.orDie(Effect.map(save(change), (row) => row.is_current))
        )
      })
    })
  )
}
