import {
  Context,
  Duration,
  Effect,
  HashSet,
  Layer,
  Option,
  PubSub,
  Ref,
  Scope,
  Stream,
  SubscriptionRef
} from "effect"
import { publicKeyOfAddress } from "../../schemas/platform/Nano.ts"
import type { BlockHash, SignedBlock } from "../../schemas/platform/NanoBlock.ts"
import type { BlockRefused, LedgerBook, LedgerEntry } from "../../src/platform/ports/DevelopmentLedger.ts"
import {
  type LedgerBlock,
  LedgerRefused,
  LedgerUnavailable,
  NanoLedger
} from "../../src/platform/ports/NanoLedger.ts"
import { now } from "../../src/platform/time/now.ts"
import { bookOver, portOver } from "../nano/ledgerBook.ts"
import { ledgerBlockOf } from "../nano/ledgerRules.ts"
import { makeLedgerStoreMemory } from "./ledgerStoreMemory.ts"

/**
 * Mishaps of a call.
 * - `lost request`: it reaches no node, and times out.
 * - `lost answer`: the node does what it is asked to do, but the answer is lost.
 * - `slow`: it begins two seconds late.
 * - `too many requests`, `error answer`, `wrong network`, `out of sync`: the node refuses it.
 */
export type LedgerFault =
  | "lost request"
  | "lost answer"
  | "slow"
  | "too many requests"
  | "error answer"
  | "wrong network"
  | "out of sync"

/**
 * Answers of a node to a block that it is asked to publish.
 * - `gap`: the node is behind, and lacks the block's previous. It accepts nothing.
 * - `fork`: the node knows another block on that previous. It accepts nothing.
 * - `work`, `balance`: the node considers the work too little, or the balance wrong. It accepts nothing.
 * - `old block`: the payer sent the block to the ledger without the service, an instant before.
 */
export type PublishAnswer = "gap" | "fork" | "work" | "balance" | "old block"

/** The calls of the port that may have a fault. */
export type LedgerCall = "account" | "block" | "publish" | "incoming"

/** Controls the ledger in a test. `book` adds blocks of any kind, also while the port has faults. */
export class NanoLedgerMemory extends Context.Service<
  NanoLedgerMemory,
  {
    readonly book: LedgerBook
    /** Makes this mishap happen to the next `times` calls of this kind; one by default. */
    readonly faultNext: (call: LedgerCall, fault: LedgerFault, times?: number) => Effect.Effect<void>
    /** Forgets the mishaps that have not happened yet. */
    readonly endFaults: Effect.Effect<void>
    /** Makes the node give each block this answer, or stops doing so. */
    readonly setAnswer: (answer: PublishAnswer | undefined) => Effect.Effect<void>
    /** Makes every call fail, or stops doing so. */
    readonly setAway: (isAway: boolean) => Effect.Effect<void>
    /** Sets the time from accepting a block to its confirmation, for blocks from now on; zero by default. */
    readonly confirmAfter: (delay: Duration.Input | "never") => Effect.Effect<void>
    /** Confirms a block now. */
    readonly confirm: (hash: BlockHash) => Effect.Effect<void>
    /**
     * Replaces the block that follows the same `previous`, and all blocks after it, by this confirmed block: the
     * network elected the competitor.
     */
    readonly elect: (competitor: SignedBlock) => Effect.Effect<LedgerEntry, BlockRefused | LedgerUnavailable>
    /** Reports each confirmation `times` times from now on, or none for 0; once by default. */
    readonly tell: (times: number) => Effect.Effect<void>
    /** Returns the blocks that the service published, in the order of its calls, including those of failed calls. */
    readonly published: Effect.Effect<ReadonlyArray<SignedBlock>>
    /** Returns the number of calls of this kind. */
    readonly calls: (call: LedgerCall) => Effect.Effect<number>
  }
>()("pennypress/layers/testing/NanoLedgerMemory") {}

/** Difficulty of work in tests: 256 attempts, which take a millisecond. */
export const MEMORY_WORK_THRESHOLD = 0xff00_0000_0000_0000n

const SLOW_MILLIS = 2000

const unavailable = (reason: LedgerUnavailable["reason"]) => Effect.fail(new LedgerUnavailable({ reason }))

const withFault = <A, E>(
  fault: LedgerFault | undefined,
  call: Effect.Effect<A, E>
): Effect.Effect<A, E | LedgerUnavailable> => {
  switch (fault) {
    case undefined:
      return call
    case "lost request":
      return unavailable("timeout")
    case "lost answer":
      return Effect.andThen(Effect.exit(call), unavailable("timeout"))
    case "slow":
      return Effect.delay(call, SLOW_MILLIS)
    case "too many requests":
      return unavailable("refused")
    case "error answer":
    case "wrong network":
      return unavailable("protocol")
    case "out of sync":
      return unavailable("out_of_sync")
  }
}

const make = Effect.gen(function* () {
  const { confirmAt, remove, store: silent } = yield* makeLedgerStoreMemory
  const scope = yield* Scope.Scope
  const confirmed = yield* PubSub.unbounded<LedgerBlock>()
  const confirmAfter = yield* Ref.make<number | null>(0)
  const times = yield* Ref.make(1)
  const isAway = yield* Ref.make(false)
  const published = yield* Ref.make<ReadonlyArray<SignedBlock>>([])
  const answer = yield* Ref.make<PublishAnswer | undefined>(undefined)
  const calls: Record<LedgerCall, { count: number; faults: ReadonlyArray<LedgerFault> }> = {
    account: { count: 0, faults: [] },
    block: { count: 0, faults: [] },
    publish: { count: 0, faults: [] },
    incoming: { count: 0, faults: [] }
  }

  const tell = Effect.fnUntraced(function* (entry: LedgerEntry) {
    const block = { ...ledgerBlockOf(entry, yield* now), isConfirmed: true }
    yield* PubSub.publishAll(
      confirmed,
      Array.from({ length: yield* Ref.get(times) }, () => block)
    )
  })
  const tellInTime = Effect.fnUntraced(function* (entry: LedgerEntry) {
    if (entry.confirmedAt === null) return
    const wait = entry.confirmedAt.getTime() - (yield* now).getTime()
    if (wait <= 0) yield* tell(entry)
    else yield* Effect.forkIn(Effect.delay(tell(entry), wait), scope)
  })

  const store = {
    ...silent,
    insert: (entry: LedgerEntry) => Effect.andThen(silent.insert(entry), tellInTime(entry))
  }
  const book = bookOver(store, {
    workThreshold: MEMORY_WORK_THRESHOLD,
    confirmAfterMillis: Ref.get(confirmAfter)
  })
  const port = portOver(store, book)

  /** Counts a call, and applies the mishap that the test chose. */
  const played = <A, E>(call: LedgerCall, answer: Effect.Effect<A, E>) =>
    Effect.gen(function* () {
      const state = calls[call]
      state.count++
      if (yield* Ref.get(isAway)) return yield* unavailable("unreachable")
      const [fault, ...others] = state.faults
      state.faults = others
      return yield* withFault(fault, answer)
    })

  /** Publishes a block to a node that gives the answer that the test chose. */
  const answered = (block: SignedBlock) =>
    Effect.flatMap(Ref.get(answer), (said) => {
      if (said === undefined) return port.publish(block)
      if (said === "old block") return Effect.andThen(Effect.exit(book.process(block)), port.publish(block))
      return Effect.fail(new LedgerRefused({ reason: said }))
    })

  const ledger = NanoLedger.of({
    kind: "node",
    network: "nano:mainnet",
    workThreshold: MEMORY_WORK_THRESHOLD,
    isAway: Ref.get(isAway),
    account: (key) => played("account", port.account(key)),
    block: (hash) => played("block", port.block(hash)),
    publish: (block) =>
      Effect.andThen(
        Ref.update(published, (others) => [...others, block]),
        played("publish", answered(block))
      ),
    incoming: (key, since) => played("incoming", port.incoming(key, since)),
    confirmations: (keys) =>
      Stream.fromPubSub(confirmed).pipe(
        Stream.filter(({ account, link }) => {
          const watched = SubscriptionRef.getUnsafe(keys)
          return HashSet.has(watched, account) || HashSet.has(watched, link.toLowerCase())
        })
      )
  })

  const control = NanoLedgerMemory.of({
    book,
    faultNext: (call, fault, count = 1) =>
      Effect.sync(() => {
        calls[call].faults = [...calls[call].faults, ...Array.from({ length: count }, () => fault)]
      }),
    endFaults: Effect.sync(() => {
      for (const call of Object.values(calls)) call.faults = []
    }),
    setAnswer: (said) => Ref.set(answer, said),
    setAway: (away) => Ref.set(isAway, away),
    confirmAfter: (delay) =>
      Ref.set(confirmAfter, delay === "never" ? null : Duration.toMillis(Duration.fromInputUnsafe(delay))),
    confirm: Effect.fnUntraced(function* (hash) {
      yield* confirmAt(hash, yield* now)
      const entry = yield* Effect.orDie(store.entry(hash))
      if (Option.isSome(entry)) yield* tellInTime(entry.value)
    }),
    elect: Effect.fnUntraced(function* (competitor) {
      const account = publicKeyOfAddress(competitor.account)
      const chain = yield* book.chain(account, Number.MAX_SAFE_INTEGER)
      const loser = chain.find(({ block }) => block.previous === competitor.previous)
      if (loser !== undefined) {
        yield* remove((entry) => entry.account === account && entry.height >= loser.height)
      }
      const elected = yield* book.process(competitor)
      yield* confirmAt(elected.hash, yield* now)
      return elected
    }),
    tell: (count) => Ref.set(times, count),
    published: Ref.get(published),
    calls: (call) => Effect.sync(() => calls[call].count)
  })
  return Context.make(NanoLedger, ledger).pipe(Context.add(NanoLedgerMemory, control))
})

/** A ledger of a test's own, new for each build of the layer. The assemblies of one world share one build. */
export const layer = Layer.effectContext(make)
