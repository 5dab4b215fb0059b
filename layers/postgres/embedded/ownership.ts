import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { DataDirectoryInUse, failure, messageOf } from "./errors.ts"

/** SQLite's code for a lock that another process holds. */
const sqliteBusy = 5
/** Time that SQLite retries, because two processes that start together may meet half-way. */
const patienceMillis = 200

const adviceFor = (cause: unknown) =>
  ["EACCES", "EPERM"].includes(String((cause as NodeJS.ErrnoException | null)?.code))
    ? " Start it as the user who owns it."
    : ""

const isBusy = (cause: unknown) =>
  cause instanceof Error && "errcode" in cause && cause.errcode === sqliteBusy

/**
 * Restricts the file to our account, since every user of the machine could lock it otherwise. Opening and closing the
 * file would drop its locks.
 */
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
 * Node itself has no lock that ends with its holder. SQLite locks its database file, and the kernel drops that lock
 * when the process dies in any way. Stale locks therefore cannot remain, and process ids need no comparison.
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
          // For people and messages only.
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
          : failure("directory", `cannot lock ${home}: ${messageOf(cause)}.${adviceFor(cause)}`)
    }),
    (lock) => Effect.sync(() => lock.close())
  )
})
