import { Effect, HashSet, Latch, Stream, SubscriptionRef } from "effect"
import type { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import type { NanoLedger } from "../../platform/ports/NanoLedger.ts"

/** Blocks that one process watches, at most. The oldest are forgotten: polling finds their ends. */
const WATCHED_MAX = 10_000

/** A block of which this process waits for the confirmation. */
interface Watched {
  readonly blockHash: BlockHash
  readonly payerKey: NanoPublicKey
}

/**
 * The blocks on their way that this process knows. The ledger tells of their confirmations as far as it can; without that
 * they are found by polling. `onConfirmed` hears of those for which no fiber waits here.
 */
export const makeInFlight = Effect.fnUntraced(function* (
  ledger: NanoLedger["Service"],
  onConfirmed: (hash: BlockHash) => Effect.Effect<void>
) {
  const watched = new Map<BlockHash, NanoPublicKey>()
  const waiting = new Map<BlockHash, Set<Latch.Latch>>()
  const keys = yield* SubscriptionRef.make(HashSet.empty<NanoPublicKey>())
  const keep = SubscriptionRef.update(keys, () => HashSet.fromIterable(watched.values()))

  const forget = (hash: BlockHash) => Effect.suspend(() => (watched.delete(hash) ? keep : Effect.void))

  /** Wakes the fibers that wait for news of a block. Returns false when none does. */
  const ring = (hash: BlockHash) =>
    Effect.sync(() => {
      const latches = waiting.get(hash)
      latches?.forEach((latch) => latch.openUnsafe())
      return latches !== undefined
    })

  yield* ledger.confirmations(keys).pipe(
    Stream.runForEach(
      Effect.fnUntraced(function* ({ hash }) {
        if (watched.has(hash) && !(yield* ring(hash))) yield* onConfirmed(hash)
      })
    ),
    Effect.forkScoped
  )

  return {
    ring,
    forget,
    watch: ({ blockHash, payerKey }: Watched) =>
      Effect.suspend(() => {
        if (watched.has(blockHash)) return Effect.void
        const [oldest] = watched.keys()
        if (oldest !== undefined && watched.size >= WATCHED_MAX) watched.delete(oldest)
        watched.set(blockHash, payerKey)
        return keep
      }),
    /** Waits for news of a block, at most so long. */
    news: (hash: BlockHash, millis: number) =>
      Effect.suspend(() => {
        const latch = Latch.makeUnsafe()
        const latches = waiting.get(hash) ?? new Set()
        waiting.set(hash, latches.add(latch))
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
export type InFlight = Effect.Success<ReturnType<typeof makeInFlight>>
