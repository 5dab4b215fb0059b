import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import {
  EmbeddedPostgres,
  type EmbeddedPostgresOptions
} from "../../../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { runningServer } from "../../../../layers/postgres/embedded/pidFile.ts"
import { onRealClock } from "../../../../layers/time/realClock.ts"
import { temporaryDataDirectory, temporaryDirectory } from "../../../support/directories.ts"
import { eventually } from "../../../support/eventually.ts"
import { fastSettings } from "../../../support/fastSettings.ts"
import { run } from "../../../support/processes.ts"
import { runbookBlocks } from "../../../support/runbook.ts"

/** Starts the server of a data directory in this process, until the scope closes. */
const open = (dataDirectory: string, options: Partial<EmbeddedPostgresOptions> = {}) =>
  Effect.map(
    Layer.build(EmbeddedPostgres.layer({ dataDirectory, settings: fastSettings, ...options })),
    Context.get(EmbeddedPostgres)
  )

const ask = (url: Redacted.Redacted) => (statement: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.unsafe<Record<string, unknown>>(statement)
  }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), onRealClock)

const dataOf = (directory: string) => join(directory, "postgres", "data")
const portOf = (url: Redacted.Redacted | string) =>
  Number(new URL(typeof url === "string" ? url : Redacted.value(url)).port)
const pidOf = (directory: string) =>
  Option.getOrThrow(Option.map(runningServer(dataOf(directory)), ({ pid }) => pid))
const isUp = (directory: string) => Option.isSome(runningServer(dataOf(directory)))

/** Starts a process that owns the server of a folder, and waits until the server is up. */
const ownerOf = Effect.fnUntraced(function* (directory: string) {
  const program = yield* run("ownServer.ts", [directory, yield* temporaryDirectory])
  const { attached, url } = JSON.parse(yield* program.line) as { attached: boolean; url: string }
  return { ...program, attached, url: Redacted.make(url) }
})

/** Returns the entries of a folder; none for one that is not there, as a rename may take it away at any time. */
const entriesOf = (folder: string) => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Starts a process that makes its cluster at this moment. One that was quicker than the look at it is left alone. */
const caughtInInitdb = Effect.gen(function* () {
  const directory = yield* temporaryDataDirectory
  const home = join(directory, "postgres")
  const first = yield* run("ownServer.ts", [directory, directory])
  const isAtWork = () =>
    entriesOf(home).some(
      (name) => name.startsWith("initdb-unfinished-") && entriesOf(join(home, name, "data")).length > 3
    )
  let isCaught = false
  yield* eventually(
    "initdb at work or done",
    Effect.sync(() => {
      isCaught = isAtWork()
      return isCaught || existsSync(join(home, "data"))
    })
  )
  return isCaught ? { directory, first } : yield* Effect.fail("done")
}).pipe(Effect.retry({ times: 4 }), Effect.orDie)

describe.concurrent("EmbeddedPostgres", () => {
  it.effect("The server serves loopback with a password and no privileges, and stops with its scope", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      const url = yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* open(directory)
          assert.strictEqual(server.dataDirectory, dataOf(directory))
          assert.isFalse(server.attached)

          // The runbook names it to people, who have other programs than the service.
          const [command = ""] = runbookBlocks("sh embedded")
          const echoed = execFileSync("/bin/sh", ["-c", command.replace("psql", "echo")], {
            cwd: directory,
            encoding: "utf8"
          })
          assert.strictEqual(echoed.trim(), Redacted.value(server.databaseUrl("pennypress")))

          const [row] = yield* ask(server.url)(
            `select current_setting('server_encoding') as encoding, datlocale as locale,
               current_setting('listen_addresses') as address, current_setting('unix_socket_directories') as sockets,
               current_setting('fsync') as fsync, inet_client_addr()::text as client
             from pg_database where datname = 'postgres'`
          )
          assert.deepStrictEqual(row, {
            encoding: "UTF8",
            locale: "C.UTF-8",
            address: "127.0.0.1",
            sockets: "",
            fsync: "off",
            client: "127.0.0.1/32"
          })

          const stranger = new URL(Redacted.value(server.url))
          stranger.password = "postgres"
          const refusal = yield* Effect.flip(ask(Redacted.make(stranger.toString()))("select 1"))
          assert.strictEqual(refusal.reason._tag, "AuthenticationError")

          assert.strictEqual(statSync(join(server.dataDirectory, "pennypress.password")).mode & 0o777, 0o600)
          assert.strictEqual(statSync(server.dataDirectory).mode & 0o777, 0o700)
          assert.notStrictEqual(statSync(server.dataDirectory).uid, 0)
          assert.notStrictEqual(statSync(`/proc/${pidOf(directory)}`).uid, 0)
          return server.url
        })
      )
      assert.isFalse(isUp(directory))
      assert.strictEqual((yield* Effect.flip(ask(url)("select 1"))).reason._tag, "ConnectionError")
      assert.match(
        readFileSync(join(directory, "postgres", "server.log"), "utf8"),
        /database system is shut down\n$/
      )
    })
  )

  it.effect("The server keeps the durable settings unless told otherwise", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      const server = yield* open(directory, { settings: {} })
      const [row] = yield* ask(server.url)(
        `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
           current_setting('full_page_writes') as pages, current_setting('max_connections') as connections`
      )
      assert.deepStrictEqual(row, { fsync: "on", commit: "on", pages: "on", connections: "100" })
    })
  )

  it.effect(
    "A server that outlived a killed process is taken over, with everything in it, and then stopped",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDataDirectory
        const owner = yield* ownerOf(directory)
        yield* ask(owner.url)("create table kept as select 42 as id")
        const pid = pidOf(directory)

        yield* owner.kill("SIGKILL")
        assert.strictEqual(pidOf(directory), pid)

        yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* open(directory)
            assert.isTrue(server.attached)
            assert.strictEqual(portOf(server.url), portOf(owner.url))
            assert.strictEqual(pidOf(directory), pid)
            assert.deepStrictEqual(yield* ask(server.url)("select id from kept"), [{ id: 42 }])
          })
        )
        assert.isFalse(isUp(directory))
      })
  )

  it.effect("One process owns a data directory, and the next is refused or joins as a guest", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      const owner = yield* ownerOf(directory)

      const refusal = yield* Effect.flip(Effect.scoped(open(directory)))
      assert.strictEqual(refusal._tag, "DataDirectoryInUse")
      assert.include(refusal.message, `process ${owner.pid}`)
      assert.include(refusal.message, "DATABASE_URL")

      const guest = yield* Effect.scoped(open(directory, { exclusive: false }))
      assert.isTrue(guest.attached)
      assert.deepStrictEqual(yield* ask(guest.url)("select 1 as one"), [{ one: 1 }])
      assert.isTrue(isUp(directory))
    })
  )

  it.effect("A second server in one process is refused too", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      yield* open(directory)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(open(directory))))._tag, "DataDirectoryInUse")
      // The refused process must not have loosened the lock.
      assert.strictEqual((yield* Effect.flip(Effect.scoped(open(directory))))._tag, "DataDirectoryInUse")
    })
  )

  it.effect("Ctrl-C in the terminal reaches only the service, whose pool works until it closes", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      const owner = yield* ownerOf(directory)
      yield* owner.interrupt
      assert.strictEqual(yield* owner.line, "pool closing")
      yield* owner.ended
      assert.isFalse(isUp(directory))
    })
  )

  it.effect("A server that ends by itself restarts on the same port", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      const server = yield* open(directory)
      const pid = pidOf(directory)
      process.kill(pid, "SIGKILL")
      yield* eventually(
        "another server",
        Effect.sync(() => Option.exists(runningServer(dataOf(directory)), (another) => another.pid !== pid))
      )
      const answered = ask(server.url)("select 1").pipe(
        Effect.as(true),
        Effect.orElseSucceed(() => false)
      )
      yield* eventually("an answer on the same port", answered)
    })
  )

  it.effect("A stale pid file does not count as a server, even when others reuse its id and port", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      yield* Effect.scoped(open(directory))
      const other = createServer()
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void other.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => other.close())
      )
      const address = other.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const lines = [process.pid, dataOf(directory), 1, port, "", "127.0.0.1", "  1  1", "ready   ", ""]
      writeFileSync(join(dataOf(directory), "postmaster.pid"), lines.join("\n"))

      const server = yield* open(directory)

      assert.isFalse(server.attached)
      assert.notStrictEqual(portOf(server.url), port)
      assert.deepStrictEqual(yield* ask(server.url)("select 1 as one"), [{ one: 1 }])
    })
  )

  it.effect("A process killed in the middle of initdb does not disturb the next one", () =>
    Effect.gen(function* () {
      const { directory, first } = yield* caughtInInitdb
      const home = join(directory, "postgres")
      yield* first.kill("SIGKILL")

      const server = yield* open(directory)

      assert.deepStrictEqual(yield* ask(server.url)("select 1 as one"), [{ one: 1 }])
      assert.deepStrictEqual(
        readdirSync(home).filter((name) => name.startsWith("initdb")),
        []
      )
    })
  )

  it.effect("A server that does not start gives the reason and the alternative", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDataDirectory
      const error = yield* Effect.flip(
        open(directory, { settings: { ...fastSettings, shared_buffers: "lots" } })
      )
      assert.strictEqual(error._tag, "EmbeddedPostgresFailed")
      assert.include(error.message, `invalid value for parameter "shared_buffers": "lots"`)
      assert.include(error.message, "DATABASE_URL")
    })
  )
})
