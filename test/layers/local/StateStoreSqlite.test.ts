import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import { marked } from "../../../src/mcp/local/failures/marked.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { endLease, hasLease, takeLease } from "../../../src/mcp/local/state/leases.sql.ts"
import { readMeta, saveMeta } from "../../../src/mcp/local/state/meta.sql.ts"
import { stateDirectory } from "../../mcp/local/localEdition.ts"

const ORIGIN = "https://press.test"

/** Opens a state directory as one process does. */
const opened = (directory: string, origin = ORIGIN) =>
  Effect.map(Layer.build(Layer.fresh(StateStoreSqlite.layer({ directory, origin }))), (context) =>
    StateStore.pipe(Effect.provideContext(context))
  ).pipe(Effect.flatten)

const codeOf = (directory: string, origin?: string) =>
  Effect.scoped(opened(directory, origin)).pipe(
    Effect.match({ onFailure: ({ code }) => code, onSuccess: () => "opened" })
  )

describe("the local state", () => {
  it.effect("The state is a directory and files only for this account", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      yield* opened(directory)
      assert.strictEqual(statSync(directory).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(directory).toSorted(), [
        "downloads",
        "extracted",
        "files",
        "state.db"
      ])
      assert.strictEqual(statSync(join(directory, "state.db")).mode & 0o777, 0o600)
      for (const name of ["downloads", "extracted", "files"]) {
        assert.strictEqual(statSync(join(directory, name)).mode & 0o777, 0o700)
      }
      assert.strictEqual(yield* codeOf(directory), "opened")
    })
  )

  it.effect("A state that others could read or change is refused, and not repaired", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      const file = join(directory, "state.db")
      yield* Effect.scoped(opened(directory))
      for (const [path, wrong, right] of [
        [directory, 0o750, 0o700],
        [directory, 0o701, 0o700],
        [file, 0o640, 0o600],
        [file, 0o604, 0o600],
        [join(directory, "downloads"), 0o755, 0o700],
        [dirname(directory), 0o777, 0o700]
      ] as const) {
        chmodSync(path, wrong)
        assert.strictEqual(yield* codeOf(directory), "state-insecure", `${path} ${wrong.toString(8)}`)
        assert.strictEqual(statSync(path).mode & 0o777, wrong)
        chmodSync(path, right)
      }
      // Sticky directories such as /tmp let no other account replace ours.
      chmodSync(dirname(directory), 0o1777)
      assert.strictEqual(yield* codeOf(directory), "opened")
      chmodSync(dirname(directory), 0o700)

      linkSync(file, join(dirname(directory), "second name"))
      assert.strictEqual(yield* codeOf(directory), "state-insecure")
      const link = join(dirname(directory), "link")
      symlinkSync(directory, link)
      assert.strictEqual(yield* codeOf(link), "state-insecure")
      const other = join(dirname(directory), "other")
      mkdirSync(other, { mode: 0o700 })
      symlinkSync(file, join(other, "state.db"))
      assert.strictEqual(yield* codeOf(other), "state-insecure")
    })
  )

  it.effect("A first run that ended before its tables were made leaves no damaged state", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      mkdirSync(directory, { mode: 0o700 })
      writeFileSync(join(directory, "state.db"), "", { mode: 0o600 })
      assert.strictEqual(yield* codeOf(directory), "opened")
    })
  )

  it.effect("A person who moves a damaged state away begins with an empty one", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      yield* Effect.scoped(opened(directory))
      truncateSync(join(directory, "state.db"))
      assert.strictEqual(yield* codeOf(directory), "state-damaged")
      renameSync(join(directory, "state.db"), join(dirname(directory), "damaged.db"))
      assert.strictEqual(yield* codeOf(directory), "opened")
    })
  )

  it.effect("A state that is damaged while it is open says so", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      const store = yield* opened(directory)
      const file = join(directory, "state.db")
      writeFileSync(file, Buffer.alloc(statSync(file).size, 0xff))
      const failure = yield* Effect.flip(
        store.write((tx) => Effect.sync(() => saveMeta(tx, "nano-rpc", "x")))
      )
      assert.strictEqual(failure.code, "state-damaged")
      assert.include(failure.nextStep, "wallet restore")
    })
  )

  it.effect("A state belongs to one origin, and to programs that are not older", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      yield* Effect.scoped(opened(directory))
      assert.strictEqual(yield* codeOf(directory, "https://other.test"), "origin-mismatch")
      const database = new DatabaseSync(join(directory, "state.db"))
      database.exec(`update meta set value = '2' where name = 'version'`)
      database.close()
      assert.strictEqual(yield* codeOf(directory), "state-newer")
    })
  )

  it.effect("A write changes nothing when its body fails or dies", () =>
    Effect.gen(function* () {
      const store = yield* opened(yield* stateDirectory)
      const saving = (end: Effect.Effect<never, unknown>) =>
        store.write((tx) => {
          saveMeta(tx, "nano-rpc", "https://node.test")
          return end
        })
      yield* Effect.flip(saving(Effect.fail(marked("grant-required"))))
      yield* Effect.exit(saving(Effect.die("a fault")))
      // A body may not wait: the transaction would span a request.
      const waiting = yield* Effect.exit(saving(Effect.never))
      assert.strictEqual(waiting._tag, "Failure")
      assert.isUndefined(yield* store.read((tx) => Effect.succeed(readMeta(tx, "nano-rpc"))))
      yield* store.write((tx) => Effect.sync(() => saveMeta(tx, "nano-rpc", "https://node.test")))
      assert.strictEqual(
        yield* store.read((tx) => Effect.succeed(readMeta(tx, "nano-rpc"))),
        "https://node.test"
      )
    })
  )

  it.effect("A state that another process keeps locked is reported as unavailable", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      const store = yield* opened(directory)
      const other = new DatabaseSync(join(directory, "state.db"))
      other.exec("begin exclusive")
      const failure = yield* Effect.flip(
        store.write((tx) => Effect.sync(() => saveMeta(tx, "nano-rpc", "x")))
      )
      assert.strictEqual(failure.code, "state-unavailable")
      assert.isTrue(failure.retryable)
      assert.match(failure.nextStep ?? "", /^End the process that locks the state/)
      other.exec("rollback")
      other.close()
      yield* store.write((tx) => Effect.sync(() => saveMeta(tx, "nano-rpc", "x")))
      assert.isFalse(existsSync(join(directory, "state.db-journal")))
    })
  )

  it.effect("The state never goes back in time, and lends leases to one process at a time", () =>
    Effect.gen(function* () {
      const directory = yield* stateDirectory
      yield* TestClock.setTime(10_000_000)
      const [one, other] = [yield* opened(directory), yield* opened(directory)]
      const take = (store: typeof one, owner: string) =>
        store.write((tx) => Effect.succeed(takeLease(tx, "refresh", owner)))
      assert.isTrue(yield* take(one, "a"))
      assert.isFalse(yield* take(other, "b"))
      assert.isTrue(yield* take(one, "a"))
      yield* TestClock.setTime(9_000_000)
      assert.strictEqual(yield* other.read((tx) => Effect.succeed(tx.now)), 10_000_000)
      yield* TestClock.setTime(10_004_999)
      assert.isFalse(yield* take(other, "b"))
      yield* TestClock.setTime(10_005_000)
      assert.isTrue(yield* take(other, "b"))
      const held = (owner: string) => one.read((tx) => Effect.succeed(hasLease(tx, "refresh", owner)))
      assert.isFalse(yield* held("a"))
      yield* other.write((tx) => Effect.sync(() => endLease(tx, "refresh", "a")))
      assert.isTrue(yield* held("b"))
      yield* other.write((tx) => Effect.sync(() => endLease(tx, "refresh", "b")))
      assert.isTrue(yield* take(one, "a"))
    })
  )
})
