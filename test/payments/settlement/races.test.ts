import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { claimOf, claimWith, PRICE_RAW, run, sellerOf } from "./paying.ts"

/** Two processes over one database and one ledger, and the service of each. */
const processes = Effect.fnUntraced(function* (name: string) {
  const both = yield* twoAssemblies(name)
  const [first, second] = both.map((process) => Context.get(process, Settlements))
  if (first === undefined || second === undefined) return yield* Effect.die("two processes")
  return { process: both[0], settlements: [first, second] as const }
})

const outcomes = (exits: ReadonlyArray<Exit.Exit<unknown, unknown>>) => exits.map((exit) => exit._tag)

describe("races of payments, in two processes", () => {
  it.effect(
    "100 requests with one claim: one settlement, which all of them see settled",
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
    "of two blocks on one previous, of one block for two Posts, of two blocks with one quote: one",
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
    "one wallet with many quotes, and an account with two wallets, pay once",
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
    "buy beside unpublish, reprice, another address and delete: the terms hold, or nothing is sent",
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
          const [row] = yield* sql<{ deadlocks: bigint }>`
          select deadlocks from pg_stat_database where datname = current_database()`
          assert.strictEqual(row?.deadlocks, 0n)
        }).pipe(Effect.provide(process))
      }),
    120_000
  )
})
