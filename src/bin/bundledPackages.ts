import { dirname, resolve } from "node:path"
import { Effect, FileSystem, Schema } from "effect"

const SourceMap = Schema.fromJsonString(Schema.Struct({ sources: Schema.Array(Schema.String) }))
const decodeSourceMap = Schema.decodeEffect(SourceMap)

/** A package, with the path of its directory. */
const PACKAGE = /^(?<directory>.*\/node_modules\/(?<name>(?:@[^/]+\/)?[^/]+))\//

/** A package that a bundle has parts of. */
export interface BundledPackage {
  readonly name: string
  readonly directory: string
}

/** Returns the packages of modules, each once. Modules of this repository belong to none. */
export const packagesOf = (modules: ReadonlyArray<string>): ReadonlyArray<BundledPackage> => {
  const found = new Map<string, BundledPackage>()
  for (const module of modules) {
    const { directory, name } = PACKAGE.exec(module)?.groups ?? {}
    if (directory !== undefined && name !== undefined) found.set(directory, { name, directory })
  }
  return [...found.values()].toSorted((one, other) => (one.directory < other.directory ? -1 : 1))
}

const LICENCE = /^licen[cs]e(\.(md|txt))?$/i

const licenceOf = Effect.fnUntraced(function* ({ directory, name }: BundledPackage) {
  const fs = yield* FileSystem.FileSystem
  const file = (yield* fs.readDirectory(directory)).find((it) => LICENCE.test(it))
  if (file === undefined) return yield* Effect.die(new Error(`${name} has no licence in its package`))
  const text = yield* fs.readFileString(`${directory}/${file}`)
  return `${name}\n\n${text.trim()}\n`
})

/** Returns the licences of all packages that, by the map of a bundle, have parts in it. */
export const licencesOfBundle = Effect.fnUntraced(function* (map: string) {
  const fs = yield* FileSystem.FileSystem
  const { sources } = yield* decodeSourceMap(yield* fs.readFileString(map))
  const modules = sources.map((source) => resolve(dirname(map), source))
  const licences = yield* Effect.forEach(packagesOf(modules), licenceOf)
  return licences.join(`\n${"-".repeat(80)}\n\n`)
})
