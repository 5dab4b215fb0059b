import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Option, Result } from "effect"
import {
  addressOfPublicKey,
  MAX_RAW,
  NanoPublicKey,
  NanoSignature,
  publicKeyOfAddress
} from "../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork, type SignedBlock } from "../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../src/platform/nano/blocks.ts"
import {
  BlockRefused,
  type LedgerBook,
  type LedgerEntry
} from "../../src/platform/ports/DevelopmentLedger.ts"
import {
  LedgerRefused,
  type LedgerUnavailable,
  type NanoLedger
} from "../../src/platform/ports/NanoLedger.ts"
import { now } from "../../src/platform/time/now.ts"
import { entryOf, judge, ledgerBlockOf, type Refusal, REFUSALS } from "./ledgerRules.ts"

type Read<A> = Effect.Effect<A, LedgerUnavailable>

/** Holds blocks. It does not judge them by the rules of the ledger. */
export interface LedgerStore {
  readonly entry: (hash: BlockHash) => Read<Option.Option<LedgerEntry>>
  /** Returns at most `count` blocks of an account, newest first, from this height down. */
  readonly chain: (
    account: NanoPublicKey,
    count: number,
    fromHeight: number
  ) => Read<ReadonlyArray<LedgerEntry>>
  readonly confirmedHead: (account: NanoPublicKey, now: Date) => Read<Option.Option<LedgerEntry>>
  /** Returns true when a block received this send. */
  readonly isReceived: (send: BlockHash) => Read<boolean>
  /** Returns sends to an account since a moment, newest first. */
  readonly sendsTo: (
    account: NanoPublicKey,
    which: { readonly since: Date | null; readonly isUnreceived: boolean; readonly count: number }
  ) => Read<ReadonlyArray<LedgerEntry>>
  readonly insert: (entry: LedgerEntry) => Read<void>
  /** Runs an effect while no other of this kind runs on the ledger. */
  readonly alone: <A, E>(write: Effect.Effect<A, E>) => Effect.Effect<A, E | LedgerUnavailable>
}

/** Settings of a ledger; the second may change while it runs. */
export interface LedgerSettings {
  readonly workThreshold: bigint
  /** Milliseconds from taking a block to its confirmation; null for never. */
  readonly confirmAfterMillis: Effect.Effect<number | null>
}

/** The account that the faucet pays from: the bytes of a text. No signature fits, as the key is off the curve. */
const FAUCET = NanoPublicKey.make(bytesToHex(utf8ToBytes("Pennypress development faucet   ")))
const NOTHING = BlockHash.make("0".repeat(64))
/** Maximum number of sends that one look at an account's income returns. */
const INCOMING_MAX = 1000

const refused = (words: Refusal) => new BlockRefused({ words, reason: REFUSALS[words] })

/** The faucet's block after `head`; its first one has the whole supply. */
const faucetBlock = (
  head: LedgerEntry | undefined,
  recipient: NanoPublicKey,
  amountRaw: bigint
): SignedBlock => ({
  type: "state",
  account: addressOfPublicKey(FAUCET),
  representative: addressOfPublicKey(FAUCET),
  previous: head?.hash ?? NOTHING,
  balance: (head?.block.balance ?? MAX_RAW) - amountRaw,
  link: BlockHash.make(recipient.toUpperCase()),
  signature: NanoSignature.make("0".repeat(128)),
  work: BlockWork.make("0".repeat(16))
})

/** Keeps the rules of the ledger over a store. */
export const bookOver = (store: LedgerStore, settings: LedgerSettings): LedgerBook => {
  const headOf = (account: NanoPublicKey) =>
    Effect.map(store.chain(account, 1, Number.MAX_SAFE_INTEGER), ([head]) => head)
  const found = (hash: BlockHash) => Effect.map(store.entry(hash), Option.getOrUndefined)

  const take = Effect.fnUntraced(function* (block: SignedBlock, subtype?: LedgerEntry["subtype"]) {
    if ((yield* found(blockHash(block))) !== undefined) return yield* refused("Old block")
    const around = {
      head: yield* headOf(publicKeyOfAddress(block.account)),
      previous: yield* found(block.previous),
      source: yield* found(block.link),
      isReceived: yield* store.isReceived(block.link)
    }
    const judged = judge(block, around, {
      workThreshold: settings.workThreshold,
      now: yield* now,
      confirmAfterMillis: yield* settings.confirmAfterMillis
    })
    if (Result.isFailure(judged)) return yield* refused(judged.failure)
    const entry = judged.success
    const isMeant = subtype === undefined || subtype === entry.subtype
    if (!isMeant && !(subtype === "receive" && entry.subtype === "open")) {
      return yield* refused("Invalid block balance for given subtype")
    }
    yield* store.insert(entry)
    return entry
  })

  const give = Effect.fnUntraced(function* (recipient: NanoPublicKey, amountRaw: bigint) {
    const head = yield* headOf(FAUCET)
    const block = faucetBlock(head, recipient, amountRaw)
    if (block.balance < 0n) return yield* refused("Balance and amount delta do not match")
    const entry = entryOf(
      block,
      FAUCET,
      { subtype: "send", amountRaw },
      { head, source: undefined },
      { now: yield* now, confirmAfterMillis: 0 }
    )
    yield* store.insert(entry)
    return entry
  })

  return {
    entry: store.entry,
    chain: (account, count, fromHeight = Number.MAX_SAFE_INTEGER) => store.chain(account, count, fromHeight),
    confirmedHead: (account) => Effect.flatMap(now, (at) => store.confirmedHead(account, at)),
    receivable: (account, count) => store.sendsTo(account, { since: null, isUnreceived: true, count }),
    process: (block, subtype) => store.alone(take(block, subtype)),
    faucet: (account, amountRaw) => store.alone(give(account, amountRaw))
  }
}

/** The methods of the port that a book and its store answer. */
export const portOver = (
  store: LedgerStore,
  book: LedgerBook
): Pick<NanoLedger["Service"], "account" | "block" | "publish" | "incoming"> => ({
  account: Effect.fnUntraced(function* (key) {
    const [head] = yield* book.chain(key, 1)
    if (head === undefined) return Option.none()
    const confirmed = yield* book.confirmedHead(key)
    return Option.some({
      frontier: head.hash,
      balanceRaw: head.block.balance,
      confirmedFrontier: Option.match(confirmed, { onNone: () => null, onSome: ({ hash }) => hash })
    })
  }),
  block: Effect.fnUntraced(function* (hash) {
    const at = yield* now
    return Option.map(yield* book.entry(hash), (entry) => ledgerBlockOf(entry, at))
  }),
  publish: (block) =>
    book.process(block, "send").pipe(
      Effect.as("accepted" as const),
      Effect.catchTag("BlockRefused", ({ reason, words }) =>
        words === ("Old block" satisfies Refusal)
          ? Effect.succeed("known" as const)
          : Effect.fail(new LedgerRefused({ reason }))
      )
    ),
  incoming: Effect.fnUntraced(function* (key, since) {
    const at = yield* now
    const sends = yield* store.sendsTo(key, { since, isUnreceived: false, count: INCOMING_MAX })
    return sends.map((entry) => ledgerBlockOf(entry, at))
  })
})
