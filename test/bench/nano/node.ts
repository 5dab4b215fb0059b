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
/** Hashes of the newest blocks of accounts. */
const heads = new Map<string, string>()
/** Subscribers, with the accounts that they follow. */
const clients = new Map<{ readonly send: (message: string) => void }, Set<string>>()

/** Tells the confirmation of an account's newest block to a subscriber that follows it. */
const tell = (client: { readonly send: (message: string) => void }, account: string) => {
  const hash = heads.get(account)
  const block = blocks.get(hash ?? "")
  if (block === undefined || clients.get(client)?.has(account) !== true) return
  const link_as_account = addressOfPublicKey(NanoPublicKey.make(block.link.toLowerCase()))
  client.send(
    JSON.stringify({ topic: "confirmation", message: { hash, account, block: { link_as_account } } })
  )
}

const answerTo = (action: Readonly<Record<string, any>>): object => {
  switch (action["action"]) {
    case "version":
      return { network: "live" }
    case "account_info": {
      const account = String(action["account"])
      const hash = heads.get(account)
      const balance = blocks.get(hash ?? "")?.balance ?? START_RAW
      const frontier = hash ?? frontierOf(account)
      return { frontier, confirmed_frontier: frontier, balance: String(balance) }
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
      heads.set(block.account, hash)
      setImmediate(() => clients.forEach((_, client) => tell(client, block.account)))
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

new NodeWS.WebSocketServer({ server }).on("connection", (socket) => {
  const accounts = new Set<string>()
  clients.set(socket, accounts)
  socket.on("close", () => clients.delete(socket))
  socket.on("message", (data) => {
    const { action, options = {} } = JSON.parse(String(data))
    if (action === "ping") return socket.send(JSON.stringify({ ack: "pong" }))
    const added: ReadonlyArray<string> = options.accounts ?? options.accounts_add ?? []
    for (const account of added) accounts.add(account)
    for (const account of options.accounts_del ?? []) accounts.delete(account)
    socket.send(JSON.stringify({ ack: action }))
    for (const account of added) tell(socket, account)
  })
})

server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
