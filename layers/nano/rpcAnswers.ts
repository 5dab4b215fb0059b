import { DateTime, Effect, Option, Schema } from "effect"
import { fromShallowJson } from "../../schemas/platform/jsonBounds.ts"
import { publicKeyOfAddress, RawAmount } from "../../schemas/platform/Nano.ts"
import { BlockHash, StateBlock } from "../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../src/platform/nano/blocks.ts"
import type { LedgerAccount, LedgerBlock } from "../../src/platform/ports/NanoLedger.ts"
import { type RpcAnswer, RpcFailure } from "./rpcCall.ts"

/** Fails with the name of the action alone: an answer may hold anything. */
const notAnswer = (action: string) =>
  new RpcFailure({ reason: "protocol", detail: `not an answer to ${action}` })

const decoder = <A, I>(action: string, schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return (answer: unknown) => Effect.mapError(decode(answer), () => notAnswer(action))
}

/** Nodes spell booleans as strings. */
const Flag = Schema.Literals(["true", "false", true, false])
const isTrue = (flag: typeof Flag.Type) => flag === true || flag === "true"

/** Seconds since 1970 as digits. */
const Seconds = Schema.String.check(Schema.isPattern(/^\d{1,11}$/u))

/** Returns the time of a node; null for 0, which stands for a time that it does not know. */
const timeOf = (seconds: string) => {
  const time = DateTime.make(Number(seconds) * 1000)
  return Number(seconds) === 0 ? null : Option.getOrNull(Option.map(time, DateTime.toDateUtc))
}

export const decodeVersion = decoder("version", Schema.Struct({ network: Schema.String }))

const decodeProcessed = decoder("process", Schema.Struct({ hash: BlockHash }))

/** Reads an answer to `process`. The hash proves that the node understood the block. */
export const publishedOf = Effect.fnUntraced(function* (answer: RpcAnswer, hash: BlockHash) {
  const processed = yield* decodeProcessed(answer)
  if (processed.hash !== hash) return yield* notAnswer("process")
  return "accepted" as const
})

const decodeAccount = decoder(
  "account_info",
  Schema.Struct({
    frontier: BlockHash,
    balance: RawAmount,
    confirmed_frontier: Schema.optionalKey(BlockHash),
    confirmation_height_frontier: Schema.optionalKey(BlockHash)
  })
)

const isZero = (hash: BlockHash) => /^0+$/u.test(hash)

/**
 * Reads an answer to `account_info`. Nodes that do not know `include_confirmed` name the confirmed block differently.
 */
export const accountOf = Effect.fnUntraced(function* (answer: RpcAnswer) {
  const { balance, confirmation_height_frontier, confirmed_frontier, frontier } = yield* decodeAccount(answer)
  const confirmed = confirmed_frontier ?? confirmation_height_frontier
  if (confirmed === undefined) return yield* notAnswer("account_info")
  return {
    frontier,
    balanceRaw: balance,
    confirmedFrontier: isZero(confirmed) ? null : confirmed
  } satisfies LedgerAccount
})

const decodeContents = decoder(
  "block_info",
  Schema.Struct({
    contents: Schema.Union([
      Schema.Struct({ type: Schema.String }),
      // The form of nodes that do not know `json_block`.
      fromShallowJson(Schema.Struct({ type: Schema.String }))
    ])
  })
)

const decodeBlock = decoder(
  "block_info",
  Schema.Struct({
    amount: RawAmount,
    local_timestamp: Seconds,
    confirmed: Flag,
    subtype: Schema.Literals(["send", "receive", "open", "change", "epoch"]),
    contents: Schema.Union([StateBlock, fromShallowJson(StateBlock)])
  })
)

/**
 * Reads an answer to `block_info`. The hash proves what the block says. The amount and the confirmation are the node's
 * word. None for the kinds of block before state blocks, which no account can make any more.
 */
export const blockOf = Effect.fnUntraced(function* (answer: RpcAnswer, hash: BlockHash) {
  const { contents: kind } = yield* decodeContents(answer)
  if (["send", "receive", "open", "change"].includes(kind.type)) return Option.none<LedgerBlock>()
  const { amount, confirmed, contents, local_timestamp, subtype } = yield* decodeBlock(answer)
  if (blockHash(contents) !== hash) return yield* notAnswer("block_info")
  return Option.some<LedgerBlock>({
    hash,
    account: publicKeyOfAddress(contents.account),
    previous: contents.previous,
    subtype,
    link: contents.link,
    amountRaw: amount,
    isConfirmed: isTrue(confirmed),
    ledgerTime: timeOf(local_timestamp)
  })
})

/** An empty list or object is an empty string. */
const Empty = Schema.Literal("")

const decodeReceivable = decoder(
  "receivable",
  Schema.Struct({
    blocks: Schema.Union([Empty, Schema.Array(BlockHash), Schema.Record(Schema.String, Schema.Unknown)])
  })
)
const decodeHashes = decoder("receivable", Schema.Array(BlockHash))

/** Reads an answer to `receivable`: the hashes of sends that their recipient did not receive yet. */
export const receivableOf = Effect.fnUntraced(function* (answer: RpcAnswer) {
  const { blocks } = yield* decodeReceivable(answer)
  if (blocks === "") return []
  return yield* decodeHashes(Array.isArray(blocks) ? blocks : Object.keys(blocks))
})

const decodeHistory = decoder(
  "account_history",
  Schema.Struct({
    history: Schema.Union([
      Empty,
      Schema.Array(
        Schema.Struct({
          type: Schema.String,
          subtype: Schema.optionalKey(Schema.String),
          link: Schema.optionalKey(Schema.String),
          local_timestamp: Schema.optionalKey(Seconds)
        })
      )
    ]),
    previous: Schema.optionalKey(BlockHash)
  })
)
const decodeLink = decoder("account_history", BlockHash)

/** A page of an account's blocks, newest first. */
export interface HistoryPage {
  /** Hashes of the sends that these blocks received. */
  readonly received: ReadonlyArray<BlockHash>
  /** The first block of the next page; undefined when that is older than asked for, or there is none. */
  readonly next: BlockHash | undefined
}

/** Reads an answer to `account_history` with `raw`. In a block that receives, `link` is the hash of the send. */
export const historyOf = Effect.fnUntraced(function* (answer: RpcAnswer, since: Date) {
  const { history, previous } = yield* decodeHistory(answer)
  if (history === "") return { received: [], next: undefined } satisfies HistoryPage
  // A block that receives is newer than the send, by the same clock.
  const recent = history.filter(({ local_timestamp }) => {
    const time = timeOf(local_timestamp ?? "0")
    return time === null || time >= since
  })
  const links = recent.filter(
    ({ subtype, type }) => type === "state" && (subtype === "receive" || subtype === "open")
  )
  const received = yield* Effect.forEach(links, ({ link }) => decodeLink(link))
  return { received, next: recent.length < history.length ? undefined : previous } satisfies HistoryPage
})
