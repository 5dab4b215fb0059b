import { Schema } from "effect"
import { NanoAddress, NanoAddressInput } from "../../platform/Nano.ts"
import { Timestamp } from "../../platform/Timestamp.ts"

/**
 * The saved receiving address (spec 2.4). `revision` counts its changes from 1; it is 0, and the others are
 * null, when none was saved yet.
 */
export const PayoutAddress = Schema.Struct({
  payoutAddress: Schema.NullOr(NanoAddress),
  revision: Schema.Int,
  updatedAt: Schema.NullOr(Timestamp)
}).annotate({ identifier: "PayoutAddress" })
export type PayoutAddress = typeof PayoutAddress.Type

/**
 * With `revision`, the change is made only if the address has this revision; otherwise the answer is a 409
 * `revision-conflict`.
 */
export const PayoutAddressRequest = Schema.Struct({
  payoutAddress: NanoAddressInput,
  revision: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })))
}).annotate({ identifier: "PayoutAddressRequest" })
export type PayoutAddressRequest = typeof PayoutAddressRequest.Type

/** The address in its `nano_` form, also when it was sent in another. */
export const SavedPayoutAddress = Schema.Struct({ payoutAddress: NanoAddress }).annotate({
  identifier: "SavedPayoutAddress"
})
export type SavedPayoutAddress = typeof SavedPayoutAddress.Type
