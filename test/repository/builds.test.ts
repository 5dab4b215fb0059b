import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const manifest = JSON.parse(readFileSync("package.json", "utf8"))
const scripts: Readonly<Record<string, string>> = manifest.scripts
const published: ReadonlyArray<string> = manifest.files

/** The directories that each build makes. */
const made: Readonly<Record<string, ReadonlyArray<string>>> = {
  build: ["dist/layers", "dist/migrations", "dist/schemas", "dist/src"],
  "build:client": ["dist/pennypress-client"],
  "build:svc-mcp": ["dist/svc-mcp"]
}

/** Returns the directories that a script removes, with the defaults of its variables. */
const removedBy = (script: string) => {
  const defaults = new Map(
    [...script.matchAll(/(\w+)=\$\{\w+:-([^}]+)\}/g)].map(([, name, path]) => [name, path])
  )
  return [...script.matchAll(/rm -rf ([^&]+)/g)].flatMap(([, paths = ""]) =>
    paths
      .trim()
      .split(" ")
      .map((path) => path.replaceAll('"', ""))
      .map((path) => (path.startsWith("$") ? (defaults.get(path.slice(1)) ?? path) : path))
  )
}

describe("the builds of the packages", () => {
  it("A build removes what it made before, and nothing of another build", () => {
    for (const [name, own] of Object.entries(made)) {
      const removed = removedBy(scripts[name] ?? "")
      assert.includeMembers(removed, [...own], name)
      const others = Object.entries(made).flatMap(([other, theirs]) => (other === name ? [] : theirs))
      for (const path of [...others, "dist/release"])
        for (const gone of removed)
          assert.isFalse(`${path}/`.startsWith(`${gone}/`), `${name} removes ${path}`)
    }
  })

  it("The package of the service has the files of its own build alone", () => {
    assert.sameMembers(
      published.filter((path) => path.startsWith("dist")),
      [...(made["build"] ?? [])]
    )
  })
})
