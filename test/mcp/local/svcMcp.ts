import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

/** The program, as it runs from its sources. */
export const PROGRAM = fileURLToPath(new URL("../../../src/bin/svc-mcp.ts", import.meta.url))

const INHERITED = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" }

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of `svc-mcp` without a terminal, until it ends. */
export const svcMcp = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  input = ""
): Effect.Effect<Ended> =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...INHERITED, ...env }
    })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
    child.stdin.end(input)
    await once(child, "close")
    return { status: child.exitCode, stdout, stderr }
  })
