import { Effect } from "effect"
import type { WorkDemand } from "../../../schemas/payments/x402/Offer.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { WorkMaker } from "../../platform/ports/WorkMaker.ts"

/** The demand of the service on the work of a block. */
export interface WorkRule {
  /** With `optional`, a block may come without work. */
  readonly demand: WorkDemand
  /** The least difficulty of work that was sent. */
  readonly threshold: bigint
}

/** Returns the rule: payers may leave work to servers that make it, and the ledger for development needs none. */
export const workRule: Effect.Effect<WorkRule, never, NanoLedger | WorkMaker> = Effect.gen(function* () {
  const ledger = yield* NanoLedger
  const maker = yield* WorkMaker
  const isOptional = ledger.kind === "development" || maker.kind === "server"
  return { demand: isOptional ? "optional" : "required", threshold: ledger.workThreshold }
})

/** Returns the 16 hex digits of a difficulty. */
export const hexOfThreshold = (threshold: bigint): string => threshold.toString(16).padStart(16, "0")
