import { Option, Schema } from "effect"
import { fromShallowJson } from "../../schemas/platform/jsonBounds.ts"
import {
  addressOfPublicKey,
  NanoAddress,
  type NanoPublicKey,
  publicKeyOfAddress
} from "../../schemas/platform/Nano.ts"
import { BlockHash } from "../../schemas/platform/NanoBlock.ts"

/** A message of a node's websocket. */
export type Frame =
  | { readonly kind: "ack"; readonly of: string }
  /** A block was confirmed, by the word of the node. */
  | { readonly kind: "confirmation"; readonly hash: BlockHash; readonly keys: ReadonlyArray<NanoPublicKey> }

const Ack = Schema.Struct({ ack: Schema.String })

const Confirmation = Schema.Struct({
  topic: Schema.Literal("confirmation"),
  message: Schema.Struct({
    hash: BlockHash,
    account: NanoAddress,
    // Members of a block that sends. Others have nothing to say here.
    block: Schema.optionalKey(Schema.Struct({ link_as_account: Schema.optionalKey(NanoAddress) }))
  })
})

const decode = Schema.decodeOption(fromShallowJson(Schema.Union([Ack, Confirmation])))

/** Reads a message. None for anything else, as websockets only hint at what is read again. */
export const frameOf = (text: string): Option.Option<Frame> =>
  Option.map(decode(text), (frame): Frame => {
    if ("ack" in frame) return { kind: "ack", of: frame.ack }
    const { account, block, hash } = frame.message
    const accounts = block?.link_as_account === undefined ? [account] : [account, block.link_as_account]
    return { kind: "confirmation", hash, keys: accounts.map(publicKeyOfAddress) }
  })

const addresses = (keys: Iterable<NanoPublicKey>) => Array.from(keys, addressOfPublicKey)

/** Asks for confirmations of these accounts. */
export const subscribeFrame = (keys: Iterable<NanoPublicKey>) =>
  JSON.stringify({
    action: "subscribe",
    topic: "confirmation",
    ack: true,
    options: { accounts: addresses(keys), include_election_info: "false", include_block: "true" }
  })

/** Adds accounts to a subscription and removes others. */
export const updateFrame = (added: Iterable<NanoPublicKey>, removed: Iterable<NanoPublicKey>) =>
  JSON.stringify({
    action: "update",
    topic: "confirmation",
    ack: true,
    options: { accounts_add: addresses(added), accounts_del: addresses(removed) }
  })

export const pingFrame = JSON.stringify({ action: "ping" })
