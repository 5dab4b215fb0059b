import { spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statfsSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Layer, ManagedRuntime, Option, Redacted, References } from "effect"
import { EmbeddedPostgres } from "../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { isPostmaster, runningServer } from "../../layers/postgres/embedded/pidFile.ts"
import { dropTemplate, makeLoginsCheap } from "./Database.ts"
import { fastSettings } from "./fastSettings.ts"

// The space reveals unquoted paths.
const prefix = "pennypress test-"

/** The files of Linux that are kept in memory. */
const MEMORY = "/dev/shm"

/** The folder in which the service keeps its compiled modules, too. */
const COMPILED = fileURLToPath(new URL("../../node_modules/.cache/pennypress", import.meta.url))

/** Room for the databases of a run in bytes: 13 MB for each of its files, and as much again. */
const ROOM = 12 * 1024 ** 3

/** Returns the folder for the server: in memory where there is plenty, as a run writes and removes 200,000 files. */
const parentDirectory = () => {
  if (!existsSync(MEMORY)) return realpathSync(tmpdir())
  const { bavail, bsize } = statfsSync(MEMORY)
  const isRoomy = bavail * bsize > ROOM && process.availableMemory() > ROOM
  return isRoomy ? MEMORY : realpathSync(tmpdir())
}

/** Ends the server of a run and begins to remove its folder. Safe to repeat. */
const discard = (directory: string) => {
  const home = join(directory, "postgres")
  const server = Option.getOrUndefined(runningServer(join(home, "data")))
  if (server !== undefined) {
    process.kill(server.pid, "SIGQUIT")
    // Synchronous, as it also runs when the process exits. Immediate shutdown takes milliseconds.
    for (let tries = 0; tries < 250 && isPostmaster(server.pid, join(home, "data")); tries++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
  // On a disk, the removal takes half a minute, for which no run waits.
  spawn("rm", ["-rf", directory], { detached: true, stdio: "ignore" }).unref()
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Removes the leftovers of killed runs. */
const sweep = () => {
  for (const parent of [realpathSync(tmpdir()), MEMORY].filter((path) => existsSync(path))) {
    for (const name of readdirSync(parent).filter((name) => name.startsWith(prefix))) {
      const directory = join(parent, name)
      try {
        if (!isAlive(Number(readFileSync(join(directory, "postgres", "owner.pid"), "utf8"))))
          discard(directory)
      } catch {
        // A run that is just starting, or one of another user.
      }
    }
  }
}

/** Starts one PostgreSQL for the run, unless `TEST_DATABASE_URL` names one. Each test file makes its own database. */
export default async function setup() {
  process.env["TEST_RUN"] = String(process.pid)
  // Tests start many programs from their sources, and compiled modules that are kept take a third off each start.
  process.env["NODE_COMPILE_CACHE"] ??= COMPILED
  if (process.env["TEST_DATABASE_URL"] !== undefined) return () => Effect.runPromise(dropTemplate)
  sweep()
  const directory = mkdtempSync(join(parentDirectory(), prefix))
  // Under root the server runs as another user, who must reach the folder.
  chmodSync(directory, 0o755)
  const atExit = () => discard(directory)
  process.once("exit", atExit)
  const runtime = ManagedRuntime.make(
    EmbeddedPostgres.layer({
      dataDirectory: directory,
      settings: { ...fastSettings, max_connections: "200" }
    }).pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")))
  )
  const url = await runtime.runPromise(Effect.map(EmbeddedPostgres, ({ url }) => Redacted.value(url)))
  process.env["TEST_DATABASE_URL"] = url
  await Effect.runPromise(makeLoginsCheap)
  return async () => {
    await runtime.dispose()
    discard(directory)
    process.off("exit", atExit)
  }
}
