import { assert, describe, it } from "@effect/vitest"
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from "@x402/core/http"
import { isPaymentRequiredV2, validatePaymentPayload, validatePaymentRequired } from "@x402/core/schemas"
import { type SchemeNetworkClient, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect, Schema } from "effect"
import { paymentErrors } from "../../../schemas/payments/x402/http.ts"
import type { Offer } from "../../../schemas/payments/x402/Offer.ts"
import { Quotes } from "../../../src/payments/quotes/Quotes.ts"
import { base64Json, refusedOutcome } from "../../../src/payments/x402/http.ts"
import { makePaymentRequired } from "../../../src/payments/x402/paymentRequired.ts"
import type { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import type { Offload } from "../../../src/platform/ports/Offload.ts"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import type { WorkMaker } from "../../../src/platform/ports/WorkMaker.ts"
import { outcomeOf, POST_URL, quotes, terms, validBlock, validHash, wallets } from "./validPayment.ts"

/** The part that a user of the client writes for Nano: a block for the offer, and nothing else. */
const nanoScheme = (block: object): SchemeNetworkClient => ({
  scheme: "exact",
  createPaymentPayload: async (x402Version) => ({ x402Version, payload: { block } })
})

const buying = (serve: typeof fetch, block: object, maxAmountPerPayment: string) =>
  wrapFetchWithPaymentFromConfig(serve, {
    schemes: [{ network: "nano:mainnet", client: nanoScheme(block) }],
    spendControls: { allowedAssets: [{ network: "nano:mainnet", asset: "XNO", maxAmountPerPayment }] }
  })

const [, , paymentRequired] = paymentErrors
const encode = Schema.encodeSync(paymentRequired)

const demanded = Effect.fnUntraced(function* (code: "payment_required" | "invalid_signature") {
  const { offer } = yield* Quotes
  const required = yield* makePaymentRequired
  return required({
    offer: yield* offer(terms),
    method: "GET",
    url: POST_URL,
    title: "Pennies, Über-cheap 🥜",
    mimeType: "application/json",
    preview: "http://localhost:4020/api/posts/x",
    code
  })
})

/** A service that takes every payment which passes its own checks, and remembers the headers that it got. */
const shop = Effect.gen(function* () {
  const context = yield* Effect.context<NanoLedger | Offload | Quotes | WorkMaker>()
  const sent: Array<string> = []
  const answer = Effect.fnUntraced(function* (request: Request) {
    const header = request.headers.get("payment-signature")
    if (header !== null) sent.push(header)
    const outcome = header === null ? "payment_required" : yield* outcomeOf(header)
    if (outcome === "paid") {
      const settled = {
        success: true,
        transaction: validHash,
        network: "nano:mainnet",
        payer: wallets.payer.account
      }
      return Response.json({ text: "bought" }, { headers: { "payment-response": base64Json(settled) } })
    }
    const required = yield* demanded(outcome === "payment_required" ? outcome : "invalid_signature")
    return Response.json(encode(required), {
      status: 402,
      headers: {
        "payment-required": base64Json(required.terms),
        ...(header === null
          ? {}
          : {
              "payment-response": base64Json(
                refusedOutcome(required.terms.error, {
                  network: "nano:mainnet",
                  payer: wallets.payer.account
                })
              )
            })
      }
    })
  })
  const serve: typeof fetch = async (input, init) =>
    Effect.runPromiseWith(context)(answer(new Request(input, init)))
  return { sent, serve }
})

describe("the reference client of x402", () => {
  it.effect("The client reads the terms in the header and in the body", () =>
    Effect.gen(function* () {
      const required = yield* demanded("payment_required")
      const told = decodePaymentRequiredHeader(base64Json(required.terms))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(told)), JSON.parse(JSON.stringify(required.terms)))
      for (const document of [told, encode(required)]) {
        const read = validatePaymentRequired(document)
        assert.isTrue(isPaymentRequiredV2(read))
        assert.strictEqual(read.error, "payment_required")
        assert.deepInclude(read.accepts[0], { scheme: "exact", network: "nano:mainnet", asset: "XNO" })
        const { resource } = read as typeof told
        assert.strictEqual(resource.serviceName, "Pennypress")
        assert.strictEqual(resource.iconUrl, "http://localhost:4020/apple-touch-icon.png")
        assert.deepStrictEqual(resource.tags, ["writing", "articles", "nano"])
      }
    }).pipe(Effect.provide(quotes()))
  )

  for (const siteName of ["Maras Söhne", "مارا", "A".repeat(33), "Two\nlines"])
    it.effect(
      `The client reads the terms of a site with a name that x402 cannot write: ${JSON.stringify(siteName)}`,
      () =>
        Effect.gen(function* () {
          const { terms } = yield* demanded("payment_required")
          const read = validatePaymentRequired(decodePaymentRequiredHeader(base64Json(terms)))
          assert.isTrue(isPaymentRequiredV2(read))
          assert.notProperty(terms.resource, "serviceName")
        }).pipe(Effect.provide([quotes(), withSettings({ siteName })]))
    )

  it.effect("The client pays, and its header passes every local check", () =>
    Effect.gen(function* () {
      const { sent, serve } = yield* shop
      const answer = yield* Effect.promise(async () =>
        buying(serve, validBlock, String(terms.amountRaw))(POST_URL)
      )
      assert.strictEqual(answer.status, 200)
      const settled = decodePaymentResponseHeader(answer.headers.get("payment-response") ?? "")
      assert.deepInclude(settled, { success: true, transaction: validHash })
      assert.lengthOf(sent, 1)
      assert.isBelow(sent[0]?.length ?? 0, 5120)
      const payload = JSON.parse(Buffer.from(sent[0] ?? "", "base64").toString("utf8"))
      assert.deepStrictEqual(validatePaymentPayload(payload).x402Version, 2)
      // It echoes what it does not know.
      assert.containsAllKeys(payload, ["resource", "accepted", "extensions"])
      assert.containsAllKeys(payload.extensions, ["payment-identifier", "rail-hint", "bazaar"])
      const offer: Offer = payload.accepted
      assert.match(offer.extra.intentId, /^ppi_/)
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("The client shows its caller why a payment was refused", () =>
    Effect.gen(function* () {
      const { sent, serve } = yield* shop
      const wrong = { ...validBlock, balance: "1" }
      const answer = yield* Effect.promise(async () =>
        buying(serve, wrong, String(terms.amountRaw))(POST_URL)
      )
      assert.strictEqual(answer.status, 402)
      const outcome = decodePaymentResponseHeader(answer.headers.get("payment-response") ?? "")
      assert.deepInclude(outcome, { success: false, errorReason: "invalid_signature", transaction: "" })
      assert.lengthOf(sent, 1)
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("The client refuses what costs more than its user's cap", () =>
    Effect.gen(function* () {
      const { sent, serve } = yield* shop
      const cap = String(terms.amountRaw - 1n)
      const refused = yield* Effect.promise(async () =>
        buying(
          serve,
          validBlock,
          cap
        )(POST_URL).then(
          () => "paid",
          () => "refused"
        )
      )
      assert.strictEqual(refused, "refused")
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.provide(quotes()))
  )
})
