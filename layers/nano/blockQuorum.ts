import { type Array, Effect, Option, Result, Stream } from "effect"
import type { BlockHash } from "../../schemas/platform/NanoBlock.ts"
import type { LedgerBlock } from "../../src/platform/ports/NanoLedger.ts"
import { blockOf } from "./rpcAnswers.ts"
import { RpcFailure } from "./rpcCall.ts"
import { firstAnswer, type RpcNode, type RpcQuestion } from "./rpcNodes.ts"

const questionOf = (hash: BlockHash): RpcQuestion<Option.Option<LedgerBlock>, never> => ({
  action: { action: "block_info", json_block: "true", hash },
  read: (answer) => blockOf(answer, hash),
  readError: (words) => (words === "Block not found" ? Effect.succeedNone : undefined)
})

/** The hash proves the rest of a block. */
const saysTheSame = (one: LedgerBlock, other: LedgerBlock) =>
  one.isConfirmed === other.isConfirmed && one.amountRaw === other.amountRaw && one.subtype === other.subtype

type Answers = ReadonlyArray<Option.Option<LedgerBlock>>

/** Nodes, and the number of them that must agree. */
interface Quorum {
  readonly nodes: number
  readonly quorum: number
}

/**
 * Returns what the ledger says of a block, once the nodes without an answer cannot change it: enough nodes call it
 * confirmed and say the same of it, or enough lack it, or too few are left to confirm it. Otherwise it is unknown.
 */
const verdictOf = (answers: Answers, { nodes, quorum }: Quorum): Option.Option<LedgerBlock> | undefined => {
  const found = answers.flatMap(Option.toArray)
  const agreeing = (one: LedgerBlock) => found.filter((other) => saysTheSame(one, other)).length
  const confirmed = found.filter(({ isConfirmed }) => isConfirmed)
  const agreed = confirmed.find((block) => agreeing(block) >= quorum)
  if (agreed !== undefined) return Option.some(agreed)
  if (answers.length - found.length >= quorum) return Option.none()
  const most = Math.max(0, ...confirmed.map(agreeing))
  const [first] = found
  return first !== undefined && most + nodes - answers.length < quorum
    ? Option.some({ ...first, isConfirmed: false })
    : undefined
}

/**
 * Reads a block from all nodes at the same time, so a node that does not answer delays only what depends on it. Fails if
 * the answers decide nothing, because a block that too few nodes could be asked about is not unconfirmed, but unknown.
 * Without a quorum of more than one node, the first answer decides.
 */
export const readBlock = Effect.fnUntraced(function* (
  nodes: Array.NonEmptyReadonlyArray<RpcNode>,
  quorum: number,
  hash: BlockHash
): Effect.fn.Return<Option.Option<LedgerBlock>, RpcFailure> {
  const question = questionOf(hash)
  if (quorum === 1) return yield* firstAnswer(nodes, question)
  const answers: Array<Option.Option<LedgerBlock>> = []
  let failure = new RpcFailure({ reason: "unreachable", detail: "no answer" })
  const decide = () => verdictOf(answers, { nodes: nodes.length, quorum })
  yield* Stream.fromIterable(nodes).pipe(
    Stream.mapEffect((node) => Effect.result(node.ask(question)), {
      concurrency: "unbounded",
      unordered: true
    }),
    Stream.takeUntil((answer) => {
      if (Result.isSuccess(answer)) answers.push(answer.success)
      else failure = answer.failure
      return decide() !== undefined
    }),
    Stream.runDrain
  )
  return decide() ?? (yield* failure)
})
