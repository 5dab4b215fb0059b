import { Effect, Fiber } from "effect"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { type NanoAddress, publicKeyOfAddress, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import type { SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import type { Claim } from "../../../src/payments/settlement/claim.sql.ts"
import type { PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { authorOf } from "../../support/actors/author.ts"
import type { payerOf } from "../../support/actors/payer.ts"
import { passing } from "../../support/passing.ts"
import { TestClient } from "../../support/TestClient.ts"

/** The price of the Posts of these tests: 0.25 XNO. */
export const PRICE_RAW = RAW_PER_XNO / 4n

const paidPost = {
  paidContentMarkdown: "The **secret** of pennies.",
  enablePaywall: true,
  priceRaw: String(PRICE_RAW)
}

/** Returns the id of an owner who has signed in. */
export const ownerIdOf = Effect.fnUntraced(function* (accessToken: string) {
  const client = yield* TestClient
  const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
  return OwnerId.make(body.owner.id)
})

/** An author with a paid Post that is public. */
export const sellerOf = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const post = yield* author.published(paidPost)
  return {
    author,
    ownerId: yield* ownerIdOf(author.accessToken),
    payTo: author.wallet.account,
    postId: PostId.make(post.id),
    target: { kind: "purchase", postId: PostId.make(post.id) } as const,
    /** Publishes another paid Post. */
    another: Effect.map(
      author.published(paidPost),
      ({ id }) => ({ kind: "purchase", postId: PostId.make(id) }) as const
    )
  }
})

/** Bytes that look like a hash, and differ for each name. */
export const hashNamed = (name: string): Uint8Array => {
  const bytes = new Uint8Array(32)
  bytes.set(new TextEncoder().encode(name).slice(-32))
  return bytes
}

interface Terms {
  readonly target: PaymentTarget
  readonly payTo: NanoAddress
  readonly amountRaw?: bigint
  readonly quote?: string
  readonly buyerId?: OwnerId | null
  readonly paymentIdentifier?: string
  readonly receipt?: string
  readonly hasWork?: boolean
}

let quotes = 0

/** Returns the claim of a block, with a fresh quote unless the terms name one. */
export const claimWith = (block: SignedBlock, terms: Terms): Claim => {
  const { amountRaw = PRICE_RAW, buyerId = null, payTo, paymentIdentifier = null, receipt, target } = terms
  const quote = terms.quote ?? `quote ${++quotes}`
  return {
    target,
    quoteHash: hashNamed(quote),
    payloadHash: hashNamed(`payload of ${quote}`),
    paymentIdentifier,
    block: {
      block,
      hasWork: terms.hasWork ?? true,
      hash: blockHash(block),
      payerKey: publicKeyOfAddress(block.account),
      previous: block.previous
    },
    amountRaw,
    payTo,
    buyerId,
    receiptHash: receipt === undefined ? null : hashNamed(receipt)
  }
}

/** Joins a fiber whose waits are on the test clock. */
export const ended = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.andThen(
    passing(
      500,
      "the end of a fiber",
      Effect.sync(() => fiber.pollUnsafe() !== undefined)
    ),
    Fiber.join(fiber)
  )

/** Runs an effect to its end, while the test clock passes. */
export const run = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.forkChild(effect), ended)

type Payer = Effect.Success<ReturnType<typeof payerOf>>

/** Signs the payment of these terms and returns its claim. */
export const claimOf = (payer: Payer, terms: Terms) =>
  Effect.map(payer.send(terms.payTo, terms.amountRaw ?? PRICE_RAW), (block) => claimWith(block, terms))
