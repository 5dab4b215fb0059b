import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"
import { listening } from "../support/listening.ts"

const PROGRAM = fileURLToPath(new URL("../../src/bin/pennypress.ts", import.meta.url))

describe("a command that is stopped", () => {
  it.live("A backup that is stopped does not end as if it were made", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      // A database that takes connections and never answers.
      const database = createServer()
      const port = yield* listening(database)
      const connected = once(database, "connection")
      const child = spawn(process.execPath, [PROGRAM, "backup", "--to", `${directory}/backups`], {
        env: {
          PENNYPRESS_DATA: directory,
          DATABASE_URL: `postgres://press@127.0.0.1:${port}/press`,
          SERVER_SECRET: "a secret of thirty-two characters"
        },
        stdio: "ignore"
      })
      const closed = once(child, "close")
      yield* Effect.promise(() => connected)
      child.kill("SIGTERM")
      const [status] = yield* Effect.promise(() => closed)
      assert.strictEqual(status, 130)
    })
  )
})
