import { readFileSync } from "node:fs"

const manifest: { readonly scripts: { readonly start: string } } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

const words = manifest.scripts.start.split(" ")

/** Bounds of V8's memory that `npm start` gives the service. */
export const startFlags: ReadonlyArray<string> = words.filter((word) => word.startsWith("--"))

/** Bounds of the C library's memory that `npm start` gives the service. */
export const startVariables: Readonly<Record<string, string>> = Object.fromEntries(
  words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split("="))
)
