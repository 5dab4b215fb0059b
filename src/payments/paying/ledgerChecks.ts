import { Effect, Option } from "effect"
import { PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { type LedgerAccount, type LedgerUnavailable, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import type { CheckedBlock } from "../x402/checkBlock.ts"

/** Returns the refusal of a block whose signature is good, so that its wallet is known. */
export const refusalOf = (code: PaymentRefusalCode, { payerKey }: Pick<CheckedBlock, "payerKey">) =>
  new PaymentRefused({ code, payer: addressOfPublicKey(payerKey) })

/** The terms are not those of the quote any more. The 402 that answers it has those of today. */
export const changed = new PaymentRefused({ code: "requirements_changed" })

/** Maximum number of further looks at an unconfirmed frontier: one each half second, so three seconds. */
const LOOKS_MAX = 6

/**
 * Makes the check that a block can follow its account's chain: the ledger knows the account and not the block, and has
 * confirmed the frontier. It returns the account. The check waits three seconds for the confirmation of the frontier.
 */
export const makeFollowsFrontier = Effect.map(NanoLedger, (ledger) => {
  const look = Effect.fnUntraced(function* (
    block: CheckedBlock,
    looks: number
  ): Effect.fn.Return<LedgerAccount, PaymentRefused | LedgerUnavailable> {
    const known = yield* ledger.block(block.hash)
    if (Option.isSome(known)) return yield* refusalOf("block_already_exists", block)
    const account = yield* ledger.account(block.payerKey)
    if (Option.isNone(account)) return yield* refusalOf("account_not_found", block)
    const { confirmedFrontier, frontier } = account.value
    if (frontier !== block.previous) return yield* refusalOf("frontier_moved", block)
    if (confirmedFrontier === frontier) return account.value
    if (looks === 0) return yield* refusalOf("frontier_unconfirmed", block)
    yield* Effect.sleep("500 millis")
    return yield* look(block, looks - 1)
  })
  return (block: CheckedBlock) => Effect.withSpan(look(block, LOOKS_MAX), "followsFrontier")
})

/** Checks that the block sends exactly the amount, to the raw. */
export const sendsExactly = (
  block: CheckedBlock,
  amountRaw: bigint,
  { balanceRaw }: LedgerAccount
): Effect.Effect<void, PaymentRefused> => {
  if (balanceRaw < amountRaw) return Effect.fail(refusalOf("insufficient_funds", block))
  return balanceRaw - block.balanceRaw === amountRaw
    ? Effect.void
    : Effect.fail(refusalOf("amount_mismatch", block))
}
