import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Option, Schema } from "effect"
import { PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import {
  addressOfPublicKey,
  NanoAddress,
  type NanoPublicKey,
  publicKeyOfAddress
} from "../../../schemas/platform/Nano.ts"
import { type BlockHash, BlockWork, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash, workDifficulty, workRoot } from "../../platform/nano/blocks.ts"
import { isUsableKey } from "../../platform/nano/signatures.ts"
import { makeDigestVerifier } from "../../platform/nano/signatureVerifier.ts"
import { type LedgerAccount, type LedgerUnavailable, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import type { Payment, Sent } from "./readPayment.ts"
import type { WorkRule } from "./workRule.ts"

/** A block that its account signed and that sends to the right address. Only the ledger knows the amount. */
export interface CheckedBlock {
  readonly block: SignedBlock
  /** False when the service must make the work before it publishes the block. The block has zeros then. */
  readonly hasWork: boolean
  readonly hash: BlockHash
  readonly payerKey: NanoPublicKey
  readonly previous: BlockHash
  readonly balanceRaw: bigint
}

const refuse = (code: PaymentRefusalCode) => Effect.fail(new PaymentRefused({ code }))

/** Returns the refusal of a block whose signature is good, so that its wallet is known. */
export const refusalOf = (code: PaymentRefusalCode, { payerKey }: Pick<CheckedBlock, "payerKey">) =>
  new PaymentRefused({ code, payer: addressOfPublicKey(payerKey) })

const decodeBlock = Schema.decodeUnknownOption(SignedBlock)
const decodeAddress = Schema.decodeUnknownOption(NanoAddress)

const NO_WORK = BlockWork.make("0".repeat(16))

/** Payers that leave the work to the service send zeros, or nothing. */
const isWorkMissing = (work: unknown) =>
  work === undefined || work === null || (typeof work === "string" && /^0*$/.test(work))

/** Returns the block of a payment if it has the form of one, with zeros in place of work that is missing. */
const formed = (sent: Sent): Option.Option<SignedBlock> =>
  decodeBlock(isWorkMissing(sent["work"]) ? { ...sent, work: NO_WORK } : sent)

/** Returns the hash of the block of a payment, none of it checked; null for what cannot be one. */
export const hashOfSent = (sent: Sent): BlockHash | null =>
  Option.getOrNull(Option.map(formed(sent), blockHash))

/** Returns true if a block of the ledger is the one in this payment. Otherwise an earlier payment counted, and this one was not sent. */
export const isBlockOf = ({ block }: Pick<Payment, "block">, hash: BlockHash): boolean =>
  hashOfSent(block) === hash

const linksTo = (key: NanoPublicKey, block: SignedBlock, sent: Sent) =>
  block.link.toLowerCase() === key &&
  (sent["link_as_account"] === undefined ||
    Option.exists(decodeAddress(sent["link_as_account"]), (address) => publicKeyOfAddress(address) === key))

/**
 * Makes the checks of a payment's block that need no ledger: form, recipient, signature and work, in this order. Anyone can
 * send a block in the name of a wallet, so the signatures of each client take turns.
 */
export const makeCheckBlock = Effect.map(makeDigestVerifier, (isSigned) =>
  Effect.fn("checkBlock")(function* (
    { block: sent, client }: Pick<Payment, "block"> & { readonly client: string },
    { payTo }: { readonly payTo: NanoAddress },
    { demand, threshold }: WorkRule
  ) {
    const isSent = !isWorkMissing(sent["work"])
    const decoded = formed(sent)
    if (Option.isNone(decoded)) return yield* refuse("invalid_block")
    const block = decoded.value
    const payerKey = publicKeyOfAddress(block.account)
    if (!isUsableKey(payerKey)) return yield* refuse("invalid_block")
    const recipient = publicKeyOfAddress(payTo)
    if (payerKey === recipient) return yield* refuse("self_payment")
    if (!linksTo(recipient, block, sent)) return yield* refuse("invalid_payto")

    const hash = blockHash(block)
    const { account, signature } = block
    if (!(yield* isSigned({ account, caller: client, digest: hexToBytes(hash), signature }))) {
      return yield* refuse("invalid_signature")
    }
    const isEnough = isSent ? workDifficulty(workRoot(block), block.work) >= threshold : demand === "optional"
    if (!isEnough) return yield* new PaymentRefused({ code: "invalid_work", payer: account })
    const checked: CheckedBlock = {
      block,
      // A ledger without a threshold takes zeros.
      hasWork: isSent || threshold === 0n,
      hash,
      payerKey,
      previous: block.previous,
      balanceRaw: block.balance
    }
    return checked
  })
)

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
