import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import { stateDirectory } from "../../mcp/local/localEdition.ts"

const ORIGIN = "https://press.test"

const opened = (directory: string, origin = ORIGIN) =>
  Effect.scoped(Layer.build(Layer.fresh(StateStoreSqlite.layer({ directory, origin })))).pipe(
    Effect.match({ onFailure: ({ code }) => code as string, onSuccess: () => "opened" })
  )

/** Returns everything below a directory: names, kinds, modes, times and bytes. */
const treeOf = (path: string): unknown => {
  const { mode, mtimeMs, nlink } = lstatSync(path)
  const stats = lstatSync(path)
  const content = stats.isDirectory()
    ? readdirSync(path)
        .toSorted()
        .map((name) => [name, treeOf(join(path, name))])
    : stats.isFile()
      ? readFileSync(path, "hex")
      : ""
  return [mode, mtimeMs, nlink, content]
}

const write = (path: string, mode = 0o600) => {
  writeFileSync(path, "")
  chmodSync(path, mode)
}

const sql = (directory: string, statement: string) => {
  const database = new DatabaseSync(join(directory, "state.db"))
  database.exec(statement)
  database.close()
}

type Spoil = (directory: string, beside: (name: string) => string) => unknown

/** Places where no state is yet. */
const places: Readonly<Record<string, Spoil>> = {
  "a parent that others may write": (directory) => chmodSync(dirname(directory), 0o777),
  "a parent that a group may write": (directory) => chmodSync(dirname(directory), 0o770),
  "a file": (directory) => write(directory),
  "a link": (directory, beside) => {
    mkdirSync(beside("other"), { mode: 0o700 })
    symlinkSync(beside("other"), directory)
  },
  "a link to nothing": (directory, beside) => symlinkSync(beside("nothing"), directory),
  "a directory that others may read": (directory) => {
    mkdirSync(directory)
    chmodSync(directory, 0o704)
  },
  "a directory whose last part others may read": (directory) => {
    mkdirSync(join(directory, "files"), { recursive: true })
    chmodSync(directory, 0o700)
    chmodSync(join(directory, "files"), 0o755)
  },
  "a directory with a linked part": (directory, beside) => {
    mkdirSync(directory, { mode: 0o700 })
    mkdirSync(beside("other"), { mode: 0o700 })
    symlinkSync(beside("other"), join(directory, "downloads"))
  },
  "a directory with a journal of others": (directory) => {
    mkdirSync(directory, { mode: 0o700 })
    write(join(directory, "state.db-journal"), 0o644)
  },
  "a directory with a linked journal": (directory, beside) => {
    mkdirSync(directory, { mode: 0o700 })
    write(beside("journal"))
    symlinkSync(beside("journal"), join(directory, "state.db-journal"))
  }
}

/** Changes of a state, each with the marker that tells it. */
const states: Readonly<Record<string, readonly [string, Spoil]>> = {
  "a file that a group may read": ["state-insecure", (it) => chmodSync(join(it, "state.db"), 0o640)],
  "a second name of its file": [
    "state-insecure",
    (it, beside) => linkSync(join(it, "state.db"), beside("second"))
  ],
  "a linked file": [
    "state-insecure",
    (it, beside) => {
      renameSync(join(it, "state.db"), beside("first.db"))
      symlinkSync(beside("first.db"), join(it, "state.db"))
    }
  ],
  "a newer version": ["state-newer", (it) => sql(it, "update meta set value = '2' where name = 'version'")],
  "a version that is none": [
    "state-newer",
    (it) => sql(it, "update meta set value = 'one' where name = 'version'")
  ],
  "another origin": [
    "origin-mismatch",
    (it) => sql(it, "update meta set value = 'https://other.test' where name = 'origin'")
  ],
  "a file of other bytes": [
    "state-damaged",
    (it) => writeFileSync(join(it, "state.db"), "no database at all".repeat(100))
  ],
  "an empty file": ["state-damaged", (it) => truncateSync(join(it, "state.db"))],
  "a file of another database": [
    "state-damaged",
    (it) => {
      truncateSync(join(it, "state.db"))
      sql(it, "create table other (id)")
    }
  ],
  "damaged pages": [
    "state-damaged",
    (it) => {
      const file = join(it, "state.db")
      const bytes = readFileSync(file)
      writeFileSync(file, Buffer.concat([bytes.subarray(0, 100), Buffer.alloc(bytes.length - 100, 0xff)]))
    }
  ]
}

describe("refusals of a state directory", () => {
  for (const [what, spoil] of Object.entries(places)) {
    it.effect(`A new state is refused at ${what}, and nothing is written`, () =>
      Effect.gen(function* () {
        const directory = yield* stateDirectory
        const root = dirname(directory)
        spoil(directory, (name) => join(root, name))
        const before = treeOf(root)
        assert.strictEqual(yield* opened(directory), "state-insecure")
        assert.deepStrictEqual(treeOf(root), before)
      })
    )
  }

  it.effect("A new state is refused behind a link that others may write, and nothing is written", () =>
    Effect.gen(function* () {
      const root = dirname(yield* stateDirectory)
      mkdirSync(join(root, "open"))
      chmodSync(join(root, "open"), 0o777)
      mkdirSync(join(root, "open", "own"), { mode: 0o700 })
      symlinkSync(join(root, "open", "own"), join(root, "link"))
      const before = treeOf(root)
      assert.strictEqual(yield* opened(join(root, "link", "state")), "state-insecure")
      assert.deepStrictEqual(treeOf(root), before)
      chmodSync(join(root, "open"), 0o700)
      assert.strictEqual(yield* opened(join(root, "link", "state")), "opened")
    })
  )

  for (const [what, [code, spoil]] of Object.entries(states)) {
    it.effect(`A state with ${what} is refused and stays as it is`, () =>
      Effect.gen(function* () {
        const directory = yield* stateDirectory
        const root = dirname(directory)
        assert.strictEqual(yield* opened(directory), "opened")
        spoil(directory, (name) => join(root, name))
        const before = treeOf(root)
        assert.strictEqual(yield* opened(directory), code)
        assert.deepStrictEqual(treeOf(root), before)
      })
    )
  }

  it.effect("A state of another account is refused and stays as it is", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      assert.strictEqual(yield* opened(directory), "opened")
      const before = treeOf(dirname(directory))
      const other = (process.getuid?.() ?? 0) + 1
      const account = vi.spyOn(process, "getuid").mockReturnValue(other)
      const code = yield* opened(directory)
      account.mockRestore()
      assert.strictEqual(code, "state-insecure")
      assert.deepStrictEqual(treeOf(dirname(directory)), before)
    })
  )
})
