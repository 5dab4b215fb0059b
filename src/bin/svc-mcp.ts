#!/usr/bin/env node
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { EXIT } from "../mcp/local/failures/markerKind.ts"
import { markers } from "../mcp/local/failures/markers.ts"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

// Standard output of `serve` is the protocol and nothing else, from the first line on.
if (process.argv.includes("serve")) console.log = console.info = console.debug = console.error

// Other lines of Node lack the SQLite that the state is kept in, or warn about it.
if (major !== 24 || minor < 15) {
  const { message, nextStep } = markers["runtime-unsupported"]
  // The Node of the clone in which this file was built, or stands.
  const bundled = fileURLToPath(new URL("../../node_modules/.bin/node", import.meta.url))
  const next = existsSync(bundled) ? `Start it with ${bundled}` : nextStep
  process.stderr.write(`svc-mcp: ${message}, and this is ${process.versions.node}. ${next}.\n`)
  process.exitCode = EXIT.unavailable
} else {
  const { runLocal } = await import("./local/commandLine.ts")
  runLocal()
}
