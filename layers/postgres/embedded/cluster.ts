import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chownSync, existsSync, readFileSync, readdirSync } from "node:fs"
import { mkdir, mkdtemp, open, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import type { Binaries } from "./binaries.ts"
import { failure, messageOf } from "./errors.ts"
import type { Account } from "./unprivileged.ts"

/** The superuser that `initdb` makes and the service connects as. */
export const superuser = "postgres"

/** initdb takes about a second; a slow disk gets two minutes. */
const initdbTimeoutMillis = 120_000
const unfinished = "initdb-unfinished-"

/** The environment of the programs. It is fixed, so that a PGDATA or PGPORT of the shell has no effect. */
export const environment = { LC_ALL: "C", TZ: "UTC" }

const passwordFile = (data: string) => join(data, "pennypress.password")

const syncDirectory = async (directory: string) => {
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}

const runInitdb = (binaries: Binaries, account: Account | undefined, args: ReadonlyArray<string>) =>
  new Promise<void>((resolve, reject) => {
    const options = { ...account, cwd: "/", env: environment, timeout: initdbTimeoutMillis }
    execFile(binaries.initdb, [...args], options, (error, stdout, stderr) => {
      if (error === null) resolve()
      else reject(new Error(`${stderr.trim() || stdout.trim() || error.message}`))
    })
  })

/**
 * Makes a cluster in a folder of its own and renames it into place. A kill therefore leaves no partial cluster. The
 * caller owns `home`, so unfinished folders there are leftovers.
 */
const initialise = async (options: {
  readonly binaries: Binaries
  readonly account: Account | undefined
  readonly home: string
  readonly data: string
  readonly durable: boolean
}) => {
  const { account, binaries, data, durable, home } = options
  for (const name of readdirSync(home).filter((name) => name.startsWith(unfinished))) {
    // Retries, because an initdb whose parent was killed may write there for another moment.
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  const workshop = await mkdtemp(join(home, unfinished))
  const password = join(workshop, "password")
  const made = join(workshop, "data")
  await writeFile(password, randomBytes(32).toString("base64url"), { mode: 0o600 })
  if (account !== undefined) {
    for (const path of [password, workshop]) chownSync(path, account.uid, account.gid)
  }
  await runInitdb(binaries, account, [
    `--pgdata=${made}`,
    `--username=${superuser}`,
    `--pwfile=${password}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    ...(durable ? [] : ["--no-sync"])
  ])
  await rename(password, passwordFile(made))
  if (durable) await syncDirectory(made)
  await rename(made, data)
  if (durable) await syncDirectory(home)
  await rm(workshop, { recursive: true })
}

/** Makes the cluster below `home` unless it exists, and returns the superuser's password. */
export const ensureCluster = Effect.fn("ensureCluster")(function* (
  options: Parameters<typeof initialise>[0]
) {
  if (!existsSync(join(options.data, "PG_VERSION"))) {
    yield* Effect.logInfo(`Creating a PostgreSQL cluster in ${options.data}`)
    yield* Effect.tryPromise({
      try: () => initialise(options),
      catch: (cause) => failure("initdb", `initdb failed: ${messageOf(cause)}`)
    }).pipe(Effect.uninterruptible)
  }
  return yield* readPassword(options.data)
})

/** Reads the superuser's password from the cluster, kept with mode 0600. */
export const readPassword = (data: string) =>
  Effect.try({
    try: () => Redacted.make(readFileSync(passwordFile(data), "utf8").trim()),
    catch: (cause) => failure("directory", `the password of ${data} is unreadable: ${messageOf(cause)}.`)
  })

/**
 * Makes the folder of the embedded server. Under root the folder stays root's, and the server's account owns only
 * `data`. That account can then replace neither the log nor the lock that root opens.
 */
export const ensureHome = Effect.fn("ensureHome")(function* (home: string) {
  yield* Effect.tryPromise({
    try: () => mkdir(home, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 }),
    catch: (cause) => failure("directory", `cannot make ${home}: ${messageOf(cause)}.`)
  })
})
