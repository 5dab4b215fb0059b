import { Effect, Option } from "effect"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import { BlockWork, type StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import { workRoot } from "../../platform/nano/blocks.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { WorkMaker } from "../../platform/ports/WorkMaker.ts"
import { SettlementsRepo } from "./SettlementsRepo.ts"

const NO_WORK = BlockWork.make("0".repeat(16))

/**
 * Makes the work of blocks whose payers leave it to the service, after the claim: a block that failed a check never costs
 * any. The settlement keeps it, as making it again is dear. None when no server made it.
 */
export const makeMissingWork = Effect.gen(function* () {
  const repo = yield* SettlementsRepo
  const maker = yield* WorkMaker
  const { workThreshold } = yield* NanoLedger

  return Effect.fn("missingWork")(function* (
    id: SettlementId,
    block: Pick<StateBlock, "account" | "previous">
  ) {
    if (workThreshold === 0n) return Option.some(NO_WORK)
    const work = yield* Effect.option(maker.make(workRoot(block), workThreshold))
    if (Option.isSome(work)) yield* repo.saveWork(id, work.value)
    return work
  })
})
