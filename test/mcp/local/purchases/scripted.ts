import { STATUS_CODES } from "node:http"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NanoLedgerMemory } from "../../../../layers/testing/NanoLedgerMemory.ts"
import { paymentRefusals } from "../../../../schemas/payments/x402/refusals.ts"
import { publicKeyOfAddress, RAW_PER_XNO } from "../../../../schemas/platform/Nano.ts"
import { paidPost } from "../../../payments/access/paidPost.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { inTime } from "../../../support/actors/buyer.ts"
import { TestClient } from "../../../support/TestClient.ts"
import { allowed, localBuyer } from "../localBuyer.ts"
import { edition, stateDirectory, toolsOf } from "../localEdition.ts"
import { rowsOf } from "../stateFile.ts"
import { type Sent, type Trouble, Wire } from "../Wire.ts"

const HALF = RAW_PER_XNO / 2n

const isPayment = ({ headers }: Sent) => headers["payment-signature"] !== undefined

/** The terms of a Post, as the service told them, from which a script makes its answers. */
type Terms = Readonly<Record<string, any>>

/** Answers to the attempts of one call, in their order; the last one stands for all further ones. */
type Script = (terms: Terms) => ReadonlyArray<Trouble>

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

const html = (status: number) =>
  new Response("<html>A proxy</html>", { status, headers: { "content-type": "text/html" } })

/** An answer in the family of the access URL. */
const refusal = (status: number, code: string) =>
  json(status, {
    statusCode: status,
    statusMessage: STATUS_CODES[status],
    message: "Refused",
    data: { code }
  })

const required =
  (code: string): Script =>
  (terms) => [json(402, { ...terms, error: code, data: { ...terms["data"], code } })]

const pending = (seconds: number) =>
  json(503, {
    error: "settlement_pending",
    note: "The payment is not yet confirmed: repeat this very request",
    statusCode: 503,
    statusMessage: "Service Unavailable",
    message: "Pending",
    data: { code: "settlement_pending", transaction: "A".repeat(64), retryAfter: seconds }
  })

/** Answers after which nothing was sent, so that the money is free again. */
const refused: Readonly<Record<string, Script>> = {
  ...Object.fromEntries(Object.keys(paymentRefusals).map((code) => [`402 ${code}`, required(code)])),
  "410": () => [refusal(410, "post_withdrawn")],
  "404": () => [refusal(404, "not_found")],
  "400": () => [refusal(400, "invalid_payload")]
}

/** Answers that leave open what became of the payment, so that the money stays held. */
const open: Readonly<Record<string, Script>> = {
  pending: () => [pending(1)],
  "pending for long": () => [pending(60)],
  "503": () => [refusal(503, "ledger_unavailable")],
  "503 of a proxy": () => [html(503)],
  "500": () => [html(500)],
  "502": () => [html(502)],
  "504": () => [html(504)],
  "408": () => [html(408)],
  "425": () => [html(425)],
  "429": () => [html(429)],
  "429 for long": () => [new Response("", { status: 429, headers: { "retry-after": "3600" } })],
  "401 of a proxy": () => [html(401)],
  "403 of a proxy": () => [html(403)],
  "404 of a proxy": () => [html(404)],
  "402 of a proxy": () => [html(402)],
  "410 of a proxy": () => [html(410)],
  "200 of a proxy": () => [html(200)],
  "200 without a text": () => [json(200, {})],
  "a redirect": () => [new Response("", { status: 302, headers: { location: "https://other.test/" } })],
  "no answer": () => ["lost"],
  "no connection": () => ["unsent"],
  "no answer, then a 404 of a proxy": () => ["lost", html(404)],
  "no answer, then pending": () => ["lost", pending(1)]
}

/** Every script by its name, and what it does to the money of a purchase. */
export const scripts = [
  ...Object.entries(refused).map(([name, script]) => ({ name, script, isOpen: false })),
  ...Object.entries(open).map(([name, script]) => ({ name, script, isOpen: true }))
]
export type Scripted = (typeof scripts)[number]

/** The one refusal that says that the block is on the ledger. */
const SPENT = "402 block_already_exists"

/**
 * Buys a Post from a service that answers its payments by a script. Checks the money at each step, and that the wallet has
 * one block for it in the end.
 */
export const playScript = Effect.fnUntraced(function* ({ isOpen, name, script }: Scripted, number: number) {
  const directory = yield* stateDirectory
  const author = yield* authorOf(700 + number)
  const { id } = yield* author.published(paidPost)
  const { book } = yield* NanoLedgerMemory
  const client = yield* TestClient
  const wire = yield* Wire
  wire.trouble = () => undefined
  wire.sent.length = 0
  const context = yield* Layer.build(edition(directory))
  yield* Effect.gen(function* () {
    const buyer = yield* localBuyer(1000 + number)
    yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO, maxEachRaw: HALF })
    const { call } = yield* toolsOf
    const money = () => {
      const [row] = rowsOf(
        directory,
        "select r.state, i.phase from reservations r join intents i on i.id = intent_id"
      )
      return [row?.["state"], row?.["phase"]]
    }
    const blocks = Effect.map(
      book.chain(publicKeyOfAddress(buyer.wallet.account), 100),
      (chain) => chain.length
    )
    const before = yield* blocks
    const { body: terms } = yield* client.send("GET", `/api/posts/${id}/access`)
    let attempt = 0
    const answers = script(terms)
    wire.trouble = (request) => {
      if (!isPayment(request)) return undefined
      const answer = answers[Math.min(attempt++, answers.length - 1)]
      return answer instanceof Response ? answer.clone() : answer
    }
    const intent = { intent_id: crypto.randomUUID(), post_id: id, expected_price_raw: String(HALF) }
    const told = yield* inTime(call("svc_buy_post", intent))
    assert.isTrue(told.isError, name)
    const { code, operationId } = JSON.parse(told.text)
    wire.trouble = () => undefined
    if (!isOpen) {
      const isSpent = name === SPENT
      assert.deepStrictEqual(money(), [isSpent ? "spent" : "released", "complete"], name)
      assert.strictEqual(yield* blocks, before, name)
      return
    }
    assert.deepStrictEqual(money(), ["reserved", "possibly-dispatched"], `${name}: ${code}`)
    const resumed = yield* inTime(call("svc_operation", { operation_id: operationId, action: "resume" }))
    assert.isTrue(resumed.result.operations[0].result?.purchase.charged, `${name}: ${resumed.text}`)
    assert.deepStrictEqual(money(), ["spent", "complete"], name)
    assert.strictEqual(yield* blocks, before + 1, name)
    const payments = wire.sent.filter(isPayment).map(({ headers }) => headers["payment-signature"])
    assert.lengthOf(new Set(payments), 1, name)
  }).pipe(Effect.provideContext(context))
}, Effect.scoped)
