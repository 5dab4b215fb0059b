import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import * as NanoLedgerRpc from "../../../layers/nano/NanoLedgerRpc.ts"
import { parseRpcUrls } from "../../../layers/nano/rpcUrl.ts"
import {
  type NanoPublicKey,
  NanoSignature,
  publicKeyOfAddress,
  RAW_PER_XNO
} from "../../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork, type StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash, WORK_THRESHOLDS } from "../../../src/platform/nano/blocks.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { listening } from "../../support/listening.ts"

/** A request as a node reads it. */
export interface NodeRequest {
  readonly action: string
  readonly body: Readonly<Record<string, unknown>>
  readonly authorization: string | undefined
}

/** An answer in JSON, the bytes of an answer, or what a test does with the connection. */
export type NodeReply = object | string | ((response: ServerResponse) => void)

export const text =
  (body: string, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { "content-type": "text/plain" }).end(body)

/** Takes the request and never answers. */
export const hang = () => {}

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** A node that answers each request by a script. It says that it is on the live network unless the script says else. */
export const scriptedNode = Effect.fnUntraced(function* (
  script: (request: NodeRequest) => NodeReply | undefined
) {
  const requests: Array<NodeRequest> = []
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then((sent) => {
      const body = JSON.parse(sent)
      const request = { action: body.action, body, authorization: incoming.headers.authorization }
      requests.push(request)
      const reply =
        script(request) ?? (body.action === "version" ? { network: "live" } : { error: "Unknown command" })
      if (typeof reply === "function") return reply(response)
      response.end(typeof reply === "string" ? reply : JSON.stringify(reply))
    })
  })
  const port = yield* listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Requests without those for the network. */
    asked: () => requests.filter(({ action }) => action !== "version")
  }
})

const servers = (urls: ReadonlyArray<string>, kind: "http" | "ws" = "http") =>
  Result.getOrThrow(parseRpcUrls(Redacted.make(urls.join(",")), kind))

/** A ledger of these nodes that lives as long as the scope. */
export const ledgerAt = (
  urls: ReadonlyArray<string>,
  {
    network = "nano:mainnet",
    quorum = 1,
    socket
  }: { network?: string; quorum?: number; socket?: string } = {}
) =>
  Layer.build(
    NanoLedgerRpc.layer({
      servers: servers(urls),
      sockets: Option.map(Option.fromUndefinedOr(socket), (url) => servers([url], "ws")),
      quorum,
      network,
      workThreshold: WORK_THRESHOLDS.send
    })
  ).pipe(Effect.map((context) => Context.get(context, NanoLedger)))

/** A ledger of one scripted node. */
export const scriptedLedger = Effect.fnUntraced(function* (
  script: (request: NodeRequest) => NodeReply | undefined
) {
  const node = yield* scriptedNode(script)
  return { node, ledger: yield* ledgerAt([node.url]) }
})

/** A URL where no server listens. */
export const nowhere = Effect.map(Effect.scoped(scriptedNode(() => undefined)), ({ url }) => url)

export const payer = walletOf(1)
export const author = walletOf(2)
export const payerKey: NanoPublicKey = publicKeyOfAddress(payer.account)
export const authorKey: NanoPublicKey = publicKeyOfAddress(author.account)

/** A send of the payer to the author; numbers make different blocks. */
export const sendBlock = (number = 1): StateBlock => ({
  type: "state",
  account: payer.account,
  previous: BlockHash.make(number.toString(16).toUpperCase().padStart(64, "0")),
  representative: payer.account,
  balance: 5n * RAW_PER_XNO,
  link: BlockHash.make(authorKey.toUpperCase())
})

/** The answer to `block_info`, in the words of a node. */
export const blockInfo = (block: StateBlock, change: Readonly<Record<string, unknown>> = {}) => ({
  block_account: block.account,
  amount: RAW_PER_XNO.toString(),
  balance: block.balance.toString(),
  height: "58",
  local_timestamp: "1795000000",
  successor: "0".repeat(64),
  confirmed: "true",
  contents: {
    ...block,
    balance: block.balance.toString(),
    link_as_account: author.account,
    signature: "0".repeat(128),
    work: "0".repeat(16)
  },
  subtype: "send",
  ...change
})

export const sent = sendBlock()
export const sentHash = blockHash(sent)

/** The answer to `account_info`: the newest block is not confirmed. */
export const accountInfo = {
  frontier: sentHash,
  open_block: sentHash,
  balance: RAW_PER_XNO.toString(),
  confirmed_frontier: sent.previous
}

/** The block as its payer sends it. */
export const signed = {
  ...sent,
  signature: NanoSignature.make("0".repeat(128)),
  work: BlockWork.make("0".repeat(16))
}

/** A ledger whose node answers all but `version` by this. */
export const answering = (reply: NodeReply) =>
  scriptedLedger(({ action }) => (action === "version" ? undefined : reply))

/** Answers that say nothing about the ledger, and the reason that a caller gets. */
export const useless: ReadonlyArray<readonly [string, NodeReply, string]> = [
  ["429 text", text("Too many requests", 429), "refused"],
  ["429 that looks like none", text(JSON.stringify({ error: "Block not found" }), 429), "refused"],
  ["500 with a block", text(JSON.stringify(blockInfo(sent)), 500), "refused"],
  ["redirection", (response) => response.writeHead(302, { location: "/" }).end(), "refused"],
  ["error of the node", { error: "RPC control is disabled" }, "refused"],
  ["error that is no text", { error: 429, message: "Block not found" }, "refused"],
  ["none in other words", { error: "block not found" }, "refused"],
  ["empty text", "", "protocol"],
  ["empty string", '""', "protocol"],
  ["plain text", text("Block not found"), "protocol"],
  ["null", "null", "protocol"],
  ["list", "[]", "protocol"],
  ["nothing", {}, "protocol"],
  ["oversize", JSON.stringify({ ...blockInfo(sent), more: "x".repeat(1024 * 1024) }), "protocol"],
  ["another block", blockInfo(sendBlock(2)), "protocol"],
  ["changed link", blockInfo({ ...sent, link: sentHash }), "protocol"],
  ["half a confirmation", blockInfo(sent, { confirmed: "yes" }), "protocol"],
  ["no confirmation", blockInfo(sent, { confirmed: undefined }), "protocol"],
  ["amount in XNO", blockInfo(sent, { amount: "1.0" }), "protocol"],
  ["negative amount", blockInfo(sent, { amount: "-1" }), "protocol"],
  ["number", blockInfo(sent, { amount: 1 }), "protocol"],
  ["unknown subtype", blockInfo(sent, { subtype: "gift" }), "protocol"],
  [
    "cut",
    (response) =>
      void response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy()),
    "unreachable"
  ],
  ["hung up", (response) => void response.destroy(), "unreachable"]
]
