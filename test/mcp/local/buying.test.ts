import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { revokeGrants } from "../../../src/mcp/local/state/grants.sql.ts"
import { readPurchase } from "../../../src/mcp/local/state/purchases.sql.ts"
import { authorOf } from "../../support/actors/author.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { TestClient } from "../../support/TestClient.ts"
import { allowed, localBuyer, sumsOfGrant } from "./localBuyer.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"
import { type Sent, troubled, Wire } from "./Wire.ts"

const HALF = RAW_PER_XNO / 2n

const paid = {
  freeContentMarkdown: "A teaser.",
  paidContentMarkdown: "Behind the price.",
  enablePaywall: true,
  priceXno: "0.5"
}

const paidPost = Effect.fnUntraced(function* (author: number) {
  const made = yield* authorOf(author)
  const post = yield* made.published(paid)
  return { author: made, id: post.id as string }
})

const isPayment = ({ headers }: Sent) => headers["payment-signature"] !== undefined

const paymentsOf = Effect.map(Wire, ({ sent }) => sent.filter(isPayment))

const failureOf = ({ isError, text }: { readonly isError: boolean; readonly text: string }) => {
  assert.isTrue(isError, text)
  return JSON.parse(text)
}

/** Runs a test in a process of its own, with an empty directory. */
const inProcess = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(stateDirectory, (directory) =>
    Effect.flatMap(Layer.build(edition(directory)), (context) => Effect.provideContext(test, context))
  ).pipe(Effect.scoped)

layer(serviceBehindWire("test_mcp_local_buying"))("purchases by the local edition", (it) => {
  it.effect("A purchase is paid once, read afterwards, and reported", () =>
    inProcess(
      Effect.gen(function* () {
        const { id } = yield* paidPost(1)
        const buyer = yield* localBuyer(101)
        yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO })
        const { call } = yield* toolsOf
        const args = { post_id: id, expected_price_raw: String(HALF) }

        assert.strictEqual((yield* call("svc_read_content", { post_id: id })).result.reason, "paid")
        assert.strictEqual((yield* call("svc_purchase_status", { post_id: id })).result.status, "none")
        const { result } = yield* inTime(call("svc_buy_post", args))
        assert.deepInclude(result.purchase, { charged: true, amountRaw: String(HALF), receiptSaved: true })
        assert.match(result.purchase.transaction, /^[0-9A-F]{64}$/)
        const again = yield* inTime(call("svc_buy_post", args))
        assert.isTrue(again.result.operation.replayed)
        assert.lengthOf(yield* paymentsOf, 1)

        const read = (yield* call("svc_read_content", { post_id: id })).result
        assert.deepInclude(read, { available: true, source: "purchase" })
        assert.include(read.untrusted.contentMarkdown, "Behind the price.")
        const status = (yield* call("svc_purchase_status", { post_id: id })).result
        assert.deepInclude(status, { status: "settled", amountRaw: String(HALF), refundedRaw: "0" })
        assert.strictEqual(status.transaction, result.purchase.transaction)
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: HALF, reservedRaw: 0n })
        const { spending } = (yield* call("svc_context")).result
        assert.deepInclude(spending, { configured: true, spentRaw: String(HALF), remainingRaw: String(HALF) })
        // The payment and the receipt are secrets.
        const shown = JSON.stringify([result, again, status, read])
        assert.notMatch(shown, /ppr_|eyJ/)

        // An owned Post costs nothing, and the money that was held is free again.
        const owned = yield* inTime(
          call("svc_buy_post", { ...args, intent_id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e" })
        )
        assert.deepInclude(owned.result.purchase, { charged: false, amountRaw: "0", transaction: null })
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: HALF, reservedRaw: 0n })
      })
    )
  )

  it.effect("A text that was bought names images by URLs, which lead to them from anywhere", () =>
    inProcess(
      Effect.gen(function* () {
        const path = "/media/0197a1b2-57c3-7000-8000-5d1c9e0f2b71.png"
        const made = yield* authorOf(41)
        const { id } = yield* made.published({ ...paid, paidContentMarkdown: `![A map](${path})` })
        yield* allowed(yield* localBuyer(141), { maxTotalRaw: RAW_PER_XNO })
        const { call } = yield* toolsOf
        yield* inTime(call("svc_buy_post", { post_id: id, expected_price_raw: String(HALF) }))
        const read = (yield* call("svc_read_content", { post_id: id })).result
        assert.match(read.untrusted.contentMarkdown, /!\[A map\]\(https?:\/\/[^/]+\/media\//)
      })
    )
  )

  it.effect("A purchase needs a grant, a provider, a wallet that signs and the expected price", () =>
    inProcess(
      Effect.gen(function* () {
        const { id } = yield* paidPost(2)
        const { call } = yield* toolsOf
        const args = { post_id: id, expected_price_raw: String(HALF) }
        const codeOf = (more = {}) =>
          Effect.map(inTime(call("svc_buy_post", { ...args, ...more })), (answer) => failureOf(answer).code)
        const before = (yield* paymentsOf).length

        assert.strictEqual(yield* codeOf(), "identity-not-selected")
        const buyer = yield* localBuyer(102)
        assert.strictEqual(yield* codeOf(), "grant-required")
        const store = yield* StateStore
        const withGrant = Effect.fnUntraced(function* (
          limits: Parameters<typeof allowed>[1],
          more: object = {}
        ) {
          yield* allowed(buyer, limits)
          const code = yield* codeOf(more)
          yield* store.write((tx) => Effect.sync(() => revokeGrants(tx, "spending")))
          return code
        })
        assert.strictEqual(yield* withGrant({ id: "a", maxTotalRaw: HALF - 1n }), "grant-exceeded")
        assert.strictEqual(
          yield* withGrant({ id: "b", maxTotalRaw: 10n * HALF, maxEachRaw: HALF - 1n }),
          "grant-exceeded"
        )
        assert.strictEqual(yield* withGrant({ id: "c", maxTotalRaw: HALF, days: -1 }), "grant-expired")
        assert.strictEqual(
          yield* withGrant({ id: "d", maxTotalRaw: HALF }, { expected_price_raw: "1" }),
          "price-changed"
        )
        // The person ended the newest one.
        assert.strictEqual(yield* codeOf(), "grant-required")
        const wrong = yield* call("svc_buy_post", { ...args, approved: true })
        assert.isTrue(wrong.isError)
        yield* store.write((tx) => Effect.sync(() => tx.run(`delete from meta where name = 'nano-rpc'`)))
        assert.strictEqual(yield* withGrant({ id: "e", maxTotalRaw: HALF }), "nano-provider-not-configured")
        yield* store.write((tx) =>
          Effect.sync(() => tx.run(`delete from credentials where name = 'wallet-seed'`))
        )
        assert.strictEqual(yield* codeOf(), "wallet-cannot-sign")
        assert.lengthOf(yield* paymentsOf, before)
      })
    )
  )

  it.effect("A purchase is refused before anything is sent, and gives the money back", () =>
    inProcess(
      Effect.gen(function* () {
        const { id } = yield* paidPost(3)
        const buyer = yield* localBuyer(103, { balanceRaw: HALF - 1n })
        yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO })
        const { call } = yield* toolsOf
        const args = { post_id: id, expected_price_raw: String(HALF) }
        const before = (yield* paymentsOf).length
        const refused = failureOf(yield* inTime(call("svc_buy_post", args)))
        assert.strictEqual(refused.code, "wallet-unfunded")
        assert.include(refused.nextStep, `0.${"0".repeat(29)}1 XNO or more to ${buyer.walletAddress}`)
        assert.lengthOf(yield* paymentsOf, before)
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: 0n, reservedRaw: 0n })
      })
    )
  )

  it.effect("A purchase whose answer is lost is sent again with the same payment, taken once", () =>
    inProcess(
      Effect.gen(function* () {
        const { id } = yield* paidPost(4)
        const { id: other } = yield* paidPost(5)
        const buyer = yield* localBuyer(104)
        yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO })
        const { call } = yield* toolsOf
        const store = yield* StateStore
        const { published } = yield* NanoLedgerMemory
        const blocks = (yield* published).length
        const before = (yield* paymentsOf).length
        const args = { post_id: id, expected_price_raw: String(HALF) }

        yield* troubled(isPayment, "lost", 3)
        const lost = failureOf(yield* inTime(call("svc_buy_post", args)))
        assert.deepInclude(lost, { code: "outcome-unknown", retryable: true })
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: 0n, reservedRaw: HALF })
        // The wallet pays for nothing else meanwhile.
        const busy = failureOf(yield* inTime(call("svc_buy_post", { ...args, post_id: other })))
        assert.deepInclude(busy, { code: "intent-in-progress" })
        assert.include(busy.nextStep, lost.operationId)

        // A revoked grant stops what was not sent; what may have been sent is followed up.
        yield* store.write((tx) => Effect.sync(() => revokeGrants(tx, "spending")))
        const resumed = yield* inTime(
          call("svc_operation", { operation_id: lost.operationId, action: "resume" })
        )
        const [operation] = resumed.result.operations
        assert.deepInclude(operation, { phase: "complete" })
        assert.deepInclude(operation.result.purchase, { charged: true })
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: HALF, reservedRaw: 0n })
        const payments = (yield* paymentsOf).slice(before)
        assert.lengthOf(payments, 4)
        assert.lengthOf(new Set(payments.map(({ headers }) => headers["payment-signature"])), 1)
        assert.lengthOf((yield* published).slice(blocks), 1)
      })
    )
  )

  it.effect("A 402 releases the money, and a block that was given away counts if it is confirmed", () =>
    inProcess(
      Effect.gen(function* () {
        const { id } = yield* paidPost(6)
        const { id: other } = yield* paidPost(7)
        const buyer = yield* localBuyer(105)
        yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO })
        const { call } = yield* toolsOf
        const store = yield* StateStore
        const wire = yield* Wire
        const args = { post_id: id, expected_price_raw: String(HALF) }

        // The terms of the service, as the answer to a payment: it was refused.
        let refusal: string | undefined
        wire.trouble = (request) => {
          if (!isPayment(request) || refusal === undefined) return undefined
          return new Response(refusal, { status: 402, headers: { "content-type": "application/json" } })
        }
        const client = yield* TestClient
        const { body: terms } = yield* client.send("GET", `/api/posts/${id}/access`)
        refusal = JSON.stringify({
          ...terms,
          error: "quote_expired",
          data: { ...terms.data, code: "quote_expired" }
        })
        const refused = failureOf(yield* inTime(call("svc_buy_post", args)))
        assert.strictEqual(refused.code, "quote-expired")
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: 0n, reservedRaw: 0n })
        const saved = yield* store.read((tx) => Effect.succeed(readPurchase(tx, refused.operationId)))
        assert.strictEqual(saved?.status, "refused")

        // The service sends it all the same: it counts before the next purchase.
        refusal = undefined
        const sent = (yield* paymentsOf).at(-1)
        yield* inTime(
          client.send("GET", `/api/posts/${id}/access`, {
            token: buyer.accessToken,
            headers: { "payment-signature": sent?.headers["payment-signature"] ?? "" }
          })
        )
        const next = yield* inTime(call("svc_buy_post", { ...args, post_id: other }))
        assert.isTrue(next.result.purchase.charged)
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: RAW_PER_XNO, reservedRaw: 0n })
      })
    )
  )

  it.effect("A purchase that was refused and tried again with the same block counts once", () =>
    inProcess(
      Effect.gen(function* () {
        const { author, id } = yield* paidPost(8)
        const { id: other } = yield* author.published({ ...paid, title: "Another" })
        const buyer = yield* localBuyer(106)
        yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO })
        const { call } = yield* toolsOf
        const args = { post_id: id, expected_price_raw: String(HALF) }
        const client = yield* TestClient
        const { body } = yield* client.send("GET", `/api/posts/${id}/access`)
        const expired = { ...body, error: "quote_expired", data: { ...body.data, code: "quote_expired" } }
        const headers = { "content-type": "application/json" }
        yield* troubled(isPayment, new Response(JSON.stringify(expired), { status: 402, headers }))
        assert.strictEqual(failureOf(yield* inTime(call("svc_buy_post", args))).code, "quote-expired")
        for (const wanted of [args, { ...args, post_id: other }]) {
          const bought = yield* inTime(call("svc_buy_post", wanted))
          assert.isTrue(bought.result?.purchase.charged, bought.text)
        }
        assert.deepStrictEqual(yield* sumsOfGrant(), { spentRaw: RAW_PER_XNO, reservedRaw: 0n })
      })
    )
  )
})
