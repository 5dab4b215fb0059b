import { Effect, Option } from "effect"
import { type BlockHash, SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import { workRoot } from "../../platform/nano/blocks.ts"
import { type LedgerRefused, type LedgerUnavailable, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { WorkMaker } from "../../platform/ports/WorkMaker.ts"
import { lacksWork, type Verdict, type WaitCode, WORK_MILLIS } from "./settlement.ts"
import type { SettlementRow } from "./settlementRow.ts"
import { settlementStatements } from "./settlements.sql.ts"

/** Maximum number of blocks of one account that are read to find the one that replaced ours. */
const CHAIN_MAX = 200

/** Refusals that every node gives to the same block, whenever it is asked. */
const FINAL = { signature: "invalid_signature", balance: "amount_mismatch", work: "invalid_work" } as const

const confirmed: Verdict = { type: "confirmed" }

const waiting = (code: WaitCode): Verdict => ({ type: "waiting", code })

/** Returns the block of a claim with its work, the payer's own or ours; none while it lacks work. */
const publishable = ({ block, made_work }: Pick<SettlementRow, "block" | "made_work">) => {
  const work = block?.work ?? made_work
  return block === null || work === null
    ? Option.none()
    : Option.some({ block: SignedBlock.make({ ...block, work }), isWorkOurs: block.work === null })
}

/** Makes the functions that publish the blocks of settlements and ask the ledger for its word on them. */
export const makeVerdicts = Effect.gen(function* () {
  const repo = yield* settlementStatements
  const ledger = yield* NanoLedger
  const maker = yield* WorkMaker

  /** Returns true when the network has confirmed another block on the same `previous`. */
  const isForked = Effect.fnUntraced(function* ({ block_hash, payer_key, previous }: SettlementRow) {
    const account = yield* ledger.account(payer_key)
    let hash: BlockHash | null = Option.getOrNull(account)?.confirmedFrontier ?? null
    // A node that is behind has a confirmed frontier before `previous`, and is never asked further than to the first block.
    for (let read = 0; read < CHAIN_MAX && hash !== null && hash !== previous; read++) {
      const block: Option.Option<{ readonly previous: BlockHash; readonly isConfirmed: boolean }> =
        yield* ledger.block(hash)
      if (Option.isNone(block) || !block.value.isConfirmed) return false
      if (block.value.previous === previous) return hash !== block_hash
      hash = block.value.previous
    }
    return false
  })

  /** Returns the verdict on a block that the ledger has; none for one that it lacks. */
  const found = ({ block_hash }: SettlementRow) =>
    Effect.map(
      ledger.block(block_hash),
      Option.map(({ isConfirmed }) => (isConfirmed ? confirmed : waiting("unconfirmed")))
    )

  /** Returns the meaning of a refusal by the ledger for a block. */
  const judge = Effect.fnUntraced(function* (
    row: SettlementRow,
    { reason }: LedgerRefused,
    isWorkOurs: boolean
  ): Effect.fn.Return<Verdict, LedgerUnavailable> {
    if (reason === "gap" || reason === "other") return waiting(reason)
    if (reason === "work" && isWorkOurs) return { type: "work_refused" }
    if (reason === "fork" && !(yield* isForked(row))) return waiting(reason)
    // The last check before the payer is asked to sign again: the ledger does not have our block.
    return Option.getOrElse(yield* found(row), () => ({
      type: "refused",
      code: reason === "fork" ? "fork" : FINAL[reason]
    }))
  })

  /**
   * Generates the work of a block whose payer leaves it to the service. It happens after the claim, so a block that fails
   * a check costs no work. The settlement keeps the work, because generating it again is expensive. None if no server
   * generated it.
   */
  const missingWork = Effect.fn("missingWork")(function* (row: SettlementRow) {
    if (row.block === null) return Option.none()
    const making = Effect.timeout(maker.make(workRoot(row.block), ledger.workThreshold), WORK_MILLIS)
    const work = yield* Effect.option(making)
    if (Option.isNone(work)) return Option.none()
    yield* repo.saveWork(row.id, work.value)
    return publishable({ ...row, made_work: work.value })
  })

  /** Publishes the block of a settlement. Safe to repeat: the ledger takes a block once. */
  const publish = Effect.fnUntraced(function* (row: SettlementRow): Effect.fn.Return<Verdict> {
    const ready = lacksWork(row) ? yield* missingWork(row) : publishable(row)
    if (Option.isNone(ready)) return waiting(lacksWork(row) ? "work_unavailable" : "unconfirmed")
    const { block, isWorkOurs } = ready.value
    return yield* ledger.publish(block).pipe(
      Effect.as<Verdict>({ type: "sent" }),
      Effect.catchTag("LedgerRefused", (refused) => judge(row, refused, isWorkOurs)),
      Effect.catchTag("LedgerUnavailable", () => Effect.succeed(waiting("ledger_unavailable")))
    )
  })

  /** Looks once, and publishes a block that the ledger does not have. */
  const look = (row: SettlementRow): Effect.Effect<Verdict> =>
    Effect.matchEffect(found(row), {
      onFailure: () => Effect.succeed(waiting("ledger_unavailable")),
      onSuccess: Option.match({ onNone: () => publish(row), onSome: Effect.succeed })
    })

  return { publish, look }
})
