import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** The modules of the service: those that are shipped. */
export const files = ["schemas", "src", "layers", "migrations"].flatMap((folder) =>
  globSync(`${folder}/**/*.ts`)
)

/** Reads a module. */
export const source = (file: string) => readFileSync(file, "utf8")

/** Returns the packages, and the modules of this repository, that a module imports. */
export const importsOf = (file: string) =>
  [...source(file).matchAll(/^(?:import|export)\s[^"]*?from "([^"]+)"|^import "([^"]+)"/gm)].map(
    ([, from, bare]) => {
      const specifier = from ?? bare ?? ""
      return specifier.startsWith(".") ? join(dirname(file), specifier) : specifier
    }
  )

/** Returns true for a module of this repository. */
export const isOurs = (imported: string) => /^(schemas|src|layers|migrations|test)\//.test(imported)
