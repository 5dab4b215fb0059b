import { createHash } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { Clock, Duration, Effect, FileSystem, Option, Path } from "effect"

const readOr = (read: () => string, otherwise: string) => {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** Identifies the processes among which a process id is unique: those of one start of one machine or container. */
const pidSpace = createHash("sha256")
  .update(hostname())
  .update(readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"), ""))
  .update(readOr(() => readlinkSync("/proc/self/ns/pid"), ""))
  .digest("hex")
  .slice(0, 16)

/** Returns the name of a temporary file of a process of this machine. */
export const temporaryName = (pid: number, uuid: string) => `${pidSpace}.${pid}.${uuid}`

/** Sends signal 0, which only asks whether the process exists. */
const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH")
  }
}

const isOfDeadProcess = (name: string) => {
  const [space, pid] = name.split(".")
  return space === pidSpace && /^[1-9]\d{0,9}$/u.test(pid ?? "") && !isAlive(Number(pid))
}

/**
 * Removes temporary files that no process writes any more: those of dead processes of this machine, and those of other
 * machines and containers whose last write is `abandonedAfter` ago. Logs a failure and does not fail.
 */
export const sweepTemporaryFiles = Effect.fnUntraced(
  function* (directory: string, abandonedAfter: Duration.Input) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(abandonedAfter)
    for (const name of yield* fs.readDirectory(directory)) {
      const file = path.join(directory, name)
      // The file may be renamed meanwhile.
      const mtime = yield* Effect.option(Effect.map(fs.stat(file), (info) => info.mtime))
      const isOld = Option.exists(Option.flatten(mtime), (written) => written.getTime() <= before)
      if (isOld || isOfDeadProcess(name)) yield* fs.remove(file, { force: true })
    }
  },
  Effect.ignore({ log: "Warn", message: "Temporary files cannot be swept" })
)
