import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import {
  type NanoAddress,
  NanoSignature,
  publicKeyOfAddress,
  RawAmount
} from "../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork, SignedBlock, type StateBlock } from "../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../platform/nano/blocks.ts"
import { type NanoPrivateKey, sign } from "../platform/nano/signatures.ts"

/** The part of a node's answer about an account that a wallet needs. */
const Account = Schema.Struct({ frontier: BlockHash, balance: RawAmount })
const Hash = Schema.Struct({ hash: BlockHash })

const NOTHING = BlockHash.make("0".repeat(64))
/** The development ledger asks for no work. */
const NO_WORK = BlockWork.make("0".repeat(16))

interface Keys {
  readonly account: NanoAddress
  readonly privateKey: NanoPrivateKey
}

/** Encodes a block as nodes and payments spell it. */
export const wireBlock = Schema.encodeSync(SignedBlock)

/** Makes a wallet on the development ledger of a service. */
export const makeDemoWallet = Effect.fnUntraced(function* (
  baseUrl: string,
  { account, privateKey }: Keys,
  transform: (client: HttpClient.HttpClient) => HttpClient.HttpClient
) {
  const http = transform(yield* HttpClient.HttpClient)

  /** Asks the ledger as wallets ask a Nano node. A refusal has none of the expected members. */
  const ask = <A>(answer: Schema.Codec<A, unknown>, request: Readonly<Record<string, unknown>>) =>
    HttpClientRequest.post(`${baseUrl}/dev/nano`).pipe(
      HttpClientRequest.bodyJsonUnsafe(request),
      http.execute,
      Effect.flatMap((response) => response.json),
      Effect.flatMap(Schema.decodeUnknownEffect(answer))
    )

  const signed = (block: Pick<StateBlock, "balance" | "link" | "previous">): SignedBlock => {
    const whole = { type: "state", account, representative: account, ...block } as const
    const signature = NanoSignature.make(bytesToHex(sign(privateKey, hexToBytes(blockHash(whole)))))
    return { ...whole, signature, work: NO_WORK }
  }

  const process = (block: SignedBlock, subtype: "open" | "send") =>
    ask(Hash, { action: "process", json_block: "true", subtype, block: wireBlock(block) })

  return {
    /** Gets money from the faucet and receives it, with the first block of the account. */
    fund: Effect.fnUntraced(function* (amountRaw: bigint) {
      const { hash } = yield* ask(Hash, { action: "faucet", account, amount: String(amountRaw) })
      yield* process(signed({ previous: NOTHING, balance: amountRaw, link: hash }), "open")
    }),

    /** Signs a block that sends, and publishes nothing. */
    send: Effect.fnUntraced(function* (to: NanoAddress, amountRaw: bigint) {
      const { balance, frontier } = yield* ask(Account, { action: "account_info", account })
      const link = BlockHash.make(publicKeyOfAddress(to).toUpperCase())
      return signed({ previous: frontier, balance: balance - amountRaw, link })
    }),

    publish: (block: SignedBlock) => process(block, "send")
  }
})

/** Returns true when a service has a ledger of its own, whose money costs nothing. */
export const hasDevelopmentLedger = (baseUrl: string) =>
  HttpClient.post(`${baseUrl}/dev/nano`).pipe(Effect.map(({ status }) => status === 200))
