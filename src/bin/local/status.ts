import { join } from "node:path"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { StateStore } from "../../mcp/local/ports/StateStore.ts"
import { makeContextReport } from "../../mcp/local/tools/contextReport.ts"
import { nanoRpcFlag, saveNanoProvider } from "./nanoProvider.ts"
import { type Root, withinPlace } from "./program.ts"

const SET = "set-nano-rpc"

/** Makes the command that tells the identity, its wallet, its permissions and the release. */
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
          const { directory } = yield* StateStore
          const { report } = yield* makeContextReport([join(directory, "files")])
          yield* Console.log(JSON.stringify(yield* report, null, 2))
        })
      )
  ).pipe(Command.withDescription("Print the identity, its wallet, its permissions and the release as JSON"))
