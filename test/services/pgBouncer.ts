import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { freePort } from "../../layers/postgres/embedded/server.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { eventually } from "../support/eventually.ts"

/** Debian's, or another version. */
const PROGRAM = process.env["SERVICES_PGBOUNCER"] ?? "pgbouncer"

/** PgBouncer as its own documents start it, in front of the server of a database URL; it ends with the scope. */
export const pgBouncer = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  mode: "session" | "transaction",
  /** More words of the line of the database. */
  database = ""
) {
  const { hostname, password, pathname, port, username } = new URL(Redacted.value(url))
  const folder = yield* temporaryDirectory
  const ownPort = yield* freePort
  const file = join(folder, "pgbouncer.ini")
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${port} user=${username} password=${password} ${database}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${ownPort}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`
  ]
  // Under root it runs as another user, who must read its file.
  chmodSync(folder, 0o755)
  writeFileSync(file, lines.join("\n"))
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : []
  const child = spawn(PROGRAM, [...user, file], {
    stdio: ["ignore", "ignore", "pipe"]
  })
  let log = ""
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()))
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      const closed = once(child, "close")
      child.kill("SIGKILL")
      await closed
    })
  )
  yield* eventually(
    "PgBouncer listens",
    Effect.sync(() => log.includes("process up"))
  )
  return Redacted.make(`postgres://${username}@127.0.0.1:${ownPort}${pathname}`)
})
