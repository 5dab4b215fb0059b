import { Cause, Effect, HashSet, Latch, Stream, SubscriptionRef } from "effect"
import { LRUCache } from "lru-cache"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import type { NanoLedger } from "../../platform/ports/NanoLedger.ts"

/** Maximum number of blocks that one process watches. The oldest are dropped; polling finds their outcome. */
const WATCHED_MAX = 10_000

/** A block whose confirmation this process waits for. */
interface Watched {
  readonly blockHash: BlockHash
  readonly payerKey: NanoPublicKey
}

/**
 * The sent blocks that this process knows. The ledger reports their confirmations if it can; otherwise polling finds
 * them. `onConfirmed` gets the confirmations of blocks that no fiber carries here.
 */
export const makeSentBlocks = Effect.fnUntraced(function* (
  ledger: NanoLedger["Service"],
  onConfirmed: (hash: BlockHash) => Effect.Effect<void>
) {
  const watched = new LRUCache<BlockHash, NanoPublicKey>({ max: WATCHED_MAX })
  const waiting = new Map<BlockHash, Map<Latch.Latch, boolean>>()
  const keys = yield* SubscriptionRef.make(HashSet.empty<NanoPublicKey>())
  const keep = SubscriptionRef.update(keys, () => HashSet.fromIterable(watched.values()))

  const forget = (hash: BlockHash) => Effect.suspend(() => (watched.delete(hash) ? keep : Effect.void))

  /** Wakes the fibers that wait for news of a block. Returns true when one of them carries it. */
  const ring = (hash: BlockHash) =>
    Effect.sync(() => {
      // A copy: fibers that wake leave the map.
      const latches = [...(waiting.get(hash) ?? [])]
      for (const [latch] of latches) latch.openUnsafe()
      return latches.some(([, carries]) => carries)
    })

  yield* ledger.confirmations(keys).pipe(
    Stream.runForEach(
      Effect.fnUntraced(
        function* ({ hash }) {
          if (watched.has(hash) && !(yield* ring(hash))) yield* onConfirmed(hash)
        },
        // The database is unavailable: later reports are still heard.
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterruptsOnly(cause),
          (cause) => Effect.logWarning("A confirmation was not recorded: polling will find it", cause)
        )
      )
    ),
    Effect.forkScoped
  )

  return {
    ring,
    forget,
    watch: ({ blockHash, payerKey }: Watched) =>
      Effect.suspend(() => {
        if (watched.has(blockHash)) return Effect.void
        watched.set(blockHash, payerKey)
        return keep
      }),
    /** Waits for news of a block, but not longer than this. A fiber that carries the block then looks at the ledger. */
    news: (hash: BlockHash, millis: number, carries: boolean) =>
      Effect.suspend(() => {
        const latch = Latch.makeUnsafe()
        const latches = waiting.get(hash) ?? new Map<Latch.Latch, boolean>()
        waiting.set(hash, latches.set(latch, carries))
        return latch.await.pipe(
          Effect.timeoutOption(millis),
          Effect.ensuring(
            Effect.sync(() => {
              latches.delete(latch)
              if (latches.size === 0 && waiting.get(hash) === latches) waiting.delete(hash)
            })
          ),
          Effect.asVoid
        )
      })
  }
})
export type SentBlocks = Effect.Success<ReturnType<typeof makeSentBlocks>>
