import { readFileSync } from "node:fs"

const manifest: { readonly scripts: { readonly start: string } } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

/** Options of Node that `npm start` gives the service. */
export const startFlags: ReadonlyArray<string> = manifest.scripts.start
  .split(" ")
  .filter((word) => word.startsWith("--"))
