import { Effect, Option } from "effect"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { BlockWork } from "../../../schemas/platform/NanoBlock.ts"
import { workDifficulty } from "../../platform/nano/blocks.ts"
import { isConfirmed, type LedgerBook, type LedgerEntry } from "../../platform/ports/DevelopmentLedger.ts"
import type { LedgerUnavailable } from "../../platform/ports/NanoLedger.ts"
import { now } from "../../platform/time/now.ts"
import { accountInfo, blockInfo, historyLine, listOf, type NodeAnswer, objectOf } from "./nodeAnswers.ts"
import {
  accountOf,
  amountOf,
  blockOf,
  countOf,
  flagOf,
  hashOf,
  headOf,
  NodeError,
  type NodeRequest,
  subtypeOf,
  thresholdOf
} from "./nodeRequest.ts"

type Action = (request: NodeRequest) => Effect.Effect<NodeAnswer, NodeError | LedgerUnavailable>

/** The maximum raw that one call of the faucet gives: 1000 XNO. */
export const FAUCET_MAX_RAW = 1000n * RAW_PER_XNO
/** Maximum number of sends that are summed up as receivable. */
const RECEIVABLE_MAX = 1000
const ANY_WORK = BlockWork.make("0".repeat(16))

const nodeError = (words: string) => new NodeError({ words })

/** Makes the actions of a Nano node that wallets need, and the faucet, over the development ledger. */
export const nodeActions = (book: LedgerBook): Readonly<Record<string, Action>> => {
  const accountInfoAction: Action = Effect.fnUntraced(function* (request) {
    const account = yield* accountOf(request)
    const [head] = yield* book.chain(account, 1)
    if (head === undefined) return yield* nodeError("Account not found")
    const [first = head] = yield* book.chain(account, 1, 1)
    const confirmed = Option.getOrUndefined(yield* book.confirmedHead(account))
    const isReceivableToo = flagOf(request, "receivable", flagOf(request, "pending"))
    const waiting = isReceivableToo ? yield* book.receivable(account, RECEIVABLE_MAX) : []
    return accountInfo(
      { head, first, confirmed },
      {
        isConfirmedToo: flagOf(request, "include_confirmed"),
        isRepresentativeToo: flagOf(request, "representative"),
        receivable: isReceivableToo
          ? waiting.reduce((sum, { amountRaw }) => sum + amountRaw, 0n).toString()
          : undefined
      }
    )
  })

  const blockInfoAction: Action = Effect.fnUntraced(function* (request) {
    const found = yield* book.entry(yield* hashOf(request))
    if (Option.isNone(found)) return yield* nodeError("Block not found")
    const entry = found.value
    const [next] = yield* book.chain(entry.account, 1, entry.height + 1)
    const successor = next?.height === entry.height ? undefined : next
    return blockInfo(entry, successor, yield* now, flagOf(request, "json_block"))
  })

  const receivable: Action = Effect.fnUntraced(function* (request) {
    const account = yield* accountOf(request)
    const threshold = yield* thresholdOf(request)
    const at = yield* now
    const isConfirmedOnly = flagOf(request, "include_only_confirmed", true)
    const isListed = (entry: LedgerEntry) =>
      entry.amountRaw >= Option.getOrElse(threshold, () => 0n) && (!isConfirmedOnly || isConfirmed(entry, at))
    const sends = (yield* book.receivable(account, RECEIVABLE_MAX))
      .filter(isListed)
      .slice(0, yield* countOf(request))
    if (flagOf(request, "source")) {
      const withSource = sends.map(
        ({ amountRaw, block, hash }) =>
          [hash, { amount: amountRaw.toString(), source: block.account }] as const
      )
      return { blocks: objectOf(withSource) }
    }
    return Option.isSome(threshold)
      ? { blocks: objectOf(sends.map(({ amountRaw, hash }) => [hash, amountRaw.toString()] as const)) }
      : { blocks: listOf(sends.map(({ hash }) => hash)) }
  })

  const accountHistory: Action = Effect.fnUntraced(function* (request) {
    const account = yield* accountOf(request)
    const count = yield* countOf(request)
    const from = yield* headOf(request)
    const head = Option.isNone(from) ? Option.none() : yield* book.entry(from.value)
    const isFound = Option.exists(head, (entry) => entry.account === account)
    if (Option.isSome(from) && !isFound) return yield* nodeError("Block not found")
    const height = Option.getOrUndefined(Option.map(head, (entry) => entry.height))
    const chain = yield* book.chain(account, count + 1, height)
    if (chain.length === 0) return yield* nodeError("Account not found")
    const at = yield* now
    const isRaw = flagOf(request, "raw")
    const shown = chain.slice(0, count).filter(({ subtype }) => isRaw || subtype !== "change")
    const history = yield* Effect.forEach(shown, (entry) => {
      const isPocket = entry.subtype === "receive" || entry.subtype === "open"
      return Effect.map(isPocket ? book.entry(entry.block.link) : Effect.succeedNone, (source) =>
        historyLine(entry, Option.getOrUndefined(source), at, isRaw)
      )
    })
    const next = chain[count]
    return {
      account: chain[0]?.block.account ?? "",
      history: listOf(history),
      ...(next === undefined ? {} : { previous: next.hash })
    }
  })

  const process: Action = Effect.fnUntraced(
    function* (request) {
      const block = yield* blockOf(request)
      return { hash: (yield* book.process(block, yield* subtypeOf(request))).hash }
    },
    Effect.catchTag("BlockRefused", ({ words }) => nodeError(words))
  )

  const faucet: Action = Effect.fnUntraced(
    function* (request) {
      const account = yield* accountOf(request)
      const amount = yield* amountOf(request)
      if (amount === 0n || amount > FAUCET_MAX_RAW) {
        return yield* nodeError(`Bad amount number: the faucet gives 1 to ${FAUCET_MAX_RAW} raw`)
      }
      return { hash: (yield* book.faucet(account, amount)).hash }
    },
    Effect.catchTag("BlockRefused", () => nodeError("The faucet is empty"))
  )

  const workGenerate: Action = (request) =>
    Effect.map(hashOf(request), (hash) => ({
      work: ANY_WORK,
      difficulty: workDifficulty(hash, ANY_WORK).toString(16).padStart(16, "0"),
      multiplier: "1",
      hash
    }))

  return {
    account_info: accountInfoAction,
    account_history: accountHistory,
    block_info: blockInfoAction,
    faucet,
    pending: receivable,
    process,
    receivable,
    work_generate: workGenerate
  }
}
