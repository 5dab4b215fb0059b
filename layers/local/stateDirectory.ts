import {
  constants,
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  type Stats
} from "node:fs"
import { basename, dirname, join, parse, resolve } from "node:path"
import { marked } from "../../src/mcp/local/failures/marked.ts"

/** Directories of a state directory, next to its database. */
const DIRECTORIES = ["downloads", "extracted", "files"] as const

const DATABASE = "state.db"

// The access lists of a Windows profile stand in for owners and modes.
const hasModes = process.platform !== "win32"

const statOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })

const isOwn = ({ uid }: Stats) => !hasModes || uid === process.getuid?.()

const isPrivate = ({ mode }: Stats) => !hasModes || (mode & 0o077) === 0

/** Returns true for a directory in which other accounts cannot replace our directory. */
const isSafeParent = ({ mode, uid }: Stats) =>
  !hasModes || ((uid === 0 || uid === process.getuid?.()) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0))

const parentsOf = (path: string): ReadonlyArray<string> =>
  path === parse(path).root ? [] : [dirname(path), ...parentsOf(dirname(path))]

const requireDirectory = (path: string) => {
  const stats = statOf(path)
  if (stats === undefined) return
  if (!stats.isDirectory() || !isOwn(stats) || !isPrivate(stats)) throw marked("state-insecure")
}

const requireFile = (path: string) => {
  const stats = statOf(path)
  if (stats === undefined) return
  if (!stats.isFile() || stats.nlink > 1 || !isOwn(stats) || !isPrivate(stats)) throw marked("state-insecure")
}

/** Returns the place of a directory behind all links on the way to it, whether it exists or not. */
const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    return join(realOf(dirname(path)), basename(path))
  }
}

const requireParents = (path: string) => {
  for (const parent of parentsOf(path)) {
    const stats = statOf(parent)
    if (stats === undefined) continue
    // A link among the parents belongs to the system or to the account, as /home does on some machines.
    const isSafe = stats.isSymbolicLink() ? !hasModes || stats.uid === 0 || isOwn(stats) : isSafeParent(stats)
    if (!isSafe) throw marked("state-insecure")
  }
}

/** Checks all parts of a state directory that exist. */
const requireSecure = (directory: string) => {
  requireParents(directory)
  requireParents(realOf(directory))
  requireDirectory(directory)
  for (const name of DIRECTORIES) requireDirectory(join(directory, name))
  requireFile(join(directory, DATABASE))
  // The journal of a process that ended holds pages of the database.
  requireFile(join(directory, `${DATABASE}-journal`))
}

/**
 * Makes a directory and those above it, unless they are there. Node's own way never ends where the system knows the parent
 * and finds no place in it, as in /proc.
 */
const makeDirectory = (path: string, hasParent = false) => {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "EEXIST") return
    if (code !== "ENOENT" || hasParent) throw error
    makeDirectory(dirname(path))
    makeDirectory(path, true)
  }
}

/** Makes an empty database file that only this account can read, unless there is one. */
const makeFile = (path: string) => {
  try {
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = constants
    const file = openSync(path, O_RDWR | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600)
    fchmodSync(file, 0o600)
    closeSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

/** A state directory that this account alone reads and changes. */
export interface StateDirectory {
  /** The path of the database. */
  readonly database: string
  /** True if an earlier run completed the state, so that a database without content has lost it. */
  readonly isComplete: boolean
  /** Completes the directory, after the database. */
  readonly complete: () => void
}

/**
 * Makes the state directory when it is absent, and checks that this account alone reads and changes it. Repairs nothing, and
 * makes nothing in a place that it refuses. Throws a failure `state-insecure` or `state-damaged`, or the error of the file
 * system.
 */
export const openStateDirectory = (path: string): StateDirectory => {
  const directory = resolve(path)
  requireSecure(directory)
  makeDirectory(directory)
  const database = join(directory, DATABASE)
  // The other directories are made last, so they show that the database was once complete.
  const size = statOf(database)?.size
  const isComplete =
    size !== undefined && DIRECTORIES.every((name) => statOf(join(directory, name)) !== undefined)
  if (isComplete && size === 0) throw marked("state-damaged")
  makeFile(database)
  // Others may have made a part of it meanwhile.
  requireSecure(directory)
  return {
    database,
    isComplete,
    complete: () => {
      for (const name of DIRECTORIES) makeDirectory(join(directory, name))
      requireSecure(directory)
    }
  }
}
