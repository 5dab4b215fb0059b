import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Option, Schema } from "effect"
import { PaymentRefused } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"
import { NanoAddress, type NanoPublicKey, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { type BlockHash, BlockWork, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash, workDifficulty, workRoot } from "../../platform/nano/blocks.ts"
import { isUsableKey } from "../../platform/nano/signatures.ts"
import { makeDigestVerifier } from "../../platform/nano/signatureVerifier.ts"
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
