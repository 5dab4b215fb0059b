import { type Array, Effect, Option, Result } from "effect"
import type { BlockHash } from "../../schemas/platform/NanoBlock.ts"
import type { LedgerBlock } from "../../src/platform/ports/NanoLedger.ts"
import { blockOf } from "./rpcAnswers.ts"
import type { RpcFailure } from "./rpcCall.ts"
import type { RpcNode, RpcQuestion } from "./rpcNodes.ts"

const questionOf = (hash: BlockHash): RpcQuestion<Option.Option<LedgerBlock>, never> => ({
  action: { action: "block_info", json_block: "true", hash },
  read: (answer) => blockOf(answer, hash),
  readError: (words) => (words === "Block not found" ? Effect.succeedNone : undefined)
})

/** The hash proves the rest of a block. */
const saysTheSame = (one: LedgerBlock, other: LedgerBlock) =>
  one.amountRaw === other.amountRaw && one.subtype === other.subtype

/**
 * Reads a block from the nodes in their order. It counts as confirmed once enough of them call it confirmed and say
 * the same of it. Without a quorum of more than one node the first answer decides. Fails when no node answers.
 */
export const readBlock = Effect.fnUntraced(function* (
  nodes: Array.NonEmptyReadonlyArray<RpcNode>,
  quorum: number,
  hash: BlockHash
) {
  let found: Option.Option<LedgerBlock> = Option.none()
  let failure: RpcFailure | undefined
  let answers = 0
  let confirmations = 0
  for (const [index, node] of nodes.entries()) {
    const opinion = yield* Effect.result(node.ask(questionOf(hash)))
    if (Result.isFailure(opinion)) {
      failure = opinion.failure
      continue
    }
    answers++
    found = Option.orElse(found, () => opinion.success)
    const agrees = Option.exists(
      opinion.success,
      (block) => block.isConfirmed && Option.exists(found, (it) => saysTheSame(it, block))
    )
    if (agrees) confirmations++
    const isOutOfReach = confirmations + nodes.length - index - 1 < quorum
    if (quorum === 1 || confirmations >= quorum || isOutOfReach) break
  }
  if (answers === 0 && failure !== undefined) return yield* failure
  return Option.map(found, (block): LedgerBlock => ({ ...block, isConfirmed: confirmations >= quorum }))
})
