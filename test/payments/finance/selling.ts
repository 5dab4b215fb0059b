import { Effect, Option } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import type { PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import type { payerOf } from "../../support/actors/payer.ts"

interface Sent {
  readonly target: PaymentTarget
  readonly payTo: NanoAddress
  readonly amountRaw: bigint
  readonly buyerId?: OwnerId | null
  /** Null for the platform's turn. */
  readonly payoutRevision?: number | null
  readonly late?: boolean
}

/** Sends money on the ledger, and settles it. */
export const paid = Effect.fnUntraced(function* (
  payer: Effect.Success<ReturnType<typeof payerOf>>,
  { amountRaw, buyerId = null, late = false, payoutRevision = 1, payTo, target }: Sent
) {
  const { hash } = yield* payer.pay(payTo, amountRaw)
  const block = Option.getOrThrow(yield* (yield* NanoLedger).block(hash))
  return yield* (yield* Settlements).settleConfirmed({
    channel: "claim",
    sessionId: null,
    target,
    block,
    amountRaw,
    baseRaw: amountRaw,
    payTo,
    payoutRevision,
    buyerId,
    late,
    version: null,
    receiptHash: null
  })
})
