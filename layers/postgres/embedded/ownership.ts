import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { DataDirectoryInUse, failure, messageOf } from "./errors.ts"

/** SQLite's code for "someone else holds the lock". */
const sqliteBusy = 5
/** Two that start in the same moment may see each other half way: SQLite tries again for so long. */
const patienceMillis = 200

const isBusy = (cause: unknown) =>
  cause instanceof Error && "errcode" in cause && cause.errcode === sqliteBusy

/** Makes the file ours alone, or any user of the machine could hold it. Opening and closing it would drop its locks. */
const ensureFile = (file: string) => {
  try {
    if (!existsSync(file)) writeFileSync(file, "", { mode: 0o600, flag: "wx" })
  } catch (cause) {
    if (!existsSync(file)) throw cause
  }
}

const ownerOf = (file: string) => {
  try {
    return `process ${readFileSync(file, "utf8").trim()}`
  } catch {
    return "another process"
  }
}

/**
 * Owns a folder until the scope closes, or fails with `DataDirectoryInUse`.
 *
 * Node has no lock that ends with its holder, except the one SQLite takes on its database file: the kernel drops it
 * when the process dies, however it dies, so there are no stale locks and no process ids to compare.
 */
export const own = Effect.fn("own")(function* (home: string) {
  const pidFile = join(home, "owner.pid")
  const lockFile = join(home, "owner.lock")
  yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { DatabaseSync } = await import("node:sqlite")
        ensureFile(lockFile)
        const lock = new DatabaseSync(lockFile, { timeout: patienceMillis })
        try {
          lock.exec("pragma journal_mode = memory; begin exclusive")
          // For people and messages alone.
          writeFileSync(pidFile, `${process.pid}\n`)
          return lock
        } catch (cause) {
          lock.close()
          throw cause
        }
      },
      catch: (cause) =>
        isBusy(cause)
          ? new DataDirectoryInUse({
              dataDirectory: home,
              message:
                `The data directory ${home} is in use by ${ownerOf(pidFile)}. ` +
                `Stop that one, choose another data directory, or set DATABASE_URL to let several share a database.`
            })
          : failure(
              "directory",
              `cannot lock ${home}: ${messageOf(cause)}. Start it as the user who owns it.`
            )
    }),
    (lock) => Effect.sync(() => lock.close())
  )
})
