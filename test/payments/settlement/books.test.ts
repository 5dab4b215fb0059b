import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { walletOf } from "../../support/actors/owner.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { soak } from "../../support/soak.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { supportBy } from "./books.ts"
import { FEE_BPS, openShop } from "./shop.ts"
import { days } from "./steps.ts"

const RUNS = soak(1, 8, 60)
/** The same days in every run. `SEED=n` plays others. */
const SEED = Number(process.env["SEED"] ?? 7)

it.effect(
  "The books of an author agree with the ledger to the raw, despite every failure",
  () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_settlement_books", {
        platformFeeBps: FEE_BPS,
        platformFeeAddress: walletOf(99_999).account
      })
      const readers = yield* Effect.forEach([1, 2], readerOf).pipe(Effect.provide(processes[0]))
      const seen = new Set<string>()
      for (const [number, steps] of fc.sample(days, { numRuns: RUNS, seed: SEED }).entries()) {
        const shop = yield* openShop(processes, readers, number + 1)
        for (const step of steps) yield* shop.take(step)
        yield* shop.heal
        for (const { duplicate, kind, role, state } of yield* shop.audit)
          for (const it of [kind, state, role, duplicate ? "duplicate" : "first"]) seen.add(it)
        for (const { id } of readers) {
          const paid = yield* supportBy(processes[0], id)
          assert.deepStrictEqual(paid.byDays, paid.byPayments)
        }
      }
      // A run in which little happens shows nothing.
      const kinds = ["purchase", "tip", "settled", "refused", "author", "platform"]
      assert.includeMembers([...seen], kinds)
    }),
  soak(60_000, 600_000, 900_000)
)
