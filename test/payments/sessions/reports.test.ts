import { assert, it } from "@effect/vitest"
import { Effect, HashSet, Layer, Stream, SubscriptionRef } from "effect"
import * as NanoLedgerMemory from "../../../layers/testing/NanoLedgerMemory.ts"
import * as SignalsAlone from "../../../layers/testing/SignalsAlone.ts"
import { NanoPublicKey, PRICE_MIN_RAW } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { Watching } from "../../../src/payments/sessions/Watching.ts"
import { WatchingWorker } from "../../../src/payments/sessions/WatchingWorker.ts"
import { type LedgerBlock, NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"

const key = NanoPublicKey.make("b2".repeat(32))
const reported = (hash: string) =>
  ({
    hash: BlockHash.make(hash.repeat(32)),
    link: BlockHash.make(key.toUpperCase()),
    subtype: "send",
    amountRaw: PRICE_MIN_RAW
  }) as LedgerBlock

const [refused, taken] = [reported("A1"), reported("C3")]
const noticed: Array<BlockHash> = []

const watching = Layer.mock(Watching, {
  keys: Effect.succeed([key]),
  claim: () => Effect.succeed([]),
  notice: (_, block) =>
    block === refused
      ? Effect.die(new Error("The database is read-only"))
      : Effect.sync(() => void noticed.push(block.hash))
})

/** A ledger that reports both blocks once the worker has read the keys. */
const ledger = Layer.effect(
  NanoLedger,
  Effect.map(NanoLedger, (memory) => ({
    ...memory,
    confirmations: (keys: Parameters<typeof memory.confirmations>[0]) =>
      SubscriptionRef.changes(keys).pipe(
        Stream.filter((read) => HashSet.has(read, key)),
        Stream.take(1),
        Stream.flatMap(() => Stream.make(refused, taken).pipe(Stream.rechunk(1)))
      )
  }))
)

it.effect("A payment that the database cannot settle at its report ends no later report", () =>
  Effect.gen(function* () {
    yield* Layer.build(WatchingWorker)
    yield* eventually(
      "the second report",
      Effect.sync(() => noticed.includes(taken.hash))
    )
    assert.deepStrictEqual(noticed, [taken.hash])
  }).pipe(
    Effect.provide(
      Layer.mergeAll(watching, Layer.provide(ledger, NanoLedgerMemory.layer), Doorbells.layer).pipe(
        Layer.provide(Transactions.layer),
        Layer.provide(SignalsAlone.layer),
        Layer.provide(database("test_sessions_reports"))
      )
    )
  )
)
