#!/usr/bin/env node
import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

// Node keeps compiled modules beside the packages, where only the account that installs them can write. They halve the
// processor time of a start. Imports follow the call, because Node compiles static imports before it.
enableCompileCache(fileURLToPath(new URL("../../.cache/pennypress", import.meta.resolve("effect"))))

const [command, ...options] = process.argv.slice(2)

// Serving needs none of the modules of the command line.
if (command === "serve" && options.length === 0) {
  const [{ runProgram }, { serveProgram }] = await Promise.all([
    import("./runProgram.ts"),
    import("./server/serveProgram.ts")
  ])
  runProgram(serveProgram)
} else {
  const { runCommandLine } = await import("./commandLine.ts")
  runCommandLine()
}
