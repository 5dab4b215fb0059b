import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

/** The payout columns of an owner; the time is in its wire form. */
export const PayoutAddressRow = Schema.Struct({
  payout_address: Schema.NullOr(NanoAddress),
  payout_revision: Schema.Int,
  payout_updated_at: Schema.NullOr(Timestamp)
})
export type PayoutAddressRow = typeof PayoutAddressRow.Type

/** An address to save, and the revision that it replaces; null replaces any revision. */
export interface PayoutChange {
  readonly owner: OwnerId
  readonly address: NanoAddress
  readonly revision: number | null
  readonly at: Date
}

/** Maximum number of former addresses that are listed. */
const PAST_MAX = 50

/** An address that an owner had before, until the moment of its change. */
const PastAddressRow = Schema.Struct({ address: Schema.String, until: Schema.NullOr(Timestamp) })
export type PastAddressRow = typeof PastAddressRow.Type

const SaveRow = Schema.Struct({ is_current: Schema.Boolean })

/** The payout columns of owners. */
export class OwnerPayouts extends Context.Service<
  OwnerPayouts,
  {
    readonly find: (owner: OwnerId) => Effect.Effect<PayoutAddressRow>
    /** Returns the former addresses, newest first, 50 at most. */
    readonly past: (owner: OwnerId) => Effect.Effect<ReadonlyArray<PastAddressRow>>
    /**
     * Compares and sets in one statement, which keeps the former address: money may still come to it. Returns true
     * without a change when the address is saved already, so that a retry at any revision succeeds. Returns false, and
     * changes nothing, when the revision is another one.
     */
    readonly save: (change: PayoutChange) => Effect.Effect<boolean>
  }
>()("pennypress/accounts/owners/OwnerPayouts") {
  static readonly layer = Layer.effect(
    OwnerPayouts,
    Effect.gen(function* () {
      const { many, one } = statements(yield* SqlClient.SqlClient, "OwnerPayouts")

      return OwnerPayouts.of({
        find: (owner) => one("find", PayoutAddressRow)`
          select payout_address, payout_revision, wire_time(payout_updated_at) as payout_updated_at
          from owners where id = ${owner}`,

        past: (owner) => many("past", PastAddressRow)`
          select address, wire_time(until) as until from payout_addresses_past
          where owner_id = ${owner} order by revision desc limit ${PAST_MAX}`,

        // The lock makes sure that the verdict and the change concern the same row if another request saves
        // concurrently.
        save: ({ address, at, owner, revision }) =>
          Effect.map(
            one("save", SaveRow)`
              with mine as (
                select id, payout_address as former, payout_revision as former_revision,
                  payout_address is not distinct from ${address}
                  or payout_revision = coalesce(${revision}::integer, payout_revision) as is_current
                from owners where id = ${owner} for no key update
              ), kept as (
                insert into payout_addresses_past (owner_id, revision, address, until)
                select id, former_revision, former, ${at} from mine
                where is_current and former <> ${address}
              ), changed as (
                update owners
                set payout_address = ${address}, payout_revision = payout_revision + 1, payout_updated_at = ${at}
                from mine
                where owners.id = mine.id and mine.is_current and payout_address is distinct from ${address}
              )
              select is_current from mine`,
            (row) => row.is_current
          )
      })
    })
  )
}
