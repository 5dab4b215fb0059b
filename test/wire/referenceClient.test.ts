import { assert, it } from "@effect/vitest"
import { decodePaymentResponseHeader } from "@x402/core/http"
import { type SchemeNetworkClient, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect } from "effect"
import { FetchHttpClient, type HttpClient } from "effect/http"
import { NanoAddress, RAW_PER_XNO } from "../../schemas/platform/Nano.ts"
import { makeDemoWallet, wireBlock } from "../../src/bin/demoWallet.ts"
import { blockHash } from "../../src/platform/nano/blocks.ts"
import { paidPost, SECRET } from "../payments/access/paidPost.ts"
import { authorOf } from "../support/actors/author.ts"
import { walletOf } from "../support/actors/owner.ts"
import { TestClient } from "../support/TestClient.ts"
import { started } from "./server.ts"

const NETWORK = "nano:dev"

/** Sends a request as plainly as `fetch` does. */
const ask = async (url: string, init: RequestInit) => {
  const answer = await fetch(url, init)
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text === "" ? null : JSON.parse(text) }
}

/** Sends the requests of an actor over sockets. */
const overSockets = (origin: string) =>
  TestClient.of({
    send: (method, path, { body, headers = {}, token } = {}) =>
      Effect.promise(async () =>
        ask(`${origin}${path}`, {
          method,
          headers: {
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...headers
          },
          ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
        })
      )
  })

/** A `fetch` that loses the first answer to a payment, as a connection that breaks. It keeps the payments. */
const lossyFetch = () => {
  const payments: Array<string> = []
  const lossy: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const payment = request.headers.get("payment-signature")
    const answer = await fetch(request)
    if (payment === null) return answer
    payments.push(payment)
    if (payments.length > 1) return answer
    await answer.arrayBuffer()
    throw new TypeError("fetch failed")
  }
  return { lossy, payments }
}

/** The part that a user of the client writes for Nano: a signed block for the terms. Remembers the hashes. */
const nanoScheme = Effect.fnUntraced(function* (origin: string, number: number) {
  const context = yield* Effect.context<HttpClient.HttpClient>()
  const wallet = yield* makeDemoWallet(origin, walletOf(number), (client) => client)
  yield* wallet.fund(10n * RAW_PER_XNO)
  const hashes: Array<string> = []
  const client: SchemeNetworkClient = {
    scheme: "exact",
    createPaymentPayload: async (x402Version, { amount, payTo }) => {
      const block = await Effect.runPromiseWith(context)(wallet.send(NanoAddress.make(payTo), BigInt(amount)))
      hashes.push(blockHash(block))
      return { x402Version, payload: { block: wireBlock(block) } }
    }
  }
  return { client, hashes }
})

it.live("The reference client of x402 buys a Post over sockets, once even when its answer is lost", () =>
  Effect.gen(function* () {
    const { origin } = yield* started("test_wire_reference_client", {}, { NANO_LEDGER: "development" })
    const author = yield* Effect.provideService(authorOf(1), TestClient, overSockets(origin))
    const { id } = yield* Effect.provideService(author.published(paidPost), TestClient, overSockets(origin))
    const { client, hashes } = yield* nanoScheme(origin, 2)
    const { lossy, payments } = lossyFetch()
    const paying = wrapFetchWithPaymentFromConfig(lossy, {
      schemes: [{ network: NETWORK, client }],
      spendControls: {
        allowedAssets: [{ network: NETWORK, asset: "XNO", maxAmountPerPayment: String(RAW_PER_XNO) }]
      }
    })
    const url = `${origin}/api/posts/${id}/access`
    const buy = async () => {
      const answer = await paying(url)
      return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) }
    }
    const outcome = yield* Effect.promise(async () =>
      buy().then(
        () => "answered",
        () => "lost"
      )
    )
    assert.strictEqual(outcome, "lost")
    const bought = yield* Effect.promise(buy)
    assert.deepStrictEqual([bought.status, bought.body.post.content.paid], [200, SECRET])
    // The second block was not sent: the wallet has the Post by the first.
    assert.isFalse(bought.body.access.charged)
    const { success, transaction } = decodePaymentResponseHeader(bought.headers.get("payment-response") ?? "")
    assert.deepStrictEqual([success, transaction], [true, hashes[0]])
    const headers = { "payment-signature": payments[0] ?? "" }
    const repeated = yield* Effect.promise(async () => ask(url, { headers }))
    assert.deepStrictEqual(
      [repeated.status, repeated.body.access.charged, repeated.body.settlement.transaction],
      [200, true, hashes[0]]
    )
  }).pipe(Effect.provide(FetchHttpClient.layer), Effect.scoped)
)
