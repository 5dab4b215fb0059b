import { Effect, Option, Semaphore } from "effect"
import type { BlockHash } from "../../schemas/platform/NanoBlock.ts"
import { isConfirmed, type LedgerEntry } from "../../src/platform/ports/DevelopmentLedger.ts"
import type { LedgerStore } from "../nano/ledgerBook.ts"
import { isSendTo } from "../nano/ledgerRules.ts"

const isPocket = ({ subtype }: LedgerEntry) => subtype === "receive" || subtype === "open"

/** Makes a store of blocks in memory, and the ways in which a test may change it. */
export const makeLedgerStoreMemory = Effect.gen(function* () {
  const writers = yield* Semaphore.make(1)
  let entries: ReadonlyArray<LedgerEntry> = []
  const newestFirst = () => entries.toReversed()
  const isReceived = (send: BlockHash) =>
    entries.some((entry) => isPocket(entry) && entry.block.link === send)

  const store: LedgerStore = {
    entry: (hash) => Effect.sync(() => Option.fromUndefinedOr(entries.find((entry) => entry.hash === hash))),
    chain: (account, count, fromHeight) =>
      Effect.sync(() =>
        newestFirst()
          .filter((entry) => entry.account === account && entry.height <= fromHeight)
          .slice(0, count)
      ),
    confirmedHead: (account, now) =>
      Effect.sync(() =>
        Option.fromUndefinedOr(
          newestFirst().find((entry) => entry.account === account && isConfirmed(entry, now))
        )
      ),
    isReceived: (send) => Effect.sync(() => isReceived(send)),
    sendsTo: (account, { count, isUnreceived, since }) =>
      Effect.sync(() =>
        newestFirst()
          .filter((entry) => isSendTo(entry, account) && (since === null || entry.createdAt >= since))
          .filter((entry) => !isUnreceived || !isReceived(entry.hash))
          .slice(0, count)
      ),
    insert: (entry) =>
      Effect.sync(() => {
        entries = [...entries, entry]
      }),
    alone: writers.withPermits(1)
  }

  return {
    store,
    /** Removes the blocks that this says. */
    remove: (isRemoved: (entry: LedgerEntry) => boolean) =>
      Effect.sync(() => {
        entries = entries.filter((entry) => !isRemoved(entry))
      }),
    /** Changes when a block is confirmed. */
    confirmAt: (hash: BlockHash, confirmedAt: Date | null) =>
      Effect.sync(() => {
        const place = entries.findIndex((entry) => entry.hash === hash)
        const entry = entries[place]
        if (entry !== undefined) entries = entries.with(place, { ...entry, confirmedAt })
      })
  }
})
