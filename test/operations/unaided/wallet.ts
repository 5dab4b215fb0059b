import { bytesToHex } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import { NanoAddress, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import {
  documentedAddress,
  documentedBlock,
  documentedSigner
} from "../../accounts/sessions/documentedSigner.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { signedBlock, wireBlock } from "../../support/actors/payer.ts"

const NOTHING = "0".repeat(64)

/** The terms of a 402, as far as a payer needs them. */
export interface Terms {
  readonly resource: unknown
  readonly accepts: ReadonlyArray<{
    readonly amount: string
    readonly payTo: string
    readonly extra: { readonly workThreshold: string }
  }>
}

/** A wallet as any library for Nano makes it: it knows blocks, and nothing of this service. */
export const nanoWallet = (number: number) => {
  const wallet = walletOf(number)
  const { account } = wallet
  const block = (previous: string, balance: bigint, link: string, threshold?: bigint) =>
    wireBlock(
      signedBlock(
        wallet,
        {
          type: "state",
          account,
          representative: account,
          previous: BlockHash.make(previous),
          balance,
          link: BlockHash.make(link)
        },
        threshold
      )
    )
  return {
    account,
    /** Signs a message in the way that a text describes. */
    sign: (text: string, message: string) =>
      documentedSigner(text, bytesToHex(Redacted.value(wallet.privateKey))).sign(message),
    /** Makes the first block of the account, which receives. */
    open: (amount: string, hash: string) => block(NOTHING, BigInt(amount), hash),
    /** Makes a block that pays the first offer of a 402. */
    pay: (
      { accepts: [offer] }: Terms,
      { balance, frontier }: { readonly balance: string; readonly frontier: string }
    ) => {
      if (offer === undefined) throw new Error("A 402 without an offer")
      const { amount, extra, payTo } = offer
      return block(
        frontier,
        BigInt(balance) - BigInt(amount),
        publicKeyOfAddress(NanoAddress.make(payTo)).toUpperCase(),
        BigInt(`0x${extra.workThreshold}`)
      )
    }
  }
}

/** A wallet that makes its address, its blocks and its signatures as a text says, with nothing of this service. */
export const documentedWallet = (number: number, text: string) => {
  const signer = documentedSigner(text, bytesToHex(Redacted.value(walletOf(number).privateKey)))
  const { publicKey } = signer
  const account = documentedAddress(text, publicKey)
  const block = (previous: string, balance: bigint, link: string) => {
    const keys = { account: publicKey, representative: publicKey }
    const hash = documentedBlock(text, { ...keys, previous, balance, link })
    const signature = signer.signDigest(hash)
    const parts = { account, previous, representative: account, balance: String(balance), link, signature }
    return { type: "state", ...parts, work: NOTHING.slice(0, 16) }
  }
  return {
    account,
    sign: signer.sign,
    open: (amount: string, hash: string) => block(NOTHING, BigInt(amount), hash),
    pay: (
      { accepts: [offer] }: Terms,
      { balance, frontier }: { readonly balance: string; readonly frontier: string }
    ) => {
      if (offer === undefined) throw new Error("A 402 without an offer")
      const { amount, payTo } = offer
      const link = publicKeyOfAddress(NanoAddress.make(payTo))
      return block(frontier, BigInt(balance) - BigInt(amount), link)
    }
  }
}

/** Writes a payment in the form that a text shows: base64 of its JSON. A text may show the members of the block. */
export const paymentOf = (template: string, { accepts, resource }: Terms, block: object): string => {
  const members = new Map(Object.entries(block))
  const filled = template
    .replace("<resource>", () => JSON.stringify(resource))
    .replace("<accepts[0]>", () => JSON.stringify(accepts[0]))
    .replace("<block>", () => JSON.stringify(block))
    .replaceAll(/"(\w+)":…/g, (_, name: string) => `"${name}":${JSON.stringify(members.get(name))}`)
  return Buffer.from(JSON.stringify(JSON.parse(filled))).toString("base64")
}
