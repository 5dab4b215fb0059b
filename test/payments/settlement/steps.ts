import * as fc from "fast-check"
import type { LedgerCall, LedgerFault } from "../../../layers/testing/NanoLedgerMemory.ts"

const CALLS: ReadonlyArray<LedgerCall> = ["account", "block", "publish"]
const FAULTS: ReadonlyArray<LedgerFault> = [
  "lost request",
  "lost answer",
  "slow",
  "too many requests",
  "error answer",
  "wrong network",
  "out of sync"
]
/** Wallets that pay, and the Posts and accounts beside them. */
export const PAYERS = 4

const at = fc.constantFrom(0, 1)
const payer = fc.nat(PAYERS - 1)
const post = fc.constantFrom(0, 1)
const buyer = fc.option(fc.constantFrom(0, 1))
/** The end of the request that claims: it dies at once, is cut off in time, or lives on. */
const end = fc.oneof(fc.constant("left"), fc.constant("lives"), fc.constantFrom(0, 400, 3000))
const one = <T extends object>(step: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(step)

const step = fc.oneof(
  { weight: 6, arbitrary: one({ do: fc.constant("buy" as const), at, payer, post, buyer, end }) },
  {
    weight: 6,
    arbitrary: one({
      do: fc.constant("tip" as const),
      at,
      payer,
      buyer,
      end,
      times: fc.constantFrom(1n, 1n, 4n)
    })
  },
  { weight: 2, arbitrary: one({ do: fc.constant("repeat" as const), at, which: fc.nat(), end }) },
  { weight: 2, arbitrary: one({ do: fc.constant("pay past the flow" as const), at, payer, post, buyer }) },
  { weight: 1, arbitrary: one({ do: fc.constant("gap" as const), at }) },
  { weight: 2, arbitrary: one({ do: fc.constant("rival" as const), payer }) },
  { weight: 1, arbitrary: one({ do: fc.constant("elect" as const), which: fc.nat() }) },
  { weight: 2, arbitrary: one({ do: fc.constant("confirm" as const) }) },
  {
    weight: 3,
    arbitrary: one({
      do: fc.constant("fault" as const),
      call: fc.constantFrom(...CALLS),
      fault: fc.constantFrom(...FAULTS),
      times: fc.integer({ min: 1, max: 3 })
    })
  },
  { weight: 1, arbitrary: one({ do: fc.constant("away" as const), isAway: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: one({
      do: fc.constant("confirm after" as const),
      millis: fc.constantFrom(0, 3000, "never" as const)
    })
  },
  {
    weight: 4,
    arbitrary: one({ do: fc.constant("pass" as const), millis: fc.constantFrom(100, 700, 4000) })
  },
  { weight: 3, arbitrary: one({ do: fc.constant("worker" as const), at, works: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: one({ do: fc.constant("adopt" as const), at, which: fc.nat(), buyer: fc.constantFrom(0, 1) })
  },
  { weight: 1, arbitrary: one({ do: fc.constant("take negative" as const), at }) }
)
/** One thing that happens. */
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
export type Do<Kind extends Step["do"]> = Extract<Step, { readonly do: Kind }>

/** Days of a shop: what happens, in this order. */
export const days = fc.array(step, { minLength: 60, maxLength: 60 })
