import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import type { Context } from "effect"
import {
  type LedgerCall,
  type LedgerFault,
  NanoLedgerMemory,
  type PublishAnswer
} from "../../../layers/testing/NanoLedgerMemory.ts"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { SettlementWorker } from "../../../src/payments/settlement/SettlementWorker.ts"

/** Draws numbers by a seed: the same seed gives the same run. */
export const makeDraw = (seed: number) => {
  let state = seed >>> 0
  const below = (bound: number) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
  return {
    below,
    /** Returns true in this many of 100 cases. */
    percent: (share: number) => below(100) < share,
    pick: <A>(all: ReadonlyArray<A>): A => all[below(all.length)] as A
  }
}
export type Draw = ReturnType<typeof makeDraw>

const CALLS: ReadonlyArray<LedgerCall> = ["account", "block", "publish", "publish"]
const FAULTS: ReadonlyArray<LedgerFault> = [
  "lost request",
  "lost answer",
  "lost answer",
  "slow",
  "too many requests",
  "error answer",
  "out of sync"
]
const ANSWERS: ReadonlyArray<PublishAnswer> = ["gap", "fork", "old block"]

/** Confirms every block of these accounts. */
const confirmAll = Effect.fnUntraced(function* (accounts: ReadonlyArray<NanoPublicKey>) {
  const { book, confirm } = yield* NanoLedgerMemory
  for (const account of accounts)
    for (const { confirmedAt, hash } of (yield* book.chain(account, 1_000_000)).toReversed())
      if (confirmedAt === null) yield* confirm(hash)
})

/** Troubles the ledger until it is interrupted. */
export const troubleLedger = Effect.fnUntraced(function* (
  draw: Draw,
  accounts: ReadonlyArray<NanoPublicKey>
) {
  const ledger = yield* NanoLedgerMemory
  while (true) {
    yield* Effect.sleep(50 + draw.below(300))
    switch (draw.below(10)) {
      case 0:
        yield* ledger.setAway(true)
        yield* Effect.sleep(draw.below(1000))
        yield* ledger.setAway(false)
        break
      case 1:
        yield* ledger.setAnswer(draw.pick(ANSWERS))
        yield* Effect.sleep(draw.below(1000))
        yield* ledger.setAnswer(undefined)
        break
      case 2:
        yield* ledger.confirmAfter(draw.pick([0, 0, 0, 300, 2000, "never"] as const))
        break
      case 3:
        yield* confirmAll(accounts)
        break
      case 4:
        yield* ledger.tell(draw.below(3))
        break
      default:
        yield* ledger.endFaults
        yield* ledger.faultNext(draw.pick(CALLS), draw.pick(FAULTS), 1 + draw.below(3))
    }
  }
})

/** Ends every trouble of the ledger, which confirms all that it has. */
export const calmLedger = Effect.fnUntraced(function* (accounts: ReadonlyArray<NanoPublicKey>) {
  const ledger = yield* NanoLedgerMemory
  yield* ledger.setAway(false)
  yield* ledger.endFaults
  yield* ledger.setAnswer(undefined)
  yield* ledger.confirmAfter(0)
  yield* ledger.tell(1)
  yield* confirmAll(accounts)
})

/** Runs the workers of a process, which crash and start again until they are interrupted. */
export const crashingWorkers = Effect.fnUntraced(function* (process: Context.Context<any>, draw: Draw) {
  while (true) {
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(Layer.fresh(SettlementWorker), scope).pipe(
      Effect.provide(process),
      Effect.andThen(Effect.sleep(500 + draw.below(3000))),
      Effect.ensuring(Scope.close(scope, Exit.void))
    )
    yield* Effect.sleep(draw.below(1000))
  }
})

/** Runs the workers of a process until the scope ends. */
export const steadyWorkers = (process: Context.Context<any>) =>
  Layer.build(Layer.fresh(SettlementWorker)).pipe(Effect.provide(process))

/** Runs a request that may be cut off: its client goes away, or its answer is lost. Returns null then. */
export const cutOff = <A, E, R>(draw: Draw, request: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const kind = draw.below(6)
    if (kind > 1) return yield* request
    if (kind === 1) return yield* Effect.as(Effect.exit(request), null)
    const fiber = yield* Effect.forkChild(request)
    for (let yields = draw.below(50); yields > 0; yields--) yield* Effect.yieldNow
    if (draw.percent(50)) yield* Effect.sleep(draw.below(500))
    yield* Fiber.interrupt(fiber)
    return null
  })
