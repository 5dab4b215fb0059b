import { hexToBytes } from "@noble/hashes/utils.js"
import { NanoAddress, NanoSignature, publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork, type StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { get, type LoadRequest } from "../loadRequest.ts"
import type { Conversation, Operation } from "../operation.ts"
import { answerOf, type Server } from "../servers.ts"
import { walletOf } from "../wallets.ts"
import { frontierOf, START_RAW } from "./openAccounts.ts"

/** Any work will do, with the threshold of the bench. Zeros would stand for none. */
const WORK = BlockWork.make("0000000000000001")

/** The wallets of sign-ins have lower numbers. */
let wallets = 1_000_000

export const accessOf = (postId: string, token?: string) => get(`/api/posts/${postId}/access`, token)

/** Repeats a request with a payment. */
export const paying = (request: LoadRequest, payment: string): LoadRequest => ({
  ...request,
  headers: { ...request.headers, "payment-signature": payment }
})

/** Signs a payment for the terms of a 402, with a wallet that has paid nothing before. Returns its header. */
const signed = (required: string): string => {
  const { accepts, resource } = JSON.parse(required)
  const [accepted] = accepts ?? []
  if (accepted === undefined) throw new Error(`No terms: ${required.slice(0, 200)}`)
  const { account, signDigest } = walletOf(wallets++)
  const block: StateBlock = {
    type: "state",
    account,
    representative: account,
    previous: frontierOf(account),
    balance: START_RAW - BigInt(accepted.amount),
    link: BlockHash.make(publicKeyOfAddress(NanoAddress.make(accepted.payTo)).toUpperCase())
  }
  const signature = NanoSignature.make(signDigest(hexToBytes(blockHash(block))))
  const wire = { ...block, balance: String(block.balance), signature, work: WORK }
  const payment = { x402Version: 2, resource, accepted, payload: { block: wire } }
  return Buffer.from(JSON.stringify(payment)).toString("base64")
}

/** Buys a Post. Returns the header that paid; undefined when the reader needs none. */
export const bought = async (server: Server, request: LoadRequest) => {
  const required = await answerOf(server, request)
  if (required.status === 200) return undefined
  const payment = signed(required.body)
  const paid = await answerOf(server, paying(request, payment))
  if (paid.status !== 200) throw new Error(`Not bought: ${paid.status} ${paid.body.slice(0, 300)}`)
  return payment
}

/** Each connection buys one of these Posts after the other, each time with a new wallet. */
export const purchasesOf = (name: string, title: string, posts: ReadonlyArray<string>): Operation => {
  let turn = 0
  const next = () => accessOf(posts[turn++ % posts.length] ?? "")
  const begin = (): Conversation => {
    let asked: LoadRequest | undefined
    return (lastAnswer) => {
      if (asked === undefined) {
        if (lastAnswer !== "" && JSON.parse(lastAnswer).settlement?.success !== true)
          throw new Error(`Not bought: ${lastAnswer.slice(0, 300)}`)
        return (asked = next())
      }
      const payment = paying(asked, signed(lastAnswer))
      asked = undefined
      return payment
    }
  }
  return {
    name,
    title,
    isRead: false,
    isAskingTerms: true,
    status: 200,
    request: next,
    conversation: { steps: 2, begin },
    ownAlone: "the reference servers do not have it"
  }
}
