import { Effect } from "effect"
import { type PaymentRefused, SettlementPending } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { refuse } from "./refusals.ts"

/** Seconds after which a payer repeats a request whose payment is not confirmed yet. */
const RETRY_AFTER_SECONDS = 2

/** Returns the error of a payment that was accepted, but whose outcome is not known yet. */
export const pendingOf = ({ blockHash }: Pick<Settlement, "blockHash">) =>
  new SettlementPending({ transaction: blockHash, retryAfterSeconds: RETRY_AFTER_SECONDS })

/** Returns a settled settlement. Fails with the payer's error for a settlement in another state. */
export const settledOf = (
  settlement: Settlement
): Effect.Effect<Settlement, PaymentRefused | SettlementPending> => {
  const { code, state } = settlement
  if (state === "settled") return Effect.succeed(settlement)
  // A settlement is refused for one of the reasons of a 402.
  if (state === "refused") return refuse((code ?? "fork") as PaymentRefusalCode, settlement)
  return Effect.fail(pendingOf(settlement))
}
