import { mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findBinaries, linkLibraries } from "../../../../layers/postgres/embedded/binaries.ts"
import { temporaryDirectory } from "../../../support/directories.ts"

/** A package as npm leaves it without its install script: the list of links, and no links. */
const unlinked = Effect.tap(temporaryDirectory, (directory) =>
  Effect.sync(() => {
    const lib = join(directory, "native", "lib")
    mkdirSync(lib, { recursive: true })
    writeFileSync(join(lib, "libicuuc.so.60.2"), "a library")
    const source = "native/lib/libicuuc.so.60.2"
    writeFileSync(
      join(directory, "native", "pg-symlinks.json"),
      JSON.stringify(
        ["libicuuc.so", "libicuuc.so.60"].map((name) => ({ source, target: `native/lib/${name}` }))
      )
    )
  })
)

describe("binaries", () => {
  it.effect("Concurrent starts complete an installation with --ignore-scripts", () =>
    Effect.gen(function* () {
      const directory = yield* unlinked
      yield* Effect.all([linkLibraries(directory), linkLibraries(directory)], { concurrency: 2 })
      for (const name of ["libicuuc.so", "libicuuc.so.60"]) {
        assert.strictEqual(readlinkSync(join(directory, "native", "lib", name)), "libicuuc.so.60.2")
        assert.strictEqual(readFileSync(join(directory, "native", "lib", name), "utf8"), "a library")
      }
    })
  )

  it.effect("Complete binaries are left alone", () =>
    Effect.gen(function* () {
      const directory = yield* unlinked
      yield* linkLibraries(directory)
      rmSync(join(directory, "native", "lib", "libicuuc.so"))
      writeFileSync(join(directory, "native", "lib", "libicuuc.so"), "someone's own")
      yield* linkLibraries(directory)
      assert.strictEqual(
        readFileSync(join(directory, "native", "lib", "libicuuc.so"), "utf8"),
        "someone's own"
      )
    })
  )

  it.effect("A platform without binaries on npm fails with a clear message", () =>
    Effect.gen(function* () {
      for (const platform of ["sunos-sparc", "win32-x64"]) {
        const error = yield* Effect.flip(findBinaries(platform))
        assert.strictEqual(error._tag, "EmbeddedPostgresFailed")
        assert.strictEqual(error.step, "platform")
        assert.include(error.message, "set DATABASE_URL")
      }
    })
  )
})
