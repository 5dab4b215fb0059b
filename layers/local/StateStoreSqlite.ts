import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Cause, Clock, Effect, Exit, Layer } from "effect"
import { ToolFailure } from "../../schemas/mcp/ToolFailure.ts"
import { marked } from "../../src/mcp/local/failures/marked.ts"
import { type Body, StateStore, type Transaction, type Value } from "../../src/mcp/local/ports/StateStore.ts"
import { readMeta, saveMeta } from "../../src/mcp/local/state/meta.sql.ts"
import { STATE_VERSION, TABLES } from "../../src/mcp/local/state/tables.sql.ts"
import { openStateDirectory, type StateDirectory } from "./stateDirectory.ts"

export interface StateOptions {
  readonly directory: string
  /** The origin that the state is for, for good. */
  readonly origin: string
}

/** Milliseconds for which a transaction waits for another process. */
const BUSY_MILLIS = 2_000

const NO_SPACE = "Free space on the disk, then try again"
const LOCKED = "End the process that locks the state, or wait until it ends, then try again"
const READ_ONLY =
  "Let this account write to the state directory, whose disk or modes forbid it, then try again"
const BROKEN_DISK = "Free space on the disk, and check it for errors, then try again"

/** Advice to a person about an error of SQLite, by its primary code, or of the file system. */
const REMEDIES: Readonly<Record<string, string>> = {
  3: READ_ONLY,
  5: LOCKED,
  6: LOCKED,
  8: READ_ONLY,
  10: BROKEN_DISK,
  13: NO_SPACE,
  14: READ_ONLY,
  EACCES: READ_ONLY,
  EDQUOT: NO_SPACE,
  EFBIG: NO_SPACE,
  EIO: BROKEN_DISK,
  ENOSPC: NO_SPACE,
  EPERM: READ_ONLY,
  EROFS: READ_ONLY
}

/** The codes of SQLite for a file that is no database, or a damaged one. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26])

const codeOf = (error: unknown) => {
  if (!(error instanceof Error)) return undefined
  // The upper bytes say more than is needed.
  if ("errcode" in error) return Number(error.errcode) & 0xff
  return "code" in error ? String(error.code) : undefined
}

/** Returns the failure for an error of SQLite or of the file system: locked, full, read-only, damaged. */
const unavailable = (error: unknown) => {
  if (error instanceof ToolFailure) return error
  const code = codeOf(error)
  if (DAMAGED.has(code)) return marked("state-damaged")
  const nextStep = code === undefined ? undefined : REMEDIES[code]
  return marked("state-unavailable", nextStep === undefined ? {} : { nextStep })
}

const attempt = <A>(run: () => A) => Effect.try({ try: run, catch: unavailable })

const isSqlite = (error: unknown) => error instanceof Error && "errcode" in error

const open = (file: string) => {
  // Loaded here, so that a Node without it gets as far as the message about its version.
  const sqlite = process.getBuiltinModule("node:sqlite")
  const database = new sqlite.DatabaseSync(file, { timeout: BUSY_MILLIS })
  // A commit is on the disk when it returns, and so is the removal of its journal.
  database.exec(
    "pragma journal_mode = delete; pragma synchronous = extra; pragma secure_delete = on; pragma trusted_schema = off"
  )
  return database
}

/** Makes the transactions of a database. Statements are prepared once. */
const transactions = (database: DatabaseSync) => {
  const prepared = new Map<string, StatementSync>()
  const statement = (sql: string) => {
    const known = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, known)
    return known
  }

  const at = (now: number): Transaction => ({
    now,
    first: (sql, ...values) => statement(sql).get(...(values as Array<Value>)),
    all: (sql, ...values) => statement(sql).all(...(values as Array<Value>)),
    run: (sql, ...values) => Number(statement(sql).run(...(values as Array<Value>)).changes)
  })

  /** Runs a body between BEGIN and COMMIT, and undoes it unless it succeeds. */
  const within = <A>(begin: string, body: () => A, isDone: (answer: A) => boolean): A => {
    database.exec(begin)
    let isCommitted = false
    try {
      const answer = body()
      if (isDone(answer)) {
        database.exec("commit")
        isCommitted = true
      }
      return answer
    } finally {
      // SQLite itself undoes a transaction after some errors.
      if (!isCommitted && database.isTransaction) database.exec("rollback")
    }
  }
  return { at, within }
}

interface Opened {
  readonly database: DatabaseSync
  readonly directory: StateDirectory
}

/** Makes the tables of a new database, and checks that an older one is for this origin and of a known version. */
const prepare = (
  { at, within }: ReturnType<typeof transactions>,
  { database, directory }: Opened,
  origin: string,
  now: number
) => {
  within(
    "begin immediate",
    () => {
      const tx = at(now)
      const isNew = tx.first(`select 1 from sqlite_schema where name = 'meta'`) === undefined
      if (isNew && directory.isComplete) throw marked("state-damaged")
      if (isNew) {
        database.exec(TABLES)
        saveMeta(tx, "version", String(STATE_VERSION))
        saveMeta(tx, "origin", origin)
        saveMeta(tx, "installation", randomUUID().slice(0, 8))
        saveMeta(tx, "last-seen", String(now))
      }
      // A version that is not a number was not written by this program, either.
      if (!(Number(readMeta(tx, "version")) <= STATE_VERSION)) throw marked("state-newer")
      if (readMeta(tx, "origin") !== origin) throw marked("origin-mismatch")
    },
    () => true
  )
  directory.complete()
}

const make = Effect.fnUntraced(function* (options: StateOptions) {
  const now = yield* Clock.currentTimeMillis
  const directory = yield* attempt(() => openStateDirectory(options.directory))
  const database = yield* Effect.acquireRelease(
    attempt(() => open(directory.database)),
    (opened) => Effect.sync(() => opened.close())
  )
  const { at, within } = transactions(database)
  yield* attempt(() => prepare({ at, within }, { database, directory }, options.origin, now))

  const transact =
    (begin: string, doesWrite: boolean) =>
    <A, E>(body: Body<A, E>): Effect.Effect<A, E | ToolFailure> =>
      Effect.gen(function* () {
        const clock = yield* Clock.currentTimeMillis
        const context = yield* Effect.context<never>()
        const exit = yield* attempt(() =>
          within(
            begin,
            () => {
              const seen = Number(readMeta(at(clock), "last-seen"))
              const tx = at(Math.max(clock, seen))
              const exit = Effect.runSyncExitWith(context)(body(tx))
              if (doesWrite && Exit.isSuccess(exit)) saveMeta(tx, "last-seen", String(tx.now))
              return exit
            },
            Exit.isSuccess
          )
        )
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
        if (isSqlite(error)) return yield* unavailable(error)
        return yield* exit
      }).pipe(Effect.uninterruptible)

  return StateStore.of({
    directory: resolve(options.directory),
    read: transact("begin", false),
    write: transact("begin immediate", true)
  })
})

/**
 * The state in one SQLite file of a directory that belongs to this account alone. Several processes may share it. Fails
 * with `state-insecure`, `state-newer`, `state-damaged`, `origin-mismatch` or `state-unavailable`.
 */
export const layer = (options: StateOptions) => Layer.effect(StateStore, make(options))
