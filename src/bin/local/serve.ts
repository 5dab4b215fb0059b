import { Effect, Layer, Logger, Stdio } from "effect"
import { Command, Flag } from "effect/cli"
import { marked } from "../../mcp/local/failures/marked.ts"
import { server } from "../../mcp/local/layer.ts"
import { wholeLines } from "../../mcp/local/stdio/wholeLines.ts"
import { TOOLSETS, type ToolsetName } from "../../mcp/local/toolsets.ts"
import { assembly, type Root } from "./program.ts"
import { toolPorts } from "./toolPorts.ts"

const isToolset = (name: string): name is ToolsetName => TOOLSETS.some((toolset) => toolset === name)

const selected = Effect.fnUntraced(function* (names: string) {
  const wanted = names.split(",").map((name) => name.trim())
  const unknown = wanted.find((name) => !isToolset(name))
  if (unknown !== undefined) {
    const message = `The toolsets are ${TOOLSETS.join(", ")}`
    return yield* marked("validation", { fields: [{ field: "toolsets", code: "unknown", message }] })
  }
  return new Set(wanted.filter(isToolset))
})

/** Makes the command that serves the tools over standard input and output. */
export const serve = <E, R>(root: Root<E, R>) =>
  Command.make(
    "serve",
    {
      toolsets: Flag.String("toolsets").pipe(
        Flag.withDescription(`Tools to list: ${TOOLSETS.join(",")}`),
        Flag.withDefault(TOOLSETS.join(","))
      ),
      files: Flag.String("files").pipe(
        Flag.withDescription("A directory from which files may be uploaded; may be repeated"),
        Flag.atLeast(0)
      ),
      isReadOnly: Flag.Boolean("read-only").pipe(
        Flag.withDescription("List only tools that read"),
        Flag.withDefault(false)
      )
    },
    Effect.fnUntraced(function* ({ files, isReadOnly, toolsets }) {
      const place = yield* root
      const selection = { toolsets: yield* selected(toolsets), isReadOnly }
      const guarded = Layer.effect(Stdio.Stdio, Effect.map(Stdio.Stdio, wholeLines))
      return yield* Layer.launch(
        server(selection).pipe(
          Layer.provide([guarded, Logger.layer([Logger.consoleJson]), toolPorts(files)]),
          Layer.provide(assembly(place))
        )
      )
    })
  ).pipe(Command.withDescription("Serve the tools over standard input and output"))
