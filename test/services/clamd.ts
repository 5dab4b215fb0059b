import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, appendFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"

const PROGRAM = "/usr/sbin/clamd"

/** A clamd for one test, with the settings in this file; it ends with the scope. */
export const ownClamd = Effect.fnUntraced(function* (settings: string) {
  const directory = yield* temporaryDirectory
  const [configuration, path] = [join(directory, "configuration"), join(directory, "socket")]
  copyFileSync(settings, configuration)
  appendFileSync(configuration, `LocalSocket ${path}\n`)
  const child: ChildProcess = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(PROGRAM, [`--config-file=${configuration}`], { stdio: "ignore" })),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const closed = once(child, "close")
        child.kill("SIGKILL")
        await closed
      })
  )
  yield* eventually(
    "clamd listens",
    Effect.sync(() => existsSync(path))
  )
  return {
    path,
    hang: Effect.sync(() => void child.kill("SIGSTOP")),
    resume: Effect.sync(() => void child.kill("SIGCONT")),
    kill: Effect.promise(async () => {
      const closed = once(child, "close")
      child.kill("SIGKILL")
      await closed
    })
  }
})
