import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { marked } from "../../mcp/local/failures/marked.ts"
import { StateStore } from "../../mcp/local/ports/StateStore.ts"
import { saveMeta } from "../../mcp/local/state/meta.sql.ts"
import { makeContextReport } from "../../mcp/local/tools/contextReport.ts"
import { type Root, withinPlace } from "./program.ts"

const isProvider = (text: string) => {
  const url = URL.parse(text)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") && url.hash === ""
}

const setProvider = Effect.fnUntraced(function* (url: string) {
  if (!isProvider(url)) {
    return yield* marked("validation", {
      fields: [{ field: "set-nano-rpc", code: "invalid", message: "Name an https address" }]
    })
  }
  const store = yield* StateStore
  yield* store.write((tx) => Effect.sync(() => saveMeta(tx, "nano-rpc", url)))
})

/** Makes the command that tells the identity, its permissions and the release. */
export const status = <E, R>(root: Root<E, R>) =>
  Command.make(
    "status",
    {
      setNanoRpc: Flag.String("set-nano-rpc").pipe(
        Flag.withDescription("The Nano node that purchases ask, https://…"),
        Flag.optional
      )
    },
    ({ setNanoRpc }) =>
      withinPlace(root)(
        Effect.gen(function* () {
          if (setNanoRpc._tag === "Some") yield* setProvider(setNanoRpc.value)
          const { report } = yield* makeContextReport
          yield* Console.log(JSON.stringify(yield* report, null, 2))
        })
      )
  ).pipe(Command.withDescription("Tell the identity, its permissions and the release, as JSON"))
