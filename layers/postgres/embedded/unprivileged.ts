import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { cp, mkdtemp, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { type Binaries, binariesIn } from "./binaries.ts"
import { failure, messageOf } from "./errors.ts"

/** The account that PostgreSQL runs as, because it refuses to run as root. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** Accounts to try, in this order: PostgreSQL's own on Debian and macOS, then the one on every system. */
const candidates = ["postgres", "_postgres", "nobody"]

const numberOf = (flag: "-u" | "-g", name: string) =>
  Number(execFileSync("id", [flag, name], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))

const accountNamed = (name: string): Account | undefined => {
  try {
    return { uid: numberOf("-u", name), gid: numberOf("-g", name) }
  } catch {
    return undefined
  }
}

/**
 * Returns the account for a data directory: its owner, if that account exists. Returns undefined when we are not root,
 * and keep our account.
 */
export const accountFor = Effect.fn("accountFor")(function* (data: string) {
  if (process.getuid?.() !== 0) return undefined
  if (existsSync(data)) {
    const { gid, uid } = statSync(data)
    if (uid !== 0) return { uid, gid }
  }
  for (const name of candidates) {
    const account = accountNamed(name)
    if (account !== undefined && account.uid !== 0) return account
  }
  return yield* failure(
    "account",
    `PostgreSQL refuses to run as root, and none of the accounts ${candidates.join(", ")} exists. ` +
      `Start as another user, or make one: useradd --system postgres.`
  )
})

/** Returns the first folder on a path that others may not pass, for a message. */
const barrier = (path: string): string => {
  const parent = dirname(path)
  const above = parent === path ? "" : barrier(parent)
  if (above !== "") return above
  return existsSync(path) && (statSync(path).mode & 0o001) === 0 ? path : ""
}

/** Returns true when an account may pass through a folder and all folders above it. */
export const canReach = (folder: string, account: Account): boolean =>
  spawnSync("/bin/sh", ["-c", 'test -x "$1"', "sh", folder], { ...account, cwd: "/" }).status === 0

/** Fails when the account cannot reach a folder, for example one below root's home. */
export const assertReachable = Effect.fn("assertReachable")(function* (
  home: string,
  account: Account | undefined
) {
  if (account === undefined || canReach(home, account)) return
  return yield* failure(
    "account",
    `running as root, PostgreSQL runs as the account with uid ${account.uid}, which cannot reach ${home} ` +
      `(${barrier(dirname(home)) || home} keeps it out). Choose a data directory that everyone may pass, such as ` +
      `/var/lib/pennypress, or start as another user.`
  )
})

/** Returns true when the account can load the programs. `--version` opens the libraries too. */
const canRun = (binaries: Binaries, account: Account | undefined) =>
  [binaries.initdb, binaries.postgres].every((program) => {
    const { status } = spawnSync(program, ["--version"], { ...account, cwd: "/", stdio: "ignore", env: {} })
    return status === 0
  })

/**
 * Returns the binaries if the account can run them. Otherwise copies them (60 MB) beside the data, as for a project in
 * root's own home.
 */
export const runnableBinaries = Effect.fn("runnableBinaries")(function* (
  binaries: Binaries,
  options: { readonly account: Account | undefined; readonly home: string }
) {
  const { account, home } = options
  if (canRun(binaries, account)) return binaries
  if (account !== undefined) {
    const copy = binariesIn(join(home, `binaries-${binaries.version}`), binaries.version)
    if (!existsSync(copy.directory)) {
      yield* Effect.tryPromise({
        try: async () => {
          const unfinished = await mkdtemp(join(home, "binaries-unfinished-"))
          await cp(binaries.directory, join(unfinished, "native"), {
            recursive: true,
            verbatimSymlinks: true
          })
          await rename(join(unfinished, "native"), copy.directory)
          await rm(unfinished, { recursive: true })
        },
        catch: (cause) => failure("binaries", `cannot copy ${binaries.directory}: ${messageOf(cause)}.`)
      })
    }
    if (canRun(copy, account)) return copy
  }
  const { error, stderr } = spawnSync(binaries.postgres, ["--version"], {
    ...account,
    cwd: "/",
    env: {},
    encoding: "utf8"
  })
  return yield* failure(
    "binaries",
    `${binaries.postgres} does not run here: ${error?.message ?? stderr.trim()}.`
  )
})
