import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { access, buyerOf, inTime, outcomeOf } from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { changedMeanwhile } from "../../support/deletedMeanwhile.ts"
import { passing } from "../../support/passing.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { claimOf, PRICE_RAW, run, sellerOf } from "./paying.ts"

const DATABASE = "test_settlement_changes"

/** The assembly that settles; the one beside it changes things. Both are over one database and one ledger. */
class Both extends Context.Service<Both, Effect.Success<ReturnType<typeof twoAssemblies>>>()(
  "pennypress/test/payments/settlement/changes.test/Both"
) {}

/** Runs an effect in the first assembly. */
const inFirst = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Both, ([first]) => Effect.provide(effect, first))

/** Runs an effect in the second assembly. */
const elsewhere = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Both, ([, second]) => Effect.provide(effect, second))

/** A payment whose block is published and not confirmed. `confirmed` confirms it, and returns its end. */
const underWay = Effect.fnUntraced(function* (number: number) {
  const settlements = yield* Settlements
  const ledger = yield* NanoLedgerMemory
  const seller = yield* sellerOf(number)
  const payer = yield* payerOf(100 + number)
  yield* payer.fund()
  const claim = yield* claimOf(payer, { ...seller, receipt: `receipt ${number}` })
  const { id } = yield* settlements.claim(claim)
  yield* ledger.confirmAfter("never")
  const before = (yield* ledger.published).length
  const carried = yield* Effect.forkChild(settlements.carryThrough(id))
  yield* passing(
    0,
    "the block is published",
    Effect.map(ledger.published, (all) => all.length > before)
  )
  yield* ledger.confirmAfter(0)
  const confirmed = Effect.andThen(ledger.confirm(claim.block.hash), run(Fiber.join(carried)))
  return { seller, payer, claim, id, confirmed }
})

/** Returns the reason why a fresh payment on these terms is refused. */
const refusedWith = Effect.fnUntraced(function* (number: number, terms: Parameters<typeof claimOf>[1]) {
  const payer = yield* payerOf(number)
  yield* payer.fund()
  const claim = yield* claimOf(payer, terms)
  return (yield* Effect.flip((yield* Settlements).claim(claim))).reason
})

layer(Layer.effect(Both, twoAssemblies(DATABASE)))("changes of what is paid", (it) => {
  it.effect("A Post under payment can be withdrawn but not deleted, and a deleted one takes no payment", () =>
    inFirst(
      Effect.gen(function* () {
        const { confirmed, seller } = yield* underWay(1)
        const { author, postId, target } = seller
        yield* author.unpublish(postId)
        const refused = yield* elsewhere(
          Effect.flatMap(TestClient, (client) =>
            client.send("DELETE", `/api/v1/posts/${postId}`, { token: author.key })
          )
        )
        assert.deepStrictEqual(refusalOf(refused), [409, "financial-history-retained"])
        assert.strictEqual((yield* confirmed).state, "settled")
        assert.strictEqual(yield* refusedWith(201, seller), "withdrawn")
        // Without a payment it goes, and a quote for it buys nothing.
        const other = yield* seller.another
        yield* author.unpublish(other.postId)
        assert.strictEqual((yield* author.remove(other.postId)).status, 204)
        assert.strictEqual(yield* refusedWith(202, { ...seller, target: other }), "withdrawn")
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* sql`select from purchases where post_id = ${target.postId}`).length, 1)
      })
    )
  )

  it.effect("A change of the payout address affects only later quotes", () =>
    inFirst(
      Effect.gen(function* () {
        const { confirmed, id, seller } = yield* underWay(2)
        const payoutAddress = (yield* payerOf(302)).account
        const saved = yield* elsewhere(
          Effect.flatMap(TestClient, (client) =>
            client.send("PUT", "/api/v1/profile/payout-address", {
              token: seller.author.accessToken,
              body: { payoutAddress }
            })
          )
        )
        assert.strictEqual(saved.status, 200, saved.text)
        assert.strictEqual((yield* confirmed).state, "settled")
        const sql = yield* SqlClient.SqlClient
        const allocations = (settlement: string) =>
          sql`select address, payout_revision from allocations where settlement_id = ${settlement}`
        assert.deepStrictEqual(yield* allocations(id), [{ address: seller.payTo, payout_revision: 1 }])
        assert.strictEqual(yield* refusedWith(203, seller), "terms_changed")
        const payer = yield* payerOf(204)
        yield* payer.fund()
        const settlements = yield* Settlements
        const next = yield* settlements.claim(yield* claimOf(payer, { ...seller, payTo: payoutAddress }))
        yield* run(settlements.carryThrough(next.id))
        assert.deepStrictEqual(yield* allocations(next.id), [{ address: payoutAddress, payout_revision: 2 }])
      })
    )
  )

  it.effect("A payment to an author who is restricted settles, and no other payment begins", () =>
    inFirst(
      Effect.gen(function* () {
        const { confirmed, seller } = yield* underWay(3)
        yield* elsewhere(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`update owners set restricted_at = created_at where id = ${seller.ownerId}`
          )
        )
        assert.deepInclude(yield* confirmed, { state: "settled", isDuplicate: false })
        assert.strictEqual(yield* refusedWith(205, seller), "withdrawn")
      })
    )
  )

  it.effect(
    "A claim that waits for a change sees the restriction of the author, or the withdrawal of the Post",
    () =>
      inFirst(
        Effect.gen(function* () {
          for (const [number, change] of [
            [8, ({ ownerId }) => `update owners set restricted_at = created_at where id = '${ownerId}'`],
            [
              9,
              ({ postId }) => `update posts set status = 'draft', published_at = null where id = '${postId}'`
            ]
          ] as const satisfies ReadonlyArray<
            readonly [number, (seller: Effect.Success<ReturnType<typeof sellerOf>>) => string]
          >) {
            const seller = yield* sellerOf(number)
            const refused = changedMeanwhile(DATABASE, [change(seller)], refusedWith(210 + number, seller))
            assert.strictEqual(yield* refused, "withdrawn")
          }
        })
      )
  )

  it.effect("An account with a pending payment is not charged again from another wallet", () =>
    inFirst(
      Effect.gen(function* () {
        const ledger = yield* NanoLedgerMemory
        const { postId } = yield* sellerOf(4)
        const reader = yield* readerOf(401)
        const [first, second] = yield* Effect.all([buyerOf(402), buyerOf(403)])
        const signed = yield* first.sign(postId, { token: reader.accessToken })
        const other = yield* second.sign(postId, { token: reader.accessToken })
        yield* ledger.confirmAfter("never")
        const before = (yield* ledger.published).length
        const pay = (payment: string) => access(postId, { payment, token: reader.accessToken })
        const paying = yield* Effect.forkChild(pay(signed.payment))
        yield* passing(
          0,
          "the block is published",
          Effect.map(ledger.published, (all) => all.length > before)
        )
        yield* ledger.confirmAfter(0)
        const waiting = yield* Effect.forkChild(elsewhere(pay(other.payment)))
        yield* ledger.confirm(blockHash(signed.block))
        const answers = yield* inTime(Effect.all([Fiber.join(paying), Fiber.join(waiting)]))
        assert.deepStrictEqual(
          answers.map(({ body, status }) => [status, body.access?.charged]),
          [
            [200, true],
            [200, false]
          ]
        )
        assert.strictEqual(outcomeOf(answers[1]).transaction, outcomeOf(answers[0]).transaction)
        assert.strictEqual((yield* ledger.published).length, before + 1)
      })
    )
  )

  it.effect("An author is not charged for their own Post, and reads it as it is", () =>
    inFirst(
      Effect.gen(function* () {
        const { confirmed, seller } = yield* underWay(5)
        const ledger = yield* NanoLedgerMemory
        const before = (yield* ledger.published).length
        const own = yield* buyerOf(501)
        const { payment } = yield* own.sign(seller.postId)
        const answer = yield* elsewhere(access(seller.postId, { payment, token: seller.author.accessToken }))
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepInclude(answer.body.access, { via: "author", charged: false })
        // The wallet that is paid cannot pay, in any hands.
        const itself = yield* buyerOf(5)
        const self = yield* itself.sign(seller.postId)
        const refused = yield* elsewhere(access(seller.postId, { payment: self.payment }))
        assert.deepStrictEqual([refused.status, refused.body.data.code], [402, "self_payment"])
        assert.strictEqual((yield* ledger.published).length, before)
        assert.strictEqual((yield* confirmed).amountRaw, PRICE_RAW)
      })
    )
  )
})
