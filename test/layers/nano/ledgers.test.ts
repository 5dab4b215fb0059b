import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, HashSet, Layer, Option, Result, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import * as NanoLedgerDevelopment from "../../../layers/nano/NanoLedgerDevelopment.ts"
import * as Database from "../../../layers/postgres/Database.ts"
import { NanoLedgerMemory, layer as memoryLayer } from "../../../layers/testing/NanoLedgerMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { DevelopmentLedger } from "../../../src/platform/ports/DevelopmentLedger.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { now } from "../../../src/platform/time/now.ts"
import { payerOn } from "../../support/actors/payer.ts"
import { freshDatabase } from "../../support/Database.ts"
import { modelOf, scripts } from "./ledgerScripts.ts"

const XNO = RAW_PER_XNO

/** Builds the development ledger over a database, as one process. */
const processOver = (url: Effect.Success<ReturnType<typeof freshDatabase>>) =>
  Effect.map(
    Layer.build(Layer.fresh(NanoLedgerDevelopment.layer.pipe(Layer.provide(Database.layer({ url }))))),
    (context) => ({
      ledger: Context.get(context, NanoLedger),
      book: Option.getOrThrow(Context.get(context, DevelopmentLedger))
    })
  )

const processes = Effect.fnUntraced(function* (name: string) {
  const url = yield* freshDatabase(name)
  return { url, one: yield* processOver(url), other: yield* processOver(url) }
}, Effect.orDie)

describe("a ledger", () => {
  it.effect("A ledger in memory keeps the rules", () =>
    Effect.gen(function* () {
      for (const script of fc.sample(scripts, { numRuns: 15, seed: 20_261_123 })) {
        const { book } = Context.get(yield* Layer.build(Layer.fresh(memoryLayer)), NanoLedgerMemory)
        const { end, play } = modelOf(book)
        for (const step of script) {
          const [expected, answer] = yield* play(step)
          assert.strictEqual(answer, expected, `${JSON.stringify(step)} of ${JSON.stringify(script)}`)
        }
        const { ledger, model } = yield* end
        assert.deepEqual(ledger, model)
      }
    })
  )

  it.effect("A ledger for development keeps the rules in every process", () =>
    Effect.gen(function* () {
      for (const [run, script] of fc.sample(scripts, { numRuns: 4, seed: 20_261_124 }).entries()) {
        const { one, other } = yield* processes(`test_ledger_model_${run}`)
        let turn = 0
        const book = {
          ...one.book,
          process: (block: Parameters<typeof one.book.process>[0]) =>
            (turn++ % 2 === 0 ? one : other).book.process(block)
        }
        const { end, play } = modelOf(book)
        for (const step of script) {
          const [expected, answer] = yield* play(step)
          assert.strictEqual(answer, expected, `${JSON.stringify(step)} of ${JSON.stringify(script)}`)
        }
        const { ledger, model } = yield* end
        assert.deepEqual(ledger, model)
      }
    })
  )

  it.effect("A ledger for development takes one block after a block, and one receive of a send", () =>
    Effect.gen(function* () {
      const { one, other } = yield* processes("test_ledger_races")
      const payer = payerOn(one.book, 1)
      const seller = payerOn(other.book, 2)
      yield* payer.fund()
      for (let round = 1n; round <= 5n; round++) {
        const blocks = [
          yield* payer.send(seller.account, round),
          yield* payer.send(seller.account, 10n * round)
        ]
        const answers = yield* Effect.forEach(
          [one, other, one, other],
          ({ ledger }, index) => Effect.result(ledger.publish(blocks[index < 2 ? 0 : 1]!)),
          { concurrency: "unbounded" }
        )
        const said = answers.map((it) =>
          Result.isSuccess(it) ? it.success : (it.failure as { reason: string }).reason
        )
        assert.sameMembers(said, ["accepted", "known", "fork", "fork"])
        const [send] = yield* one.book.receivable(seller.key, 1)
        const received = yield* seller.next((balance) => ({
          balance: balance + send!.amountRaw,
          link: send!.hash
        }))
        const taken = yield* Effect.forEach(
          [one, other],
          ({ book }) => Effect.result(book.process(received)),
          {
            concurrency: "unbounded"
          }
        )
        assert.lengthOf(taken.filter(Result.isSuccess), 1)
      }
      yield* Effect.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).book.faucet(payer.key, 1n)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(yield* one.book.receivable(payer.key, 100), 20)
    })
  )

  it.effect("A ledger for development survives a restart, and confirms after half a second", () =>
    Effect.gen(function* () {
      const { one, url } = yield* processes("test_ledger_restart")
      const payer = payerOn(one.book, 1)
      const seller = payerOn(one.book, 2)
      yield* payer.fund()
      const start = yield* now
      yield* TestClock.adjust(500)
      const keys = yield* SubscriptionRef.make(HashSet.make(seller.key))
      const restarted = yield* processOver(url)
      const told = yield* Effect.forkChild(Stream.runHead(restarted.ledger.confirmations(keys)), {
        startImmediately: true
      })
      const block = yield* payer.send(seller.account, XNO)
      assert.strictEqual(yield* one.ledger.publish(block), "accepted")
      assert.strictEqual(yield* restarted.ledger.publish(block), "known")
      const [incoming] = yield* restarted.ledger.incoming(seller.key, start)
      assert.deepInclude(incoming!, { hash: blockHash(block), isConfirmed: false, amountRaw: XNO })
      const before = Option.getOrThrow(yield* restarted.ledger.account(payer.key))
      assert.strictEqual(before.frontier, blockHash(block))
      assert.strictEqual(before.confirmedFrontier, block.previous)
      assert.strictEqual(before.balanceRaw, 9n * XNO)
      yield* TestClock.adjust(500)
      const after = Option.getOrThrow(yield* restarted.ledger.account(payer.key))
      assert.strictEqual(after.confirmedFrontier, blockHash(block))
      const head = Option.getOrThrow(yield* Fiber.join(told))
      assert.deepInclude(head, { hash: blockHash(block), isConfirmed: true })
      assert.strictEqual(restarted.ledger.kind, "development")
      assert.strictEqual(restarted.ledger.network, "nano:dev")
    })
  )
})
