import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

/** A running process, killed with the scope. */
export interface Program {
  readonly pid: number
  /** Returns the next line of standard output, without log lines. Dies with the log when the process ends first. */
  readonly line: Effect.Effect<string>
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  /** Signals the whole process group, as a terminal does on Ctrl-C. */
  readonly interrupt: Effect.Effect<void>
  readonly ended: Effect.Effect<void>
}

const programOf = (child: ChildProcess): Program => {
  if (child.stdout === null || child.stderr === null) throw new Error("the program has no output")
  let log = ""
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()))
  const lines: Array<string> = []
  let wake = () => {}
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (/^\[?\d\d|^\s/.test(line)) log += `${line}\n`
    else lines.push(line)
    wake()
  })
  // Fires after the output has ended.
  const closed = once(child, "close").then(() => wake())
  const next = async (): Promise<string> => {
    while (true) {
      const line = lines.shift()
      if (line !== undefined) return line
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${log}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const pid = child.pid ?? 0
  return {
    pid,
    line: Effect.promise(next),
    kill: (signal) =>
      Effect.sync(() => void child.kill(signal)).pipe(Effect.andThen(Effect.promise(() => closed))),
    interrupt: Effect.sync(() => void process.kill(-pid, "SIGINT")),
    ended: Effect.promise(() => closed)
  }
}

/** Runs a TypeScript file, named from this folder, in a process group of its own. */
export const run = (file: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = fileURLToPath(new URL(file, import.meta.url))
      return programOf(
        spawn(process.execPath, [path, ...args], {
          detached: true,
          stdio: ["ignore", "pipe", "pipe"],
          env: { ...process.env, ...env }
        })
      )
    }),
    (program) => program.kill("SIGKILL")
  )
