import { Effect, Layer, Schema, Semaphore } from "effect"
import { type BlockHash, BlockWork } from "../../schemas/platform/NanoBlock.ts"
import { workDifficulty } from "../../src/platform/nano/blocks.ts"
import { WorkMaker, WorkUnavailable } from "../../src/platform/ports/WorkMaker.ts"
import { connectRpc } from "./connectRpc.ts"
import { RpcFailure, shownWords } from "./rpcCall.ts"
import { makePool, type RpcMember } from "./rpcPool.ts"
import type { RpcServers } from "./rpcUrl.ts"

/** Time for one server to make work. */
const PATIENCE = "20 seconds"

/** Works that are made at the same time. */
const AT_ONCE = 4

const decodeWork = Schema.decodeUnknownEffect(Schema.Struct({ work: BlockWork }))

const failed = (reason: RpcFailure["reason"], detail: string) =>
  Effect.fail(new RpcFailure({ reason, detail }))

const unavailable = ({ reason }: RpcFailure) => {
  switch (reason) {
    case "unreachable":
    case "timeout":
    case "protocol":
      return new WorkUnavailable({ reason })
    default:
      return new WorkUnavailable({ reason: "refused" })
  }
}

const make = Effect.fnUntraced(function* (servers: RpcServers) {
  const send = yield* connectRpc
  const [first, ...others] = yield* makePool(servers, "work")
  const turns = yield* Semaphore.make(AT_ONCE)

  const askOne = ({ ask }: RpcMember, root: BlockHash, threshold: bigint) =>
    ask("work_generate", (server) =>
      Effect.gen(function* () {
        const difficulty = threshold.toString(16).padStart(16, "0")
        const answer = yield* send(server, { action: "work_generate", hash: root, difficulty }, PATIENCE)
        const { work } = yield* decodeWork(answer)
        // A server may make work for another network.
        if (workDifficulty(root, work) < threshold) return yield* failed("protocol", "not enough work")
        return work
      }).pipe(
        Effect.catchTags({
          RpcError: ({ words }) => failed("error", shownWords(words)),
          SchemaError: () => failed("protocol", "not an answer to work_generate")
        })
      )
    )

  return WorkMaker.of({
    kind: "server",
    make: Effect.fn("WorkMakerHttp.make")(
      (root, threshold) =>
        others.reduce(
          (earlier, member) => Effect.catch(earlier, () => askOne(member, root, threshold)),
          askOne(first, root, threshold)
        ),
      Effect.mapError(unavailable),
      turns.withPermits(1)
    )
  })
})

/** Servers that answer `work_generate`, asked in their order until one makes work. Four works are made at a time. */
export const layer = (servers: RpcServers) => Layer.effect(WorkMaker, make(servers))
