import { Effect } from "effect"
import { PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import type { CheckedBlock } from "../x402/checkBlock.ts"

/** Fails with the refusal of a block whose signature is good, so that its wallet is known. */
export const refuse = (
  code: PaymentRefusalCode,
  { payerKey }: Pick<CheckedBlock, "payerKey">
): Effect.Effect<never, PaymentRefused> =>
  Effect.fail(new PaymentRefused({ code, payer: addressOfPublicKey(payerKey) }))

/** The terms are not those of the quote any more. The 402 that answers it has those of today. */
export const changed = new PaymentRefused({ code: "requirements_changed" })
