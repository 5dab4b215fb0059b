import { Cause, Effect, Equal, HashSet, Layer, Metric, Schedule, Stream, SubscriptionRef } from "effect"
import { NanoPublicKey, PRICE_MIN_RAW } from "../../../schemas/platform/Nano.ts"
import { type LedgerBlock, NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { type LeasedWork, worker } from "../../platform/work/worker.ts"
import { type WatchedAccount, watchedAccountQueue } from "./watchedAccounts.sql.ts"
import { WATCHED_ACCOUNTS, Watching } from "./Watching.ts"

/** Number of addresses that one process looks at, and of confirmed blocks that it settles, at the same time. */
const CONCURRENCY = 16
const LEASE_MILLIS = 60_000

/** Time between two readings of the watched addresses. A look finds what was confirmed before they were read. */
const KEYS_EVERY = "10 seconds"

const watched = Metric.gauge("watched_accounts", {
  description: "Addresses whose payments the service waits for"
})

/** Looking at the ledger as leased work. */
const watchingWork = ({ claim, look }: Watching["Service"]): LeasedWork<WatchedAccount> => ({
  kind: WATCHED_ACCOUNTS,
  queue: watchedAccountQueue,
  concurrency: CONCURRENCY,
  leaseMillis: LEASE_MILLIS,
  claim,
  run: look,
  lost: "Payment sessions are not being watched",
  regained: "Payment sessions are being watched again"
})

/** Keeps the set of watched keys as the database has it. */
const keepKeys = (
  { keys }: Watching["Service"],
  ref: SubscriptionRef.SubscriptionRef<HashSet.HashSet<NanoPublicKey>>
) =>
  Effect.gen(function* () {
    const read = HashSet.fromIterable(yield* keys)
    yield* Metric.update(watched, HashSet.size(read))
    if (!Equal.equals(read, yield* SubscriptionRef.get(ref))) yield* SubscriptionRef.set(ref, read)
  }).pipe(
    // The database is unavailable: the keys stay as they were.
    Effect.catchCause((cause) => Effect.logDebug("Could not read the watched addresses", cause)),
    Effect.repeat(Schedule.spaced(KEYS_EVERY))
  )

/** Returns the watched address that a block pays, unless the amount is less than any price. */
const paidKey = (block: LedgerBlock, keys: HashSet.HashSet<NanoPublicKey>) => {
  const key = NanoPublicKey.make(block.link.toLowerCase())
  const isPayment = block.subtype === "send" && block.amountRaw >= PRICE_MIN_RAW / 2n
  return isPayment && HashSet.has(keys, key) ? key : undefined
}

/**
 * Supervised fibers that look for payments of sessions, and get reports of them from the ledger. Several processes may
 * share the work.
 */
export const WatchingWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const watching = yield* Watching
    const ledger = yield* NanoLedger
    if (ledger.kind === "off") return
    const keys = yield* SubscriptionRef.make(HashSet.empty<NanoPublicKey>())
    const noticed = Effect.fnUntraced(
      function* (block: LedgerBlock) {
        const key = paidKey(block, yield* SubscriptionRef.get(keys))
        if (key !== undefined) yield* watching.notice(key, block)
      },
      // The database is unavailable: later reports are still heard.
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.logWarning("A reported payment was not settled: the next check will find it", cause)
      )
    )
    yield* Effect.forkScoped(keepKeys(watching, keys))
    yield* ledger
      .confirmations(keys)
      .pipe(
        Stream.mapEffect(noticed, { concurrency: CONCURRENCY, unordered: true }),
        Stream.runDrain,
        Effect.forkScoped
      )
    yield* worker(watchingWork(watching))
  })
)
