import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { startFlags } from "../support/startScript.ts"

const PROGRAM = fileURLToPath(new URL("../../src/bin/pennypress.ts", import.meta.url))

const path = process.env["PATH"]

/** Starts `pennypress serve` with an embedded database, unless the environment names another; kills it with the scope. */
export const serveIn = (dataDirectory: string, environment: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const env = {
        PATH: path,
        PENNYPRESS_DATA: dataDirectory,
        PORT: "0",
        LOG_FORMAT: "json",
        LOG_LEVEL: "debug",
        ...environment
      }
      const child = spawn(process.execPath, [...startFlags, PROGRAM, "serve"], {
        env,
        stdio: ["ignore", "pipe", "pipe"]
      })
      const log: Array<string> = []
      createInterface({ input: child.stderr }).on("line", (line) => log.push(line))
      const lines = createInterface({ input: child.stdout })
      const firstLine = once(lines, "line").then(([line]) => String(line))
      const exit = once(child, "close").then(([code, signal]) => ({ code, signal }))
      return { child, log, firstLine: Effect.promise(() => firstLine), exit: Effect.promise(() => exit) }
    }),
    ({ child, exit }) => Effect.sync(() => child.kill("SIGKILL")).pipe(Effect.andThen(exit))
  )
