import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Layer, Option, Result, Schema } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiClient, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PaymentRequired, SettlementPending } from "../../../schemas/payments/x402/errors.ts"
import { paymentErrors } from "../../../schemas/payments/x402/http.ts"
import { Quotes } from "../../../src/payments/quotes/Quotes.ts"
import {
  answerPaymentRequired,
  base64Json,
  makeMarkLedger,
  paymentOfRequest,
  withPaymentResponse
} from "../../../src/payments/x402/http.ts"
import { type Demand, makePaymentRequired } from "../../../src/payments/x402/paymentRequired.ts"
import { readPayment } from "../../../src/payments/x402/readPayment.ts"
import { headerOf, payloadOf, POST_URL, quotes, SECRET, terms, validHash, wallets } from "./validPayment.ts"

const api = HttpApi.make("payments")
  .add(
    HttpApiGroup.make("paid").add(
      HttpApiEndpoint.get("text", "/text", {
        success: Schema.Struct({ title: Schema.String }),
        error: paymentErrors
      }),
      HttpApiEndpoint.get("pending", "/pending", { success: Schema.Void, error: paymentErrors })
    )
  )
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })

const TITLE = 'Ünï "ćode" 題 🪙'

const demand = (offer: Demand["offer"]): Demand => ({
  offer,
  method: "GET",
  url: POST_URL,
  title: TITLE,
  mimeType: "application/json",
  preview: "http://localhost:4020/api/posts/x",
  code: "payment_required"
})

const pendingOutcome = {
  success: false,
  errorReason: "settlement_pending",
  transaction: validHash,
  network: "nano:mainnet",
  payer: wallets.payer.account
}

const told = { network: "nano:mainnet", reasons: {} }

/** Asks for a payment, and refuses each for its amount. */
const handlers = HttpApiBuilder.group(
  api,
  "paid",
  Effect.fnUntraced(function* (group) {
    const { offer } = yield* Quotes
    const required = yield* makePaymentRequired
    const markLedger = yield* makeMarkLedger
    return group.handleAll({
      text: Effect.fnUntraced(function* () {
        yield* markLedger
        const payment = yield* paymentOfRequest
        const fresh = demand(yield* offer(terms))
        const again = { ...fresh, code: "amount_mismatch", detail: "The block sends too much" } as const
        const answer = Effect.fail(required(Option.isNone(payment) ? fresh : again))
        return yield* withPaymentResponse(answer, {
          ...told,
          payment: Option.getOrUndefined(Option.map(payment, Result.succeed))
        })
      }, answerPaymentRequired),
      pending: Effect.fnUntraced(function* () {
        const header = headerOf(payloadOf(yield* offer(terms)))
        const payment = Option.getOrThrow(yield* readPayment({ "payment-signature": header }))
        const answer = Effect.fail(new SettlementPending({ transaction: validHash, retryAfterSeconds: 2 }))
        return yield* withPaymentResponse(answer, { ...told, payment: Result.succeed(payment) })
      })
    })
  })
)

const handled = (kind: "node" | "development") =>
  Effect.acquireRelease(
    Effect.sync(() =>
      HttpRouter.toWebHandler(
        HttpApiBuilder.layer(api).pipe(
          Layer.provide(handlers),
          Layer.provide(quotes(SECRET, kind)),
          Layer.provide(HttpServer.layerServices)
        ),
        { disableLogger: true }
      )
    ),
    ({ dispose }) => Effect.promise(dispose)
  )

const asked = Effect.fnUntraced(function* (
  path: string,
  headers: Record<string, string> = {},
  kind: "node" | "development" = "node"
) {
  const { handler } = yield* handled(kind)
  const answer = yield* Effect.promise(async () =>
    handler(new Request(`http://press.test${path}`, { headers }))
  )
  return {
    status: answer.status,
    headers: answer.headers,
    body: JSON.parse(yield* Effect.promise(() => answer.text()))
  }
})

const documentOf = (header: string | null) => JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8"))

describe("the answers to payers", () => {
  it.effect("A 402 has its terms in the header and in the body", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* asked("/text")
      assert.strictEqual(status, 402)
      assert.match(headers.get("payment-required") ?? "", /^[A-Za-z0-9+/]+={0,2}$/)
      const told = documentOf(headers.get("payment-required"))
      const { data, message, statusCode, statusMessage, ...terms } = body
      assert.deepStrictEqual(told, terms)
      assert.deepStrictEqual(Object.keys(told), ["x402Version", "error", "resource", "accepts", "extensions"])
      assert.deepStrictEqual([statusCode, statusMessage], [402, "Payment Required"])
      assert.match(message, /PAYMENT-SIGNATURE/)
      assert.deepStrictEqual(data, { code: "payment_required", preview: "http://localhost:4020/api/posts/x" })
      assert.deepStrictEqual(told.resource, {
        url: POST_URL,
        description: TITLE,
        mimeType: "application/json",
        serviceName: "Pennypress",
        tags: ["writing", "articles", "nano"],
        iconUrl: "http://localhost:4020/apple-touch-icon.png"
      })
      assert.strictEqual(told.extensions["rail-hint"].info.cheapest, "nano:mainnet")
      assert.isNull(headers.get("payment-response"))
      assert.isNull(headers.get("x-pennypress-ledger"))
    })
  )

  it.effect("A 402 is exactly what its schema encodes", () =>
    Effect.gen(function* () {
      const { offer } = yield* Quotes
      const required = yield* makePaymentRequired
      for (const changes of [{}, { code: "amount_mismatch", detail: "The block sends too much" }] as const) {
        const error = required({ ...demand(yield* offer(terms)), ...changes })
        const answer = yield* answerPaymentRequired(Effect.fail(error))
        const { body } = HttpServerResponse.toWeb(answer)
        const text = yield* Effect.promise(() => new Response(body).text())
        const encoded = yield* Schema.encodeEffect(Schema.Union(paymentErrors))(error)
        assert.strictEqual(text, JSON.stringify(encoded))
      }
    }).pipe(Effect.provide(quotes(SECRET, "node")))
  )

  it.effect("A refused payment gets fresh terms, and its reason in three places", () =>
    Effect.gen(function* () {
      const offer = (yield* asked("/text")).body.accepts[0]
      const paid = { "payment-signature": headerOf(payloadOf(offer)) }
      const { body, headers, status } = yield* asked("/text", paid)
      assert.deepStrictEqual(
        [status, body.error, body.data.code],
        [402, "amount_mismatch", "amount_mismatch"]
      )
      assert.strictEqual(body.message, "The block sends too much")
      assert.deepStrictEqual(documentOf(headers.get("payment-response")), {
        success: false,
        errorReason: "amount_mismatch",
        transaction: "",
        network: "nano:mainnet",
        payer: wallets.payer.account
      })
      assert.strictEqual(documentOf(headers.get("payment-required")).error, "amount_mismatch")
    })
  )

  it.effect("A header that is not a payment is a 400 without terms", () =>
    Effect.gen(function* () {
      const wrong = yield* asked("/text", { "payment-signature": "x" })
      assert.deepStrictEqual([wrong.status, wrong.body.data.code], [400, "invalid_payload"])
      assert.isNull(wrong.headers.get("payment-required"))
      const older = yield* asked("/text", { "x-payment": headerOf({ x402Version: 1 }) })
      assert.deepStrictEqual([older.status, older.body.data.code], [400, "invalid_x402_version"])
    })
  )

  it.effect("A pending payment is a 503 with the words that payers wait for", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* asked("/pending")
      assert.strictEqual(status, 503)
      assert.deepStrictEqual(body, {
        error: "settlement_pending",
        note: "The payment is not yet confirmed: repeat this very request",
        statusCode: 503,
        statusMessage: "Service Unavailable",
        message: body.message,
        data: { code: "settlement_pending", transaction: validHash, retryAfter: 2 }
      })
      assert.match(body.message, /never sign another payment/)
      assert.deepStrictEqual(documentOf(headers.get("payment-response")), pendingOutcome)
    })
  )

  it.effect("Money of the ledger for development is marked", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* asked("/text", {}, "development")
      assert.strictEqual(headers.get("x-pennypress-ledger"), "development")
      assert.strictEqual(body.data.ledger, "development")
      assert.strictEqual(body.accepts[0].network, "nano:dev")
    })
  )

  it.effect("A client catches answers as the classes that the service failed with", () =>
    Effect.gen(function* () {
      const { handler } = yield* handled("node")
      const fetched: typeof fetch = async (input, init) => handler(new Request(input, init))
      const client = yield* HttpApiClient.make(api, { baseUrl: "http://press.test" }).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, fetched)
      )
      const required = yield* Effect.flip(client.paid.text())
      assert.instanceOf(required, PaymentRequired)
      assert.strictEqual(required.terms.accepts[0].payTo, wallets.author.account)
      const pending = yield* Effect.flip(client.paid.pending())
      assert.instanceOf(pending, SettlementPending)
      assert.strictEqual(pending.retryAfterSeconds, 2)
    })
  )

  it.effect("The header of the longest title is below 4 KB, and cuts no character", () =>
    Effect.gen(function* () {
      const { offer } = yield* Quotes
      const required = yield* makePaymentRequired
      const title = "🥜".repeat(250)
      const { terms: told } = required({
        ...demand(yield* offer(terms)),
        title,
        code: "frontier_unconfirmed"
      })
      assert.isBelow(base64Json(told).length, 4096)
      assert.isAtMost(Buffer.byteLength(told.resource.description), 200)
      assert.isAtLeast(Buffer.byteLength(told.resource.description), 197)
      assert.match(told.resource.description, /^🥜+…$/u)
      const fitting = "ü".repeat(100)
      const same = required({ ...demand(yield* offer(terms)), title: fitting })
      assert.strictEqual(same.terms.resource.description, fitting)
      // A payer echoes all of it beside a block, and the service reads that.
      const echoed = { ...payloadOf(told.accepts[0]), resource: told.resource, extensions: told.extensions }
      const header = headerOf({
        ...echoed,
        extensions: {
          ...told.extensions,
          "payment-identifier": { info: { required: false, id: "x".repeat(128) } }
        }
      })
      assert.isBelow(header.length, 5120)
      assert.isTrue(Option.isSome(yield* readPayment({ "payment-signature": headerOf(echoed) })))
      assert.isTrue(Option.isSome(yield* readPayment({ "payment-signature": header })))
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("The declared schemas of the extensions accept the extensions", () =>
    Effect.gen(function* () {
      const { offer } = yield* Quotes
      const required = yield* makePaymentRequired
      const ajv = new Ajv2020()
      for (const [method, mimeType] of [
        ["GET", "application/json"],
        ["GET", "application/zip"],
        ["POST", "application/json"]
      ] as const) {
        const { terms: told } = required({ ...demand(yield* offer(terms)), method, mimeType })
        for (const [name, { info, schema }] of Object.entries(told.extensions)) {
          assert.isTrue(ajv.validate(schema, info), `${name}: ${ajv.errorsText()}`)
        }
        assert.isFalse(
          ajv.validate(told.extensions.bazaar.schema, { input: { type: "http", method: "PUT" } })
        )
      }
    }).pipe(Effect.provide(quotes()))
  )
})
