import { DateTime, Effect, Option, Schema } from "effect"
import { fromShallowJson } from "../../schemas/platform/jsonBounds.ts"
import { MAX_RAW, publicKeyOfAddress, RawAmount } from "../../schemas/platform/Nano.ts"
import { BlockHash, StateBlock } from "../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../src/platform/nano/blocks.ts"
import type { LedgerAccount, LedgerBlock, LedgerRefused } from "../../src/platform/ports/NanoLedger.ts"
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

/** Errors of `process` that judge the block. Any other one is the node's own. */
export const refusals: ReadonlyMap<string, LedgerRefused["reason"]> = new Map([
  ["Fork", "fork"],
  ["Bad signature", "signature"],
  ["Block work is less than threshold", "work"],
  ["Block work is insufficient", "work"],
  ["Negative spend", "balance"],
  ["Balance and amount delta do not match", "balance"],
  ["Invalid block balance for given subtype", "balance"],
  ["Invalid previous block for given subtype", "other"],
  ["Unreceivable", "other"],
  ["This block cannot follow the previous block", "other"],
  ["Burning account", "other"],
  ["Block attempts to open the burn account", "other"],
  ["Block is invalid", "other"]
])

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

const decodeFrontier = decoder("account_info", Schema.Struct({ frontier: BlockHash }))

/** Reads the frontier in an answer to `account_info`. */
export const frontierOf = (answer: RpcAnswer) =>
  Effect.map(decodeFrontier(answer), ({ frontier }) => frontier)

const decodeState = decoder(
  "block_info",
  Schema.Struct({ contents: Schema.Union([StateBlock, fromShallowJson(StateBlock)]) })
)

/** Reads the contents of a state block in an answer to `block_info`. Its hash proves each of them. */
export const contentsOf = Effect.fnUntraced(function* (answer: RpcAnswer, hash: BlockHash) {
  const { contents } = yield* decodeState(answer)
  return blockHash(contents) === hash ? contents : yield* notAnswer("block_info")
})

const decodeConfirmed = decoder("block_info", Schema.Struct({ confirmed: Flag }))

/** Reads whether an answer to `block_info` calls the block confirmed. */
export const isConfirmedIn = (answer: RpcAnswer) =>
  Effect.map(decodeConfirmed(answer), ({ confirmed }) => isTrue(confirmed))

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

const decodeAmounts = decoder(
  "receivable",
  Schema.Struct({ blocks: Schema.Union([Empty, Schema.Record(Schema.String, RawAmount)]) })
)

/** Reads an answer to `receivable` with a threshold: the sends with their amounts, the largest first. */
export const amountsOf = Effect.fnUntraced(function* (answer: RpcAnswer) {
  const { blocks } = yield* decodeAmounts(answer)
  if (blocks === "") return []
  const hashes = yield* decodeHashes(Object.keys(blocks))
  const sends = Object.values(blocks).flatMap((amountRaw, place) => {
    const hash = hashes[place]
    return hash === undefined ? [] : [{ hash, amountRaw }]
  })
  const totalRaw = sends.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
  if (totalRaw > MAX_RAW) return yield* notAnswer("receivable")
  return sends.toSorted((one, other) => (one.amountRaw < other.amountRaw ? 1 : -1))
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
