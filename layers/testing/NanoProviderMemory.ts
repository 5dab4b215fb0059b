import { Effect, Layer, Option } from "effect"
import { publicKeyOfAddress } from "../../schemas/platform/Nano.ts"
import { BlockWork } from "../../schemas/platform/NanoBlock.ts"
import { NanoProvider, type PublishAnswer } from "../../src/mcp/local/ports/NanoProvider.ts"
import { workDifficulty } from "../../src/platform/nano/blocks.ts"
import { isConfirmed } from "../../src/platform/ports/DevelopmentLedger.ts"
import { now } from "../../src/platform/time/now.ts"
import { MEMORY_WORK_THRESHOLD, NanoLedgerMemory } from "./NanoLedgerMemory.ts"

/** Refusals of the ledger by their words. */
const ANSWERS: Readonly<Record<string, PublishAnswer>> = {
  "Old block": "accepted",
  Fork: "fork",
  "Gap previous block": "gap",
  "Gap source block": "gap"
}

const RECEIVABLE_MAX = 100

/**
 * A node over the ledger of {@link NanoLedgerMemory}, which is always available. It generates as little work as that
 * ledger takes, without delay.
 */
export const layer = Layer.effect(
  NanoProvider,
  Effect.map(NanoLedgerMemory, ({ book }) =>
    NanoProvider.of({
      account: (address) =>
        Effect.map(book.chain(publicKeyOfAddress(address), 1), ([head]) =>
          head === undefined
            ? undefined
            : {
                frontier: head.hash,
                balanceRaw: head.block.balance,
                representative: head.block.representative
              }
        ).pipe(Effect.orDie),

      receivable: (address) =>
        book.receivable(publicKeyOfAddress(address), RECEIVABLE_MAX).pipe(
          Effect.map((sends) =>
            sends
              .map(({ amountRaw, hash }) => ({ amountRaw, hash }))
              .toSorted((one, other) => (one.amountRaw < other.amountRaw ? 1 : -1))
          ),
          Effect.orDie
        ),

      work: (root, threshold) =>
        Effect.sync(() => {
          const least = threshold < MEMORY_WORK_THRESHOLD ? threshold : MEMORY_WORK_THRESHOLD
          for (let nonce = 1n; ; nonce++) {
            const work = BlockWork.make(nonce.toString(16).padStart(16, "0"))
            if (workDifficulty(root, work) >= least) return work
          }
        }),

      block: Effect.fnUntraced(function* (hash) {
        const found = yield* Effect.orDie(book.entry(hash))
        const at = yield* now
        if (Option.isNone(found)) return "absent" as const
        return isConfirmed(found.value, at) ? ("confirmed" as const) : ("pending" as const)
      }),

      publish: (block, kind) =>
        book.process(block, kind).pipe(
          Effect.as("accepted" as const),
          Effect.catchTag("BlockRefused", ({ words }) => Effect.succeed(ANSWERS[words] ?? "refused")),
          Effect.orDie
        )
    })
  )
)
