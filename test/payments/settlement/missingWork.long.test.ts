import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { type BlockHash, BlockWork } from "../../../schemas/platform/NanoBlock.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { SettlementWorker } from "../../../src/payments/settlement/SettlementWorker.ts"
import { workDifficulty } from "../../../src/platform/nano/blocks.ts"
import { WorkMaker, WorkUnavailable } from "../../../src/platform/ports/WorkMaker.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { passing } from "../../support/passing.ts"
import { service } from "../../support/TestClient.ts"
import { claimOf, run, sellerOf } from "./paying.ts"

/** Ends of the next orders of work; those after them succeed at once. */
let next: Array<"away" | "too little" | "in 45 seconds" | "never"> = []
/** The roots of all orders. */
let roots: Array<BlockHash> = []

const workOver = (root: BlockHash, isEnough: (difficulty: bigint) => boolean) => {
  for (let nonce = 1n; ; nonce++) {
    const work = BlockWork.make(nonce.toString(16).padStart(16, "0"))
    if (isEnough(workDifficulty(root, work))) return work
  }
}

const scripted = Layer.succeed(
  WorkMaker,
  WorkMaker.of({
    kind: "server",
    make: Effect.fnUntraced(function* (root, threshold) {
      roots.push(root)
      const end = next.shift()
      if (end === "away") return yield* new WorkUnavailable({ reason: "unreachable" })
      if (end === "never") return yield* Effect.never
      if (end === "too little") return workOver(root, (difficulty) => difficulty < threshold)
      if (end === "in 45 seconds") yield* Effect.sleep("45 seconds")
      return workOver(root, (difficulty) => difficulty >= threshold)
    })
  })
)

/** A claim of a fresh wallet whose block has no work. The orders of work end as told. */
const claimed = Effect.fnUntraced(function* (number: number, ends: typeof next) {
  const settlements = yield* Settlements
  const seller = yield* sellerOf(number)
  const payer = yield* payerOf(1000 + number)
  yield* payer.fund()
  const claim = yield* claimOf(payer, { ...seller, hasWork: false })
  const { id } = yield* settlements.claim(claim)
  next = ends
  roots = []
  return { claim, id, payer, carried: run(settlements.carryThrough(id)) }
})

const settled = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* passing(
    500,
    "the payment is settled",
    Effect.map(
      sql`select from settlements where id = ${id} and state = 'settled'`,
      (rows) => rows.length === 1
    )
  )
})

layer(
  SettlementWorker.pipe(
    Layer.provideMerge(
      service(database("test_missing_work"), 1, { changePorts: (ports) => Layer.merge(ports, scripted) })
    )
  )
)("a block without work", (it) => {
  it.effect("A block settles once a server has made its work, while the payer waits", () =>
    Effect.gen(function* () {
      const { carried, claim, payer } = yield* claimed(1, ["away"])
      assert.strictEqual((yield* carried).state, "settled")
      assert.isTrue((yield* payer.head)?.hash === claim.block.hash)
      assert.deepStrictEqual(roots, [claim.block.previous, claim.block.previous])
    })
  )

  it.effect("Work that takes longer than the payer waits, and longer than a lease, is made once", () =>
    Effect.gen(function* () {
      const { carried, id } = yield* claimed(2, ["in 45 seconds"])
      assert.strictEqual((yield* carried).state, "settling")
      yield* settled(id)
      assert.strictEqual(roots.length, 1)
    })
  )

  it.effect("A block keeps the work that was made for it, while the ledger cannot be reached", () =>
    Effect.gen(function* () {
      const ledger = yield* NanoLedgerMemory
      const { carried, id } = yield* claimed(3, [])
      yield* ledger.faultNext("publish", "lost request", 12)
      assert.strictEqual((yield* carried).state, "settling")
      yield* settled(id)
      assert.strictEqual(roots.length, 1)
    })
  )

  it.effect("A block gets other work when the ledger refuses what a server made, without the payer", () =>
    Effect.gen(function* () {
      const { carried, id } = yield* claimed(4, ["too little", "too little"])
      yield* carried
      yield* settled(id)
      assert.strictEqual(roots.length, 3)
    })
  )

  it.effect("A block without work never keeps other payments waiting", () =>
    Effect.gen(function* () {
      const settlements = yield* Settlements
      const waiting = yield* Effect.forEach([5, 6, 7, 8, 9, 10], (number) => claimed(number, []))
      next = Array.from({ length: 6 }, () => "never")
      const requests = yield* Effect.forEach(waiting, ({ id }) =>
        Effect.forkChild(settlements.carryThrough(id))
      )
      yield* passing(
        0,
        "four orders of work",
        Effect.sync(() => roots.length === 4)
      )
      const seller = yield* sellerOf(11)
      const payer = yield* payerOf(1011)
      yield* payer.fund()
      const { id } = yield* settlements.claim(yield* claimOf(payer, seller))
      yield* TestClock.adjust("15 seconds")
      yield* settled(id)
      assert.strictEqual(roots.length, 4)
      yield* Fiber.interruptAll(requests)
      next = []
      for (const other of waiting) yield* settled(other.id)
    })
  )
})
