import { Effect, Fiber } from "effect"
import { NanoAddress } from "../../../schemas/platform/Nano.ts"
import type { SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { passing } from "../passing.ts"
import { TestClient, type TestAnswer, type TestRequest } from "../TestClient.ts"
import { payerOf, wireBlock } from "./payer.ts"

/** Returns a document as the headers of x402 carry it. */
export const base64Json = (document: unknown) => Buffer.from(JSON.stringify(document)).toString("base64")

/** Reads a header of x402. */
export const fromBase64 = (header: string | null) =>
  JSON.parse(Buffer.from(header ?? "", "base64").toString())

/** Returns the outcome that an answer tells its payer. */
export const outcomeOf = (answer: TestAnswer) => fromBase64(answer.headers.get("payment-response"))

/** Runs an effect while time passes in steps, as one that waits for the ledger needs. */
export const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>, stepMillis = 100) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* passing(
      stepMillis,
      "an answer",
      Effect.sync(() => fiber.pollUnsafe() !== undefined)
    )
    return yield* Fiber.join(fiber)
  })

/** Reads a Post at its access URL. */
export const access = Effect.fnUntraced(function* (
  postId: string,
  {
    payment,
    receipt,
    ...request
  }: TestRequest & { readonly payment?: string; readonly receipt?: string } = {},
  method = "GET",
  query = ""
) {
  const client = yield* TestClient
  return yield* client.send(method, `/api/posts/${postId}/access${query}`, {
    ...request,
    headers: {
      ...(payment === undefined ? {} : { "payment-signature": payment }),
      ...(receipt === undefined ? {} : { "x-purchase-receipt": receipt }),
      ...request.headers
    }
  })
})

/** The payload of a payment: what a payer echoes of a 402, and the block. Members of `changes` replace its own. */
export const payloadOf = (terms: any, block: SignedBlock, changes: object = {}) => ({
  x402Version: 2,
  resource: terms.resource,
  accepted: terms.accepts[0],
  payload: { block: wireBlock(block) },
  ...changes
})

/** A payer with 10 XNO, who buys as a client of x402 does. */
export const buyerOf = Effect.fnUntraced(function* (number: number) {
  const payer = yield* payerOf(number)
  yield* payer.fund()

  /** Gets a 402 and signs a block for it. Returns the header to send, and sends nothing. */
  const sign = Effect.fnUntraced(function* (postId: string, request: TestRequest = {}) {
    const required = yield* access(postId, request)
    if (required.status !== 402) return yield* Effect.die(new Error(`${required.status} ${required.text}`))
    const terms = fromBase64(required.headers.get("payment-required"))
    const [{ amount, payTo }] = terms.accepts
    const block = yield* payer.send(NanoAddress.make(payTo), BigInt(amount))
    const payload = payloadOf(terms, block)
    return { terms, block, payload, payment: base64Json(payload) }
  })

  return {
    ...payer,
    sign,
    /** Buys a Post. Returns the answer, with the header that paid. */
    buy: Effect.fnUntraced(function* (postId: string, request: TestRequest = {}) {
      const { payment } = yield* sign(postId, request)
      return { payment, answer: yield* inTime(access(postId, { ...request, payment })) }
    })
  }
})
