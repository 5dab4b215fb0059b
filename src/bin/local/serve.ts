import { statSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Logger, Stdio } from "effect"
import { Command, Flag } from "effect/cli"
import * as ArchiveZip from "../../../layers/archives/ArchiveZip.ts"
import * as BrowserNode from "../../../layers/local/BrowserNode.ts"
import * as LocalFilesNode from "../../../layers/local/LocalFilesNode.ts"
import { marked } from "../../mcp/local/failures/marked.ts"
import { readArguments, server } from "../../mcp/local/layer.ts"
import { StateStore } from "../../mcp/local/ports/StateStore.ts"
import { type ToolsetName, TOOLSETS } from "../../mcp/local/toolsets.ts"
import { wholeLines } from "../../mcp/local/wholeLines.ts"
import { Path, textFlag } from "../arguments/checkedArguments.ts"
import { type Root, withinPlace } from "./program.ts"

/**
 * The files, the archives and the browser that tools use. Files are uploaded from these directories; without any, from
 * `files` in the state directory.
 */
const toolPorts = (roots: ReadonlyArray<string>) =>
  Layer.mergeAll(
    ArchiveZip.layer,
    BrowserNode.layer,
    Layer.unwrap(
      Effect.map(StateStore, ({ directory }) =>
        LocalFilesNode.layer({
          roots: roots.length === 0 ? [join(directory, "files")] : roots,
          downloads: join(directory, "downloads")
        })
      )
    )
  )

const isDirectory = (path: string) => {
  try {
    return statSync(path).isDirectory()
  } catch {
    // It is not there, or has a name that no directory can have.
    return false
  }
}

/** Checks that each directory of uploads exists, as one that does not would refuse every file. */
const requireDirectories = (roots: ReadonlyArray<string>) => {
  const wrong = roots.find((root) => !isDirectory(root))
  const message = "Name a directory that exists"
  return wrong === undefined
    ? Effect.void
    : Effect.fail(marked("validation", { fields: [{ field: "files", code: "invalid", message }] }))
}

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
      files: textFlag("files", Path).pipe(
        Flag.withDescription("A directory from which files may be uploaded; may be repeated"),
        Flag.atLeast(0)
      ),
      isReadOnly: Flag.Boolean("read-only").pipe(
        Flag.withDescription("List only tools that read"),
        Flag.withDefault(false)
      )
    },
    Effect.fnUntraced(function* ({ files, isReadOnly, toolsets }) {
      yield* requireDirectories(files)
      const selection = { toolsets: yield* selected(toolsets), isReadOnly }
      const guarded = Layer.effect(
        Stdio.Stdio,
        Effect.map(Stdio.Stdio, (stdio) => wholeLines(stdio, readArguments))
      )
      return yield* withinPlace(root)(
        Layer.launch(
          server(selection).pipe(
            Layer.provide([guarded, Logger.layer([Logger.consoleJson]), toolPorts(files)])
          )
        )
      )
    })
  ).pipe(Command.withDescription("Serve the tools over standard input and output"))
