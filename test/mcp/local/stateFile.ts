import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** Opens the file of a state directory, as its owner could. */
const using = <A>(directory: string, use: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(join(directory, "state.db"), { timeout: 5_000 })
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** Returns the rows of a statement over a state directory. */
export const rowsOf = (directory: string, sql: string, ...values: ReadonlyArray<string>) =>
  using(directory, (database) => database.prepare(sql).all(...values))

/** Returns a secret of a state directory. */
export const secretOf = (directory: string, name: string): string =>
  String(rowsOf(directory, "select value from credentials where name = ?", name)[0]?.["value"])

/** Ends what a process that was killed leaves for its minute: the tests do not wait for it. */
export const endLeases = (directory: string): void =>
  using(directory, (database) =>
    database.exec("delete from leases; update intents set lease_owner = null, lease_ends_at = null")
  )
