import { Context, Effect, Layer } from "effect"
import type {
  PayoutAddress,
  PayoutAddressRequest,
  SavedPayoutAddress
} from "../../../schemas/accounts/payout-address/PayoutAddress.ts"
import { RevisionConflict, Validation } from "../../../schemas/platform/errors/common.ts"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import type { GuestAuthority, OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { isUsableKey } from "../../platform/nano/signatures.ts"
import { PublicAnswers } from "../../platform/public-answers/PublicAnswers.ts"
import { now } from "../../platform/time/now.ts"
import { OwnerPayouts } from "../owners/OwnerPayouts.ts"
import { ownerTags } from "../owners/ownerTags.ts"

/** A holder of an address: an owner who signed in, or a service for its guest. */
type PayoutHolder = OwnerAuthority | GuestAuthority

/** The address at which an owner receives Nano. A change concerns future allocations only (spec 2.4). */
export class PayoutAddresses extends Context.Service<
  PayoutAddresses,
  {
    /** Revision 0 and nulls when none was saved yet. */
    readonly read: (owner: PayoutHolder) => Effect.Effect<PayoutAddress>
    /** Returns the former addresses of an owner, newest first, with the moment until which each counted. */
    readonly past: (
      owner: PayoutHolder
    ) => Effect.Effect<ReadonlyArray<{ readonly address: string; readonly until: string | null }>>
    /**
     * Saves an address; each change increments the revision by one. Saving the address that is already saved succeeds
     * and changes nothing, at any revision, so that a retry of a lost answer succeeds.
     *
     * Fails with `RevisionConflict` when the request names a revision that is not the current one. Fails with
     * `Validation` for an account without a private key, such as the burn account.
     */
    readonly save: (
      owner: PayoutHolder,
      request: PayoutAddressRequest
    ) => Effect.Effect<SavedPayoutAddress, RevisionConflict | Validation>
  }
>()("pennypress/accounts/payout-address/PayoutAddresses") {
  static readonly layer = Layer.effect(
    PayoutAddresses,
    Effect.gen(function* () {
      const payouts = yield* OwnerPayouts
      const { changing } = yield* PublicAnswers

      return PayoutAddresses.of({
        read: Effect.fn("PayoutAddresses.read")(function* (owner) {
          const row = yield* payouts.find(owner.ownerId)
          return {
            payoutAddress: row.payout_address,
            revision: row.payout_revision,
            updatedAt: row.payout_updated_at
          }
        }),

        past: Effect.fn("PayoutAddresses.past")(({ ownerId }) => payouts.past(ownerId)),

        save: Effect.fn("PayoutAddresses.save")(function* (owner, { payoutAddress, revision }) {
          if (!isUsableKey(publicKeyOfAddress(payoutAddress))) return yield* unusableAddress()
          const change = {
            owner: owner.ownerId,
            address: payoutAddress,
            revision: revision ?? null,
            at: yield* now
          }
          const isCurrent = yield* changing([ownerTags.payouts])(payouts.save(change))
          if (!isCurrent) {
            const { payout_revision } = yield* payouts.find(owner.ownerId)
            return yield* RevisionConflict.with(payout_revision)
          }
          return { payoutAddress }
        })
      })
    })
  )
}

const unusableAddress = () =>
  new Validation({
    errors: [
      {
        field: "payoutAddress",
        code: "invalid",
        message: "This account has no private key, so a payment to it would be lost"
      }
    ]
  })
