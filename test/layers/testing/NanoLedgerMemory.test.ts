import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, HashSet, Option, Schema, Stream, SubscriptionRef } from "effect"
import { TestClock } from "effect/testing"
import * as NanoLedgerMemory from "../../../layers/testing/NanoLedgerMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { BlockWork, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { blockHash, workDifficulty } from "../../../src/platform/nano/blocks.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { now } from "../../../src/platform/time/now.ts"
import { payerOf, signedBlock, wireBlock } from "../../support/actors/payer.ts"

const XNO = RAW_PER_XNO
const decode = Schema.decodeSync(SignedBlock)

const world = Effect.gen(function* () {
  const ledger = yield* NanoLedger
  const memory = yield* NanoLedgerMemory.NanoLedgerMemory
  const payer = yield* payerOf(1)
  const seller = yield* payerOf(2)
  yield* payer.fund(10n * XNO)
  return { ledger, memory, payer, seller }
})

const test = (
  name: string,
  run: (
    given: Effect.Success<typeof world>
  ) => Effect.Effect<void, unknown, NanoLedgerMemory.NanoLedgerMemory>
) => it.effect(name, () => world.pipe(Effect.flatMap(run), Effect.provide(NanoLedgerMemory.layer)))

describe("the memory double of the ledger", () => {
  test("Money moves from a payer to a seller, who pockets it", ({ ledger, payer, seller }) =>
    Effect.gen(function* () {
      const block = yield* payer.send(seller.account, 3n * XNO)
      assert.strictEqual(yield* ledger.publish(block), "accepted")
      assert.strictEqual(yield* ledger.publish(block), "known")
      const there = Option.getOrThrow(yield* ledger.block(blockHash(block)))
      assert.deepInclude(there, {
        subtype: "send",
        amountRaw: 3n * XNO,
        isConfirmed: true,
        account: payer.key
      })
      const start = yield* now
      assert.deepStrictEqual(yield* ledger.incoming(seller.key, start), [there])
      yield* seller.pocket
      assert.deepStrictEqual(yield* ledger.incoming(seller.key, start), [there])
      const account = Option.getOrThrow(yield* ledger.account(seller.key))
      assert.strictEqual(account.balanceRaw, 3n * XNO)
      assert.strictEqual(account.confirmedFrontier, account.frontier)
      assert.isTrue(Option.isNone(yield* ledger.account((yield* payerOf(3)).key)))
    }))

  test("A block is confirmed after the delay, and reported to its accounts", ({
    ledger,
    memory,
    payer,
    seller
  }) =>
    Effect.gen(function* () {
      yield* memory.confirmAfter("1 second")
      const keys = yield* SubscriptionRef.make(HashSet.make(seller.key))
      const told = yield* Effect.forkChild(Stream.runCollect(Stream.take(ledger.confirmations(keys), 2)), {
        startImmediately: true
      })
      yield* memory.tell(2)
      const block = yield* payer.send(seller.account, XNO)
      yield* ledger.publish(block)
      const isConfirmed = Effect.map(
        ledger.block(blockHash(block)),
        (it) => Option.getOrThrow(it).isConfirmed
      )
      yield* TestClock.adjust(999)
      assert.isFalse(yield* isConfirmed)
      assert.notStrictEqual(
        Option.getOrThrow(yield* ledger.account(payer.key)).confirmedFrontier,
        blockHash(block)
      )
      yield* TestClock.adjust(1)
      assert.isTrue(yield* isConfirmed)
      assert.deepStrictEqual(
        (yield* Fiber.join(told)).map(({ hash }) => hash),
        [blockHash(block), blockHash(block)]
      )
    }))

  test("A competitor can be elected", ({ ledger, memory, payer, seller }) =>
    Effect.gen(function* () {
      yield* memory.confirmAfter("never")
      const ours = yield* payer.send(seller.account, XNO)
      const theirs = yield* payer.send(seller.account, 2n * XNO)
      yield* ledger.publish(ours)
      assert.strictEqual((yield* Effect.flip(ledger.publish(theirs))).reason, "fork")
      const elected = yield* memory.elect(theirs)
      assert.isTrue(Option.isNone(yield* ledger.block(blockHash(ours))))
      assert.isTrue(Option.getOrThrow(yield* ledger.block(elected.hash)).isConfirmed)
      assert.strictEqual((yield* Effect.flip(ledger.publish(ours))).reason, "fork")
    }))

  test("Work below its threshold and signatures of others are refused", ({ ledger, payer, seller }) =>
    Effect.gen(function* () {
      const block = yield* payer.send(seller.account, XNO)
      assert.deepStrictEqual(decode(wireBlock(block)), block)
      const forged = { ...signedBlock(seller.wallet, block), account: payer.account }
      assert.strictEqual((yield* Effect.flip(ledger.publish(forged))).reason, "signature")
      const cheap = { ...block, work: BlockWork.make("f".repeat(16)) }
      assert.isFalse(workDifficulty(block.previous, cheap.work) >= ledger.workThreshold)
      assert.strictEqual((yield* Effect.flip(ledger.publish(cheap))).reason, "work")
    }))

  test("The double has the faults that a test names", ({ ledger, memory, payer, seller }) =>
    Effect.gen(function* () {
      const block = yield* payer.send(seller.account, XNO)
      const publish = Effect.flip(ledger.publish(block))
      yield* memory.faultNext("publish", "lost request")
      assert.strictEqual((yield* publish).reason, "timeout")
      assert.isTrue(Option.isNone(yield* ledger.block(blockHash(block))))
      yield* memory.faultNext("publish", "too many requests", 2)
      assert.strictEqual((yield* publish).reason, "refused")
      assert.strictEqual((yield* publish).reason, "refused")
      yield* memory.faultNext("publish", "lost answer")
      assert.strictEqual((yield* publish).reason, "timeout")
      assert.strictEqual(yield* ledger.publish(block), "known")
      yield* memory.setAway(true)
      assert.isTrue(yield* ledger.isAway)
      assert.strictEqual((yield* publish).reason, "unreachable")
      assert.lengthOf(yield* memory.published, 6)
    }))
})
