import { type Duration, Effect, Layer, Redacted, Result, Schema } from "effect"
import { HttpClient } from "effect/http"
import type { ToolFailure } from "../../schemas/mcp/ToolFailure.ts"
import { PRICE_STEP_RAW } from "../../schemas/platform/Nano.ts"
import { BlockWork, SignedBlock } from "../../schemas/platform/NanoBlock.ts"
import { marked } from "../../src/mcp/local/failures/marked.ts"
import { NanoProvider, type PublishAnswer } from "../../src/mcp/local/ports/NanoProvider.ts"
import { StateStore } from "../../src/mcp/local/ports/StateStore.ts"
import { readMeta } from "../../src/mcp/local/state/meta.sql.ts"
import { wholeAnswers } from "../../src/platform/http-client/wholeAnswers.ts"
import { blockHash, workDifficulty } from "../../src/platform/nano/blocks.ts"
import { amountsOf, contentsOf, frontierOf, isConfirmedIn, publishedOf, refusals } from "./rpcAnswers.ts"
import { type RpcAction, type RpcAnswer, RpcError, RpcFailure, sendWith } from "./rpcCall.ts"
import { parseRpcUrls } from "./rpcUrl.ts"

/** Time for an answer, and for work, which a node may have to make. */
const PATIENCE = "5 seconds"
const WORK_PATIENCE = "60 seconds"

/** Maximum number of bytes of an answer. */
const ANSWER_BYTES_MAX = 1024 * 1024

/** Maximum number of sends that are listed. Smaller amounts than this are not: they would cost more work than they buy. */
const RECEIVABLE_MAX = 100
const RECEIVABLE_MIN_RAW = PRICE_STEP_RAW

const encodeBlock = Schema.encodeSync(SignedBlock)
const decodeWork = Schema.decodeUnknownEffect(Schema.Struct({ work: BlockWork }))

/** Names the reason in the log, which never has a URL, and tells the tool that the node is unavailable. */
const away = (error: unknown) => {
  const detail = error instanceof RpcFailure ? `${error.reason} ${error.detail}` : "not an answer"
  return Effect.andThen(
    Effect.logWarning(`A call to the Nano provider failed: ${detail}`),
    Effect.fail(marked("service-unavailable"))
  )
}

/** Returns an answer in place of an error with these words. */
const saying =
  <A>(words: string, answer: A) =>
  <B, E, R>(effect: Effect.Effect<B, E, R>) =>
    Effect.catchIf(
      effect,
      (error) => error instanceof RpcError && error.words === words,
      () => Effect.succeed(answer)
    )

/** Returns the judgement of a block in an error; undefined for an error of the node's own. */
const judgementOf = (words: string): PublishAnswer | undefined => {
  if (words === "Old block") return "accepted"
  if (words === "Fork") return "fork"
  if (words.startsWith("Gap ")) return "gap"
  return refusals.has(words) ? "refused" : undefined
}

const make = Effect.gen(function* () {
  const store = yield* StateStore
  const send = sendWith(wholeAnswers(ANSWER_BYTES_MAX)(yield* HttpClient.HttpClient))

  // Read for each call: a person may name another node while the server runs.
  const servers = store
    .read((tx) => Effect.succeed(readMeta(tx, "nano-rpc")))
    .pipe(
      Effect.flatMap((urls) => {
        const parsed = urls === undefined ? undefined : parseRpcUrls(Redacted.make(urls), "http")
        return parsed === undefined || Result.isFailure(parsed)
          ? Effect.fail(marked("nano-provider-not-configured"))
          : Effect.succeed(parsed.success)
      })
    )

  /** Asks the nodes in their order until one answers. */
  const ask = Effect.fnUntraced(function* (action: RpcAction, patience: Duration.Input) {
    const [first, ...others] = yield* servers
    return yield* others.reduce(
      (earlier, server) => Effect.catchTag(earlier, "RpcFailure", () => send(server, action, patience)),
      send(first, action, patience) as Effect.Effect<RpcAnswer, RpcFailure | RpcError>
    )
  })

  const answered = <A>(answer: Effect.Effect<A, RpcError | RpcFailure | ToolFailure>) =>
    Effect.catchTag(answer, ["RpcError", "RpcFailure"], away)

  const blockInfo = (hash: string) => ask({ action: "block_info", json_block: "true", hash }, PATIENCE)

  return NanoProvider.of({
    account: Effect.fn("NanoProviderRpc.account")((account) =>
      ask({ action: "account_info", account }, PATIENCE).pipe(
        Effect.flatMap(frontierOf),
        Effect.flatMap((frontier) =>
          Effect.map(
            Effect.flatMap(blockInfo(frontier), (answer) => contentsOf(answer, frontier)),
            ({ account: owner, balance, representative }) => ({ owner, frontier, balance, representative })
          )
        ),
        Effect.filterOrFail(
          ({ owner }) => owner === account,
          () => new RpcFailure({ reason: "protocol", detail: "the frontier of another account" })
        ),
        Effect.map(({ balance, frontier, representative }) => ({
          frontier,
          representative,
          balanceRaw: balance
        })),
        saying("Account not found", undefined),
        answered
      )
    ),

    receivable: Effect.fn("NanoProviderRpc.receivable")((account) =>
      ask(
        {
          action: "receivable",
          account,
          count: String(RECEIVABLE_MAX),
          threshold: String(RECEIVABLE_MIN_RAW),
          sorting: "true",
          include_only_confirmed: "true"
        },
        PATIENCE
      ).pipe(Effect.flatMap(amountsOf), saying("Account not found", []), answered)
    ),

    work: Effect.fn("NanoProviderRpc.work")((hash, threshold, isLeast) =>
      ask(
        { action: "work_generate", hash, difficulty: threshold.toString(16).padStart(16, "0") },
        WORK_PATIENCE
      ).pipe(
        Effect.flatMap(decodeWork),
        Effect.filterOrFail(
          ({ work }) => !isLeast || workDifficulty(hash, work) >= threshold,
          () => new RpcFailure({ reason: "protocol", detail: "not enough work" })
        ),
        Effect.map(({ work }) => work),
        Effect.catchTag("SchemaError", away),
        answered
      )
    ),

    block: Effect.fn("NanoProviderRpc.block")((hash) =>
      blockInfo(hash).pipe(
        Effect.tap((answer) => contentsOf(answer, hash)),
        Effect.flatMap(isConfirmedIn),
        Effect.map((isConfirmed) => (isConfirmed ? ("confirmed" as const) : ("pending" as const))),
        saying("Block not found", "absent" as const),
        answered
      )
    ),

    publish: Effect.fn("NanoProviderRpc.publish")((block, subtype) =>
      ask({ action: "process", json_block: "true", subtype, block: encodeBlock(block) }, PATIENCE).pipe(
        Effect.flatMap((answer) => publishedOf(answer, blockHash(block))),
        Effect.catchTag("RpcError", (error) => {
          const judgement = judgementOf(error.words)
          return judgement === undefined ? Effect.fail(error) : Effect.succeed(judgement)
        }),
        answered
      )
    )
  })
})

/** The node whose address the state has. It is asked as wallets ask. */
export const layer = Layer.effect(NanoProvider, make)
