#!/usr/bin/env -S node --max-semi-space-size=8
// The whole module, as older versions of Node lack `enableCompileCache` and would show a stack.
import * as nodeModule from "node:module"
import { resolve } from "node:path"
import { env } from "node:process"
import { fileURLToPath } from "node:url"

/** The oldest Node.js, as in package.json. */
const OLDEST = { major: 22, minor: 19 }

const { node } = process.versions
const [major = 0, minor = 0] = node.split(".").map(Number)
if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
  process.stderr.write(
    `pennypress: Node.js ${node} is too old; install Node.js ${OLDEST.major}.${OLDEST.minor} or newer.\n`
  )
  process.exit(1)
}

// Node keeps compiled modules beside the packages, where only the account that installs them can write. They halve the
// processor time of a start. Imports follow the call, because Node compiles static imports before it. Threads read the
// variable: without it each of them loads Node's compiler of TypeScript, 12 MB. `npm start` sets it for this module, too.
env["NODE_COMPILE_CACHE"] = resolve(
  env["NODE_COMPILE_CACHE"] ??
    fileURLToPath(new URL("../../.cache/pennypress", import.meta.resolve("effect")))
)
nodeModule.enableCompileCache()

const [command, ...options] = process.argv.slice(2)

// Serving needs none of the modules of the command line.
if (command === "serve" && options.length === 0) {
  const [{ runProgram }, { serveProgram }] = await Promise.all([
    import("./runProgram.ts"),
    import("./serveProgram.ts")
  ])
  runProgram(serveProgram)
} else {
  const { runCommandLine } = await import("./commandLine.ts")
  runCommandLine()
}
