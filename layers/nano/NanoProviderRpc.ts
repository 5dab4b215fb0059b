import { type Duration, Effect, Layer, Redacted, Result, Schema } from "effect"
import { HttpClient } from "effect/http"
import { NanoAddress, RawAmount } from "../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork } from "../../schemas/platform/NanoBlock.ts"
import { marked } from "../../src/mcp/local/failures/marked.ts"
import { NanoProvider } from "../../src/mcp/local/ports/NanoProvider.ts"
import { StateStore } from "../../src/mcp/local/ports/StateStore.ts"
import { readMeta } from "../../src/mcp/local/state/meta.sql.ts"
import { wholeAnswers } from "../../src/platform/http-client/wholeAnswers.ts"
import { workDifficulty } from "../../src/platform/nano/blocks.ts"
import { type RpcAction, type RpcAnswer, RpcError, RpcFailure, sendWith } from "./rpcCall.ts"
import { parseRpcUrls } from "./rpcUrl.ts"

/** Time for an answer, and for work, which a node may have to make. */
const PATIENCE = "5 seconds"
const WORK_PATIENCE = "60 seconds"

/** Maximum number of bytes of an answer. */
const ANSWER_BYTES_MAX = 1024 * 1024

const NOT_FOUND = "Account not found"

const Head = Schema.Struct({ frontier: BlockHash, balance: RawAmount, representative: NanoAddress })
const decodeHead = Schema.decodeUnknownEffect(Head)
const decodeWork = Schema.decodeUnknownEffect(Schema.Struct({ work: BlockWork }))

/** Names the reason in the log, which never has a URL, and tells the tool that the node is unavailable. */
const away = (error: unknown) => {
  const detail = error instanceof RpcFailure ? `${error.reason} ${error.detail}` : "not an answer"
  return Effect.andThen(
    Effect.logWarning(`The Nano provider: ${detail}`),
    Effect.fail(marked("service-unavailable"))
  )
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

  return NanoProvider.of({
    account: Effect.fn("NanoProviderRpc.account")((account) =>
      ask({ action: "account_info", account, representative: "true" }, PATIENCE).pipe(
        Effect.flatMap(decodeHead),
        Effect.map(({ balance, frontier, representative }) => ({
          frontier,
          representative,
          balanceRaw: balance
        })),
        Effect.catchIf(
          (error) => error instanceof RpcError && error.words === NOT_FOUND,
          () => Effect.undefined
        ),
        Effect.catchTag(["RpcError", "RpcFailure", "SchemaError"], away)
      )
    ),

    work: Effect.fn("NanoProviderRpc.work")((hash, threshold) =>
      ask(
        { action: "work_generate", hash, difficulty: threshold.toString(16).padStart(16, "0") },
        WORK_PATIENCE
      ).pipe(
        Effect.flatMap(decodeWork),
        Effect.filterOrFail(
          ({ work }) => workDifficulty(hash, work) >= threshold,
          () => new RpcFailure({ reason: "protocol", detail: "not enough work" })
        ),
        Effect.map(({ work }) => work),
        Effect.catchTag(["RpcError", "RpcFailure", "SchemaError"], away)
      )
    )
  })
})

/** The node whose address the state has. It is asked as wallets ask. */
export const layer = Layer.effect(NanoProvider, make)
