import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"
import * as NanoLedgerMemory from "../../../layers/testing/NanoLedgerMemory.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { makeSentBlocks } from "../../../src/payments/settlement/sentBlocks.ts"
import { type LedgerBlock, NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"

const blockHash = BlockHash.make("A1".repeat(32))
const payerKey = NanoPublicKey.make("b2".repeat(32))

/** Waits for news of a block as told, then lets the ledger tell of its confirmation. Returns the blocks for workers. */
const heard = Effect.fnUntraced(function* (waits: ReadonlyArray<"carries" | "listens">) {
  const forWorkers: Array<BlockHash> = []
  const told = Stream.succeed({ hash: blockHash } as LedgerBlock)
  const confirmations = yield* Latch.make()
  const handled = yield* Latch.make()
  const ledger = {
    ...(yield* NanoLedger),
    confirmations: () =>
      Stream.fromEffect(confirmations.await).pipe(
        Stream.flatMap(() => told),
        Stream.concat(Stream.fromEffectDrain(handled.open))
      )
  }
  const sentBlocks = yield* makeSentBlocks(ledger, (hash) => Effect.sync(() => void forWorkers.push(hash)))
  yield* sentBlocks.watch({ blockHash, payerKey })
  const fibers = yield* Effect.forEach(waits, (wait) =>
    Effect.forkChild(sentBlocks.news(blockHash, 1000, wait === "carries"), { startImmediately: true })
  )
  yield* confirmations.open
  yield* Effect.forEach(fibers, Fiber.join)
  yield* handled.await
  return forWorkers
}, Effect.provide(NanoLedgerMemory.layer))

it.effect("A confirmation wakes its listeners, and the workers unless a listener carries the block", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* heard(["carries"]), [])
    assert.deepStrictEqual(yield* heard(["listens", "carries"]), [])
    assert.deepStrictEqual(yield* heard(["listens", "listens"]), [blockHash])
  })
)

it.effect("A report that the database does not take ends no later report", () =>
  Effect.gen(function* () {
    const reports: Array<BlockHash> = []
    const other = BlockHash.make("C3".repeat(32))
    const begin = yield* Latch.make()
    const end = yield* Latch.make()
    const ledger = {
      ...(yield* NanoLedger),
      confirmations: () =>
        Stream.fromEffectDrain(begin.await).pipe(
          Stream.concat(Stream.make({ hash: blockHash } as LedgerBlock, { hash: other } as LedgerBlock)),
          Stream.concat(Stream.fromEffectDrain(end.open))
        )
    }
    const sentBlocks = yield* makeSentBlocks(ledger, (hash) =>
      hash === blockHash ? Effect.die(new Error("read-only")) : Effect.sync(() => void reports.push(hash))
    )
    yield* sentBlocks.watch({ blockHash, payerKey })
    yield* sentBlocks.watch({ blockHash: other, payerKey })
    yield* begin.open
    yield* end.await.pipe(Effect.timeout("10 seconds"), onRealClock)
    assert.deepStrictEqual(reports, [other])
  }).pipe(Effect.provide(NanoLedgerMemory.layer))
)
