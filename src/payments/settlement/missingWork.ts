import { Effect, Option } from "effect"
import { SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { workRoot } from "../../platform/nano/blocks.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { WorkMaker } from "../../platform/ports/WorkMaker.ts"
import { WORK_MILLIS } from "./pace.ts"
import type { SettlementRow } from "./settlementRow.ts"
import { settlementStatements } from "./settlements.sql.ts"

type Row = Pick<SettlementRow, "id" | "block" | "made_work">

/** Returns true for a block that cannot be published before a server has made its work. */
export const lacksWork = ({ block, made_work }: Row) =>
  block !== null && block.work === null && made_work === null

/** Returns the block of a claim with its work, the payer's own or ours; none while it lacks work. */
export const publishable = ({ block, made_work }: Row) => {
  const work = block?.work ?? made_work
  return block === null || work === null
    ? Option.none()
    : Option.some({ block: SignedBlock.make({ ...block, work }), isWorkOurs: block.work === null })
}

/**
 * Generates the work of a block whose payer leaves it to the service. It happens after the claim, so a block that fails
 * a check costs no work. The settlement keeps the work, because generating it again is expensive. None if no server
 * generated it.
 */
export const makeMissingWork = Effect.gen(function* () {
  const repo = yield* settlementStatements
  const maker = yield* WorkMaker
  const { workThreshold } = yield* NanoLedger

  return Effect.fn("missingWork")(function* (row: Row) {
    if (row.block === null) return Option.none()
    const making = Effect.timeout(maker.make(workRoot(row.block), workThreshold), WORK_MILLIS)
    const work = yield* Effect.option(making)
    if (Option.isNone(work)) return Option.none()
    yield* repo.saveWork(row.id, work.value)
    return publishable({ ...row, made_work: work.value })
  })
})
