import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findBinaries } from "../../../../layers/postgres/embedded/binaries.ts"
import { placeHome } from "../../../../layers/postgres/embedded/placement.ts"
import {
  accountFor,
  assertReachable,
  runnableBinaries
} from "../../../../layers/postgres/embedded/unprivileged.ts"
import { temporaryDirectory } from "../../../support/directories.ts"

const isRoot = process.getuid?.() === 0

/** A folder like root's home, which other accounts may not pass. */
const closed = Effect.map(temporaryDirectory, (directory) => {
  const home = join(directory, "root")
  mkdirSync(join(home, "project"), { recursive: true })
  chmodSync(home, 0o700)
  return home
})

describe("the account of the server", () => {
  it.effect.skipIf(isRoot)("The account is ours when we are not root", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* accountFor("/nowhere"))
    })
  )

  describe.runIf(isRoot)("under root", () => {
    it.effect("The account under root has no privileges", () =>
      Effect.gen(function* () {
        const account = yield* accountFor("/nowhere")
        assert.isAbove(account?.uid ?? 0, 0)
        assert.isAbove(account?.gid ?? 0, 0)
      })
    )

    it.effect("The account under root is the owner of existing data", () =>
      Effect.gen(function* () {
        const nobody = 65_534
        const directory = yield* temporaryDirectory
        chownSync(directory, nobody, nobody)
        assert.deepStrictEqual(yield* accountFor(directory), { uid: nobody, gid: nobody })
      })
    )

    it.effect("An account that cannot reach the data fails with the blocking folder and the next step", () =>
      Effect.gen(function* () {
        const home = yield* closed
        const error = yield* Effect.flip(assertReachable(join(home, "project"), yield* accountFor(home)))
        assert.strictEqual(error.step, "account")
        assert.include(error.message, `${home} keeps it out`)
        assert.include(error.message, "Choose a data directory")
        assert.include(error.message, "set DATABASE_URL")
      })
    )

    it.effect("An account that cannot reach the binaries gets a copy of them", () =>
      Effect.gen(function* () {
        const installed = yield* findBinaries()
        const directory = yield* temporaryDirectory
        const home = join(directory, "postgres")
        mkdirSync(home)
        const account = yield* accountFor(directory)
        assert.deepStrictEqual(yield* runnableBinaries(installed, { account, home }), installed)

        const closedHome = yield* closed
        const unreachable = join(closedHome, "native")
        cpSync(installed.directory, unreachable, { recursive: true, verbatimSymlinks: true })
        const copy = yield* runnableBinaries(
          {
            ...installed,
            directory: unreachable,
            initdb: join(unreachable, "bin", "initdb"),
            postgres: join(unreachable, "bin", "postgres")
          },
          { account, home }
        )
        assert.strictEqual(copy.postgres, join(home, `binaries-${installed.version}`, "bin", "postgres"))
        assert.isTrue(existsSync(copy.initdb))
        assert.strictEqual(statSync(copy.postgres).uid, 0)
      })
    )
  })
})

describe.runIf(isRoot)("the place of the data, under root", () => {
  it.effect("The place of a project in root's own home is a link to a reachable folder", () =>
    Effect.gen(function* () {
      const state = join(yield* temporaryDirectory, "state")
      const directory = join(yield* closed, "project", ".pennypress", "postgres")
      yield* placeHome(directory, state)
      const account = yield* accountFor(directory)
      assert.isTrue(realpathSync(directory).startsWith(realpathSync(state)))
      yield* assertReachable(realpathSync(directory), account)
      // A second start finds the link of the first one.
      yield* placeHome(directory, state)
    })
  )

  it.effect("The place is the requested folder when the account can reach it", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "postgres")
      yield* placeHome(directory, join(directory, "state"))
      assert.isFalse(existsSync(directory))
    })
  )
})
