import { type Array, Cache, Duration, Effect, Exit, Option } from "effect"
import { addressOfPublicKey, type NanoPublicKey, PRICE_STEP_RAW } from "../../schemas/platform/Nano.ts"
import type { BlockHash } from "../../schemas/platform/NanoBlock.ts"
import type { LedgerBlock } from "../../src/platform/ports/NanoLedger.ts"
import { historyOf, receivableOf } from "./rpcAnswers.ts"
import type { RpcFailure } from "./rpcCall.ts"
import { firstAnswer, type RpcNode } from "./rpcNodes.ts"

/** Maximum number of sends that wait for their recipient: as many as fit an answer of 1 MiB. The largest come first. */
const RECEIVABLE_MAX = 5000

/**
 * Number of blocks in a page of an account's history, which keeps a page below 1 MiB, and number of pages that are
 * read.
 */
const PAGE = 500
const PAGES_MAX = 4

/** Blocks that are read at the same time, and confirmed blocks that are kept, as these never change. */
const CONCURRENCY = 8
const KEPT_BLOCKS_MAX = 10_000

type Nodes = Array.NonEmptyReadonlyArray<RpcNode>

/** An account without a block has no history. */
const noAccount =
  <A>(none: A) =>
  (words: string) =>
    words === "Account not found" ? Effect.succeed(none) : undefined

const receivable = (nodes: Nodes, account: string) =>
  firstAnswer<ReadonlyArray<BlockHash>>(nodes, {
    action: {
      action: "receivable",
      account,
      count: String(RECEIVABLE_MAX),
      // Dust would push payments out of the answer. Nothing costs less than this.
      threshold: String(PRICE_STEP_RAW),
      sorting: "true",
      source: "true",
      include_only_confirmed: "false"
    },
    read: receivableOf,
    readError: noAccount<ReadonlyArray<BlockHash>>([])
  })

/** Returns the sends that are no longer receivable, because a wallet received them immediately. */
const received = Effect.fnUntraced(function* (nodes: Nodes, account: string, since: Date) {
  const hashes: Array<BlockHash> = []
  let head: BlockHash | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { next, received } = yield* firstAnswer(nodes, {
      action: {
        action: "account_history",
        account,
        count: String(PAGE),
        raw: "true",
        ...(head === undefined ? {} : { head })
      },
      read: (answer) => historyOf(answer, since),
      readError: noAccount({ received: [], next: undefined })
    })
    hashes.push(...received)
    if (next === undefined) break
    head = next
  }
  return hashes
})

/** A time that the node does not know counts as now. */
const newestFirst = (one: LedgerBlock, other: LedgerBlock) =>
  (other.ledgerTime?.getTime() ?? Number.MAX_SAFE_INTEGER) -
  (one.ledgerTime?.getTime() ?? Number.MAX_SAFE_INTEGER)

/** Makes `incoming` of the port. What the lists name is read again block by block, as `read` does. */
export const makeIncoming = Effect.fnUntraced(function* (
  nodes: Nodes,
  read: (hash: BlockHash) => Effect.Effect<Option.Option<LedgerBlock>, RpcFailure>
) {
  const blocks = yield* Cache.makeWith(read, {
    capacity: KEPT_BLOCKS_MAX,
    timeToLive: (exit) =>
      Exit.isSuccess(exit) && Option.exists(exit.value, ({ isConfirmed }) => isConfirmed)
        ? Duration.infinity
        : Duration.zero
  })
  return Effect.fnUntraced(function* (key: NanoPublicKey, since: Date) {
    const account = addressOfPublicKey(key)
    const hashes = new Set([
      ...(yield* receivable(nodes, account)),
      ...(yield* received(nodes, account, since))
    ])
    const read = yield* Effect.forEach(hashes, (hash) => Cache.get(blocks, hash), {
      concurrency: CONCURRENCY
    })
    return read
      .flatMap(Option.toArray)
      .filter(({ ledgerTime, link, subtype }) => {
        const isRecent = ledgerTime === null || ledgerTime >= since
        return subtype === "send" && link.toLowerCase() === key && isRecent
      })
      .toSorted(newestFirst)
  })
})
