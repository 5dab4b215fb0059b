import { readFileSync } from "node:fs"

/** Returns the flags of Node.js and the variables that `npm start` of a package sets. */
export const startScriptOf = (manifest: string | URL) => {
  const { scripts }: { readonly scripts: { readonly start: string } } = JSON.parse(
    readFileSync(manifest, "utf8")
  )
  const words = scripts.start.split(" ")
  const variables: Readonly<Record<string, string>> = Object.fromEntries(
    words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split("="))
  )
  return { flags: words.filter((word) => word.startsWith("--")), variables }
}

/** Options of Node that `npm start` gives the service. */
export const startFlags: ReadonlyArray<string> = startScriptOf(
  new URL("../../package.json", import.meta.url)
).flags
