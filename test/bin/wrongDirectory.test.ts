import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"

const PROGRAM = fileURLToPath(new URL("../../src/bin/pennypress.ts", import.meta.url))

const run = (data: string, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: "utf8",
    env: { PENNYPRESS_DATA: data, SERVER_SECRET: "a secret of thirty-two characters", PORT: "0" }
  })

describe("a wrong data directory", () => {
  it.live("A backup of a directory without a database is refused, and makes none", () =>
    Effect.gen(function* () {
      const home = yield* temporaryDirectory
      const data = join(home, "mistyped")
      const { status, stderr } = run(data, "backup", "--to", join(home, "backups"))
      assert.strictEqual(status, 1)
      assert.match(
        stderr,
        /^pennypress: There is no database in .*Set PENNYPRESS_DATA to the data directory of the service\.\n$/
      )
      assert.isFalse(existsSync(data))
    })
  )

  it.live("A command says in one sentence that a data directory cannot be made", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "file")
      writeFileSync(file, "")
      for (const command of ["serve", "migrate"]) {
        const { status, stderr } = run(file, command)
        assert.strictEqual(status, 1)
        assert.match(
          stderr,
          /^pennypress: The data directory cannot be created \(EEXIST.*may write to\.\n$/,
          command
        )
      }
    })
  )
})
