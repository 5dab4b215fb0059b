import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { Kdf } from "effect/crypto"
import { Base64 } from "effect/encoding"
import * as QuoteMacHmac from "../../../layers/crypto/QuoteMacHmac.ts"
import { ServerSecret } from "../../../layers/crypto/ServerSecret.ts"
import * as OffloadInline from "../../../layers/testing/OffloadInline.ts"
import * as SecureRandomSeeded from "../../../layers/testing/SecureRandomSeeded.ts"
import type { Offer } from "../../../schemas/payments/x402/Offer.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { NanoAddress, publicKeyOfAddress, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import { Quotes } from "../../../src/payments/quotes/Quotes.ts"
import type { Terms } from "../../../src/payments/quotes/terms.ts"
import type { PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { makeCheckBlock } from "../../../src/payments/x402/checkBlock.ts"
import { readPayment } from "../../../src/payments/x402/readPayment.ts"
import { workRule } from "../../../src/payments/x402/workRule.ts"
import { blockHash, WORK_THRESHOLDS } from "../../../src/platform/nano/blocks.ts"
import { sign } from "../../../src/platform/nano/signatures.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { WorkMaker } from "../../../src/platform/ports/WorkMaker.ts"
import { vectors } from "../../platform/nano/vectors.ts"

const address = Schema.decodeUnknownSync(NanoAddress)
const stateBlock = Schema.decodeUnknownSync(StateBlock)

/** Keys of the public documentation of Nano: one pays, one is paid, one has nothing to do with it. */
const [stranger, payer, author] = vectors.keys.map((key) => ({
  account: address(key.address),
  privateKey: Redacted.make(Uint8Array.from(Buffer.from(key.privateKey, "hex")))
})) as [Wallet, Wallet, Wallet]

export interface Wallet {
  readonly account: NanoAddress
  readonly privateKey: Redacted.Redacted<Uint8Array>
}
export const wallets = { stranger, payer, author }

export const post: PaymentTarget = {
  kind: "purchase",
  postId: PostId.make("0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e")
}
export const POST_URL = `http://localhost:4020/api/posts/${post.postId}/access`
export const terms: Terms = { target: post, amountRaw: RAW_PER_XNO / 20n, payTo: author.account }

/** The frontier of the payer in the documentation, and published work that the network takes for a send after it. */
export const PREVIOUS = "92BA74A7D6DC7557F3EDA95ADC6341D51AC777A0A6FF0688A5C492AB2B2CB40D"
const WORK = "0000000012b28f0c"

/** Signs a block as a node's JSON has it. */
export const signed = <Block extends Readonly<Record<string, string>>>(block: Block, wallet: Wallet) => {
  const digest = Buffer.from(blockHash(stateBlock(block)), "hex")
  return { ...block, signature: Buffer.from(sign(wallet.privateKey, digest)).toString("hex").toUpperCase() }
}

/** The members of the payer's block without its signature. */
export const unsignedBlock = {
  type: "state",
  account: payer.account,
  previous: PREVIOUS,
  representative: stranger.account,
  balance: "5606157000000000000000000000000000000",
  link: publicKeyOfAddress(author.account).toUpperCase(),
  link_as_account: author.account,
  work: WORK
}
export const validBlock = signed(unsignedBlock, payer)
export const validHash = blockHash(stateBlock(unsignedBlock))

/** A payment as a generic client sends it. */
export const payloadOf = (offer: Offer, block: object = validBlock) => ({
  x402Version: 2,
  resource: { url: POST_URL, description: "A Post", mimeType: "application/json" },
  accepted: offer,
  payload: { block },
  extensions: {
    "payment-identifier": {
      info: { required: false, id: "pay_0123456789abcdef" },
      schema: { type: "object" }
    }
  }
})

export const headerOf = (payload: unknown) => Base64.encode(JSON.stringify(payload))

/** The findings of the local checks of a payment. */
interface Found {
  readonly quoteHash: Uint8Array
  readonly amountRaw: bigint
  readonly payTo: NanoAddress
  readonly hash: string
  readonly hasWork: boolean
}

/** Makes every check of a header that needs neither database nor ledger, in order; fails with the refusal. */
export const checked = Effect.fnUntraced(function* (header: string) {
  const { check } = yield* Quotes
  const checkBlock = yield* makeCheckBlock
  const rule = yield* workRule
  const payment = Option.getOrThrow(yield* readPayment({ "payment-signature": header }))
  const quote = yield* check(post, payment.accepted, [POST_URL], payment.resource)
  const { hasWork, hash } = yield* checkBlock({ ...payment, client: "a payer" }, quote, rule)
  const { amountRaw, payTo, quoteHash } = quote
  const found: Found = { quoteHash, amountRaw, payTo, hash, hasWork }
  return found
})

/** Returns the code of a refusal, or `paid`. */
export const outcomeOf = (header: string) =>
  checked(header).pipe(
    Effect.as("paid"),
    Effect.catchTags({
      PaymentRefused: ({ code }) => Effect.succeed(code),
      InvalidPayload: () => Effect.succeed("invalid_payload"),
      InvalidX402Version: () => Effect.succeed("invalid_x402_version")
    })
  )

const ledger = (kind: "node" | "development" = "node") =>
  Layer.mock(NanoLedger, {
    kind,
    network: kind === "node" ? "nano:mainnet" : "nano:dev",
    workThreshold: kind === "node" ? WORK_THRESHOLDS.send : 0n
  })

const quoteMac = (secrets: string) =>
  QuoteMacHmac.layer.pipe(
    Layer.provide(ServerSecret.layer(Redacted.make(secrets))),
    Layer.provide(Kdf.layerWebCrypto)
  )

export const SECRET = "a secret of a test that has enough characters"

/** The quotes of a service with these secrets, this ledger, and servers that make work or none. */
export const quotes = (
  secrets = SECRET,
  kind: "node" | "development" = "node",
  work: "server" | "none" = "none"
) =>
  Quotes.layer.pipe(
    Layer.provide([quoteMac(secrets), SecureRandomSeeded.layer()]),
    Layer.provideMerge(
      Layer.mergeAll(ledger(kind), Layer.mock(WorkMaker, { kind: work }), OffloadInline.layer)
    )
  )
