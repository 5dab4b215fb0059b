import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Redacted } from "effect"
import {
  addressOfPublicKey,
  NanoAddress,
  NanoSignature,
  publicKeyOfAddress
} from "../../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork, type StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { publicKeyOf } from "../../../src/platform/nano/keys.ts"
import { sign } from "../../../src/platform/nano/signatures.ts"
import { frontierOf, START_RAW } from "../nano/openAccounts.ts"
import { type Conversation, conversing, get, type Operation } from "../operation.ts"
import type { Seed } from "../seed/seed.ts"

/** Posts that are sold, each of another author. */
const POSTS = 100

/** Any work will do, with the threshold of the bench. Zeros would stand for none. */
const WORK = BlockWork.make("0000000000000001")

let wallets = 0

/** Returns the key of another wallet each time. */
const newKey = () => {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setUint32(28, ++wallets)
  return Redacted.make(bytes)
}

/** Signs a payment for the terms of a 402, with a wallet that has paid nothing before. Returns its header. */
const signed = (required: string): string => {
  const { accepts, resource } = JSON.parse(required)
  const [accepted] = accepts ?? []
  if (accepted === undefined) throw new Error(`No terms: ${required.slice(0, 200)}`)
  const key = newKey()
  const account = addressOfPublicKey(publicKeyOf(key))
  const block: StateBlock = {
    type: "state",
    account,
    representative: account,
    previous: frontierOf(account),
    balance: START_RAW - BigInt(accepted.amount),
    link: BlockHash.make(publicKeyOfAddress(NanoAddress.make(accepted.payTo)).toUpperCase())
  }
  const signature = NanoSignature.make(bytesToHex(sign(key, hexToBytes(blockHash(block)))))
  const wire = { ...block, balance: String(block.balance), signature, work: WORK }
  const payment = { x402Version: 2, resource, accepted, payload: { block: wire } }
  return Buffer.from(JSON.stringify(payment)).toString("base64")
}

/** Asks for the terms of paid Posts, and buys them. */
export const purchasesOf = ({ posts }: Seed): ReadonlyArray<Operation> => {
  const paid = posts.filter(({ isPaid }) => isPaid).slice(0, POSTS)
  let turn = 0
  const next = () => `/api/posts/${paid[turn++ % paid.length]!.id}/access`

  // Each purchase has a new wallet.
  const buying = (): Conversation => {
    let path = ""
    return (lastAnswer) => {
      if (path !== "") {
        const payment = get(path, { "payment-signature": signed(lastAnswer) })
        path = ""
        return payment
      }
      if (lastAnswer !== "" && JSON.parse(lastAnswer).settlement?.success !== true)
        throw new Error(`Not bought: ${lastAnswer.slice(0, 300)}`)
      return get((path = next()))
    }
  }

  const request = () => get(next())
  return [
    { name: "terms", title: `Terms (402) of one of ${POSTS} paid Posts`, statuses: [402], request },
    conversing("purchase", `Buy one of ${POSTS} Posts: terms and payment`, [402, 200], buying, 2)
  ]
}
