import { Effect, Layer } from "effect"
import { publicKeyOfAddress } from "../../schemas/platform/Nano.ts"
import { BlockWork } from "../../schemas/platform/NanoBlock.ts"
import { NanoProvider } from "../../src/mcp/local/ports/NanoProvider.ts"
import { workDifficulty } from "../../src/platform/nano/blocks.ts"
import { NanoLedgerMemory } from "./NanoLedgerMemory.ts"

/**
 * A node over the ledger of {@link NanoLedgerMemory}, which is always available. It generates little work, without
 * delay.
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

      work: (root, threshold) =>
        Effect.sync(() => {
          for (let nonce = 1n; ; nonce++) {
            const work = BlockWork.make(nonce.toString(16).padStart(16, "0"))
            if (workDifficulty(root, work) >= threshold) return work
          }
        })
    })
  )
)
