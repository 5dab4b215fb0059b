import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { makeContextReport } from "../../mcp/local/tools/contextReport.ts"
import { nanoRpcFlag, saveNanoProvider } from "./nanoProvider.ts"
import { type Root, withinPlace } from "./program.ts"

const SET = "set-nano-rpc"

/** Makes the command that tells the identity, its permissions and the release. */
export const status = <E, R>(root: Root<E, R>) =>
  Command.make(
    "status",
    {
      setNanoRpc: nanoRpcFlag(SET)
    },
    ({ setNanoRpc }) =>
      withinPlace(root)(
        Effect.gen(function* () {
          if (setNanoRpc._tag === "Some") yield* saveNanoProvider(SET, setNanoRpc.value)
          const { report } = yield* makeContextReport
          yield* Console.log(JSON.stringify(yield* report, null, 2))
        })
      )
  ).pipe(Command.withDescription("Print the identity, its permissions and the release as JSON"))
