import { Context, Effect, Layer, Option } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { payeeStatements } from "./payees.sql.ts"

/** An address that takes a payment, and what it is. */
export interface Payee {
  readonly address: NanoAddress
  /** `platform`: the fees that the recipient owes are at least this payment. */
  readonly role: "author" | "platform"
  /** Revision of the author's payout address; null for the platform's. */
  readonly revision: number | null
}

/**
 * Decides who is paid. A send has one recipient, so the platform collects its fee as whole payments. Each sale adds its
 * fee to the amount that the author owes. A payment that is not larger than this amount goes to the platform.
 */
export class Payees extends Context.Service<
  Payees,
  {
    /** False without a platform fee: then each payment goes to the recipient's own address. */
    readonly takesFees: boolean
    /** Returns none for an owner who cannot be paid: without an address, or restricted. */
    readonly of: (recipient: OwnerId, amountRaw: bigint) => Effect.Effect<Option.Option<Payee>>
    /**
     * Sets a negative account to zero. An account is negative after two concurrent quotes went to the platform. Returns
     * the raw that the platform owes to the author from now on; zero when nothing is. Call it in the transaction that
     * saves the obligation.
     */
    readonly takeNegative: (recipient: OwnerId) => Effect.Effect<bigint>
  }
>()("pennypress/payments/settlement/Payees") {
  static readonly layer = Layer.effect(
    Payees,
    Effect.gen(function* () {
      const repo = yield* payeeStatements
      const { platformFeeAddress, platformFeeBps } = yield* Settings
      const platform = platformFeeBps > 0 ? platformFeeAddress : undefined

      return Payees.of({
        takesFees: platform !== undefined,
        of: Effect.fn("Payees.of")(function* (recipient, amountRaw) {
          return Option.map(
            yield* repo.find(recipient),
            ({ accrued_raw, payout_address, payout_revision }): Payee =>
              platform !== undefined && accrued_raw >= amountRaw
                ? { address: platform, role: "platform", revision: null }
                : { address: payout_address, role: "author", revision: payout_revision }
          )
        }),
        takeNegative: Effect.fn("Payees.takeNegative")(repo.takeNegative)
      })
    })
  )
}
