import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import type { PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { deadlocks } from "../../support/deadlocks.ts"
import { passing } from "../../support/passing.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { paid } from "../finance/selling.ts"
import { claimOf, claimWith, PRICE_RAW, run, sellerOf } from "./paying.ts"

/** Two processes over one database and one ledger, and the service of each. */
const processes = Effect.fnUntraced(function* (name: string) {
  const both = yield* twoAssemblies(name)
  const [first, second] = both.map((process) => Context.get(process, Settlements))
  if (first === undefined || second === undefined) return yield* Effect.die("two processes")
  return { process: both[0], settlements: [first, second] as const }
})

/** Waits until a statement waits for a lock. */
const blocked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  passing(
    0,
    "a statement that waits for a lock",
    Effect.map(
      sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      (rows) => rows.length > 0
    )
  )
)

const outcomes = (exits: ReadonlyArray<Exit.Exit<unknown, unknown>>) => exits.map((exit) => exit._tag)

describe("races of payments, in two processes", () => {
  it.effect(
    "A hundred requests with one claim make one settlement, and all see it settled",
    () =>
      Effect.gen(function* () {
        const { process, settlements } = yield* processes("test_settlement_race_one")
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const seller = yield* sellerOf(1)
          const payer = yield* payerOf(101)
          yield* payer.fund()
          const claim = yield* claimOf(payer, { ...seller, receipt: "receipt" })
          const pay = (number: number) =>
            Effect.gen(function* () {
              const service = settlements[number % 2 === 0 ? 0 : 1]
              const claimed = yield* Effect.exit(service.claim(claim))
              if (Exit.isSuccess(claimed)) return yield* service.carryThrough(claimed.value.id)
              const { byBlock } = yield* service.earlier(seller.target, {
                blockHash: claim.block.hash,
                payerKey: payer.key,
                buyerId: null
              })
              return yield* service.awaitEnd((yield* Effect.fromOption(byBlock)).id)
            })
          const all = yield* run(
            Effect.forEach(
              Array.from({ length: 100 }, (_, number) => number),
              pay,
              { concurrency: "unbounded" }
            )
          )
          assert.deepStrictEqual(new Set(all.map(({ state }) => state)), new Set(["settled"]))
          assert.strictEqual(new Set(all.map(({ purchaseId }) => purchaseId)).size, 1)
          assert.strictEqual((yield* sql`select from purchases`).length, 1)
          assert.strictEqual((yield* sql`select from allocations`).length, 1)
          assert.strictEqual((yield* sql`select from access_receipts`).length, 1)
        }).pipe(Effect.provide(process))
      }),
    120_000
  )

  it.effect(
    "Of competing blocks with one previous, one quote or two Posts, one is claimed",
    () =>
      Effect.gen(function* () {
        const { process, settlements } = yield* processes("test_settlement_race_two")
        yield* Effect.gen(function* () {
          const seller = yield* sellerOf(1)
          const other = yield* seller.another
          const race = Effect.fnUntraced(function* (claims: ReadonlyArray<ReturnType<typeof claimWith>>) {
            const exits = yield* Effect.forEach(
              claims,
              (claim, place) => Effect.exit(settlements[place % 2 === 0 ? 0 : 1].claim(claim)),
              { concurrency: "unbounded" }
            )
            assert.deepStrictEqual(outcomes(exits).toSorted(), ["Failure", "Success"])
          })
          for (let number = 0; number < 10; number++) {
            const [payer, second, third] = yield* Effect.all([
              payerOf(1000 + number),
              payerOf(2000 + number),
              payerOf(3000 + number)
            ])
            yield* Effect.all([payer.fund(), second.fund(), third.fund()])
            const dearer = {
              kind: "tip",
              postId: null,
              commentId: null,
              recipientId: seller.ownerId
            } as const
            // Two blocks on one previous.
            yield* race([
              yield* claimOf(payer, seller),
              yield* claimOf(payer, { ...seller, target: dearer, amountRaw: PRICE_RAW + 1n })
            ])
            // One block for two Posts.
            const block = yield* second.send(seller.payTo, PRICE_RAW)
            yield* race([claimWith(block, seller), claimWith(block, { ...seller, target: other })])
            // Two blocks with one quote.
            const quote = `quote of ${number}`
            const tip = { ...seller, target: dearer, quote }
            const fourth = yield* payerOf(4000 + number)
            yield* fourth.fund()
            yield* race([yield* claimOf(third, tip), yield* claimOf(fourth, tip)])
          }
        }).pipe(Effect.provide(process))
      }),
    120_000
  )

  it.effect(
    "A wallet with many quotes, and an account with two wallets, pay once",
    () =>
      Effect.gen(function* () {
        const { process, settlements } = yield* processes("test_settlement_race_identity")
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const seller = yield* sellerOf(1)
          for (let number = 0; number < 8; number++) {
            const [first, second] = yield* Effect.all([payerOf(1000 + number), payerOf(2000 + number)])
            yield* first.fund()
            yield* second.fund()
            const target = yield* seller.another
            const terms = { ...seller, target, buyerId: seller.ownerId }
            const claims = [yield* claimOf(first, terms), yield* claimOf(second, terms)]
            const done = yield* run(
              Effect.forEach(
                claims,
                (claim, place) => {
                  const service = settlements[place === 0 ? 0 : 1]
                  return Effect.exit(
                    Effect.flatMap(service.claim(claim), ({ id }) => service.carryThrough(id))
                  )
                },
                { concurrency: "unbounded" }
              )
            )
            assert.deepStrictEqual(outcomes(done).toSorted(), ["Failure", "Success"])
            assert.strictEqual((yield* sql`select from purchases where post_id = ${target.postId}`).length, 1)
          }
        }).pipe(Effect.provide(process))
      }),
    120_000
  )

  it.effect(
    "A payment concurrent with a change of its terms keeps the old terms, or is not sent",
    () =>
      Effect.gen(function* () {
        const { process, settlements } = yield* processes("test_settlement_race_terms")
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const seller = yield* sellerOf(1)
          const { author } = seller
          let payTo = seller.payTo
          const save = Effect.fnUntraced(function* (number: number) {
            const { send } = yield* TestClient
            const next = (yield* payerOf(5000 + number)).account
            const saved = yield* send("PUT", "/api/v1/profile/payout-address", {
              token: author.accessToken,
              body: { payoutAddress: next }
            })
            assert.strictEqual(saved.status, 200)
            payTo = next
          })
          const changes = [
            (target: string) => author.unpublish(target),
            (target: string) => author.patch(target, { priceRaw: String(PRICE_RAW * 2n) }),
            (target: string) => author.patch(target, { enablePaywall: false }),
            (_target: string, number: number) => save(number),
            (target: string) => Effect.andThen(author.unpublish(target), author.remove(target))
          ] as const
          for (let round = 0; round < 25; round++) {
            const target: PaymentTarget & { readonly kind: "purchase" } = yield* seller.another
            const payers = yield* Effect.forEach([0, 1, 2], (place) => payerOf(10_000 + round * 10 + place))
            const claims = yield* Effect.forEach(payers, (payer) =>
              Effect.andThen(payer.fund(), claimOf(payer, { target, payTo }))
            )
            const buying = yield* Effect.forkChild(
              Effect.forEach(
                claims,
                (claim, place) => {
                  const service = settlements[place % 2 === 0 ? 0 : 1]
                  return Effect.result(
                    Effect.flatMap(service.claim(claim), ({ id }) => service.carryThrough(id))
                  )
                },
                { concurrency: "unbounded" }
              )
            )
            const change = changes[round % changes.length]
            if (change !== undefined) yield* change(target.postId, round)
            const done = yield* run(Fiber.join(buying))
            const sold = done.filter((result) => result._tag === "Success").length
            for (const result of done) {
              if (result._tag === "Success") assert.strictEqual(result.success.state, "settled")
              else assert.include(["terms_changed", "withdrawn", "free"], result.failure.reason)
            }
            assert.strictEqual(
              (yield* sql`select from purchases where post_id = ${target.postId}`).length,
              sold
            )
            const there = (yield* sql`select from posts where id = ${target.postId}`).length === 1
            assert.isTrue(there || sold === 0)
          }
          assert.deepStrictEqual(yield* sql`select from settlements where state = 'settling'`, [])
          assert.strictEqual(yield* deadlocks, 0)
        }).pipe(Effect.provide(process))
      }),
    120_000
  )

  it.effect("A claim that loses its Post to confirmed money as it commits is a duplicate", () =>
    Effect.gen(function* () {
      const { process, settlements } = yield* processes("test_settlement_race_displaced")
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const seller = yield* sellerOf(1)
        const buyer = yield* readerOf(2)
        const [payer, other, before] = yield* Effect.all([payerOf(101), payerOf(102), payerOf(103)])
        yield* Effect.all([payer.fund(), other.fund(), before.fund()])
        // The version of the Post that is sold is there already: a commit would wait for another that saves it.
        yield* paid(before, { ...seller, amountRaw: PRICE_RAW })
        const claim = yield* claimOf(payer, { ...seller, buyerId: buyer.id })
        const { id } = yield* settlements[1].claim(claim)
        const ledger = yield* NanoLedgerMemory
        yield* ledger.confirmAfter("never")
        const carried = yield* Effect.forkChild(settlements[1].carryThrough(id))
        yield* passing(
          0,
          "the claim is published",
          Effect.map(ledger.published, (all) => all.length > 0)
        )

        // Money of the same account, past the flow. It has not committed when the claim is confirmed.
        const commits = yield* Latch.make()
        const past = yield* Effect.forkChild(
          Context.get(process, Transactions).run(
            Effect.tap(
              paid(other, { ...seller, amountRaw: PRICE_RAW, buyerId: buyer.id }),
              () => commits.await
            )
          )
        )
        yield* passing(
          0,
          "the other payment holds the claim",
          Effect.map(
            sql`select from settlements where id = ${id} for update skip locked`,
            (rows) => rows.length === 0
          )
        )
        yield* ledger.confirm(claim.block.hash)
        yield* blocked
        yield* commits.open
        assert.isFalse((yield* Fiber.join(past)).isDuplicate)
        const ended = yield* run(Fiber.join(carried))
        assert.deepInclude(ended, { state: "settled", isDuplicate: true, purchaseId: null })
        assert.strictEqual((yield* sql`select from purchases where buyer_id = ${buyer.id}`).length, 1)
      }).pipe(Effect.provide(process))
    })
  )
})
