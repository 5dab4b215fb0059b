import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import * as NodeWS from "@effect/platform-node/NodeWS"
import { Schema } from "effect"
import { addressOfPublicKey, NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { frontierOf, START_RAW } from "./openAccounts.ts"

/** A Nano node for a load: each account has money, and each block is confirmed as soon as it comes. It checks nothing. */
const decodeBlock = Schema.decodeUnknownSync(SignedBlock)

const blocks = new Map<string, SignedBlock>()
const heads = new Map<string, { readonly hash: string; readonly balance: bigint }>()
/** Confirmations of accounts without a subscriber. */
const untold = new Map<string, string>()
const subscribed = new Set<string>()

const confirmation = (hash: string) => {
  const block = blocks.get(hash)
  if (block === undefined) return ""
  const link_as_account = addressOfPublicKey(NanoPublicKey.make(block.link.toLowerCase()))
  const message = { hash, account: block.account, block: { link_as_account } }
  return JSON.stringify({ topic: "confirmation", message })
}

type Action = Readonly<Record<string, any>>

const answerTo = (action: Action): object => {
  switch (action["action"]) {
    case "version":
      return { network: "live" }
    case "account_info": {
      const account = String(action["account"])
      const { balance, hash } = heads.get(account) ?? { hash: frontierOf(account), balance: START_RAW }
      return { frontier: hash, confirmed_frontier: hash, balance: String(balance) }
    }
    case "block_info": {
      const block = blocks.get(String(action["hash"]))
      if (block === undefined) return { error: "Block not found" }
      const contents = { ...block, balance: String(block.balance) }
      const amount = String(START_RAW - block.balance)
      return { amount, confirmed: "true", contents, local_timestamp: "0", subtype: "send" }
    }
    case "process": {
      const block = decodeBlock(action["block"])
      const hash = blockHash(block)
      blocks.set(hash, block)
      heads.set(block.account, { hash, balance: block.balance })
      untold.set(block.account, hash)
      setImmediate(tell)
      return { hash }
    }
    case "receivable":
      return { blocks: "" }
    case "account_history":
      return { history: "" }
    default:
      return { error: "Unknown command" }
  }
}

const server = createServer((request, response) => {
  void text(request).then((body) => response.end(JSON.stringify(answerTo(JSON.parse(body)))))
})
const sockets = new NodeWS.WebSocketServer({ server })

/** Tells of confirmations whose accounts are followed by now. */
const tell = () => {
  for (const [account, hash] of untold) {
    if (!subscribed.has(account)) continue
    untold.delete(account)
    for (const client of sockets.clients) client.send(confirmation(hash))
  }
}

sockets.on("connection", (socket) =>
  socket.on("message", (data) => {
    const { action, options = {} } = JSON.parse(String(data))
    if (action === "ping") return socket.send(JSON.stringify({ ack: "pong" }))
    for (const account of options.accounts ?? options.accounts_add ?? []) subscribed.add(account)
    for (const account of options.accounts_del ?? []) subscribed.delete(account)
    socket.send(JSON.stringify({ ack: action }))
    tell()
  })
)

server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
