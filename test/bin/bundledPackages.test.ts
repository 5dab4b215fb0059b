import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { licencesOfBundle, packagesOf } from "../../src/bin/bundledPackages.ts"
import { temporaryDirectory } from "../support/directories.ts"

describe("the packages of a bundle", () => {
  it("The packages are those of the modules, each once, with those inside of others", () => {
    const packages = packagesOf([
      "/here/src/bin/svc-mcp.ts",
      "/here/node_modules/effect/dist/Effect.js",
      "/here/node_modules/effect/dist/Layer.js",
      "/here/node_modules/@noble/curves/ed25519.js",
      "/here/node_modules/@noble/curves/node_modules/@noble/hashes/utils.js"
    ])
    assert.deepStrictEqual(packages, [
      { name: "@noble/curves", directory: "/here/node_modules/@noble/curves" },
      { name: "@noble/hashes", directory: "/here/node_modules/@noble/curves/node_modules/@noble/hashes" },
      { name: "effect", directory: "/here/node_modules/effect" }
    ])
  })

  it.effect("The licence of every package is read", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const modules = join(root, "node_modules")
      for (const [name, file] of [
        ["one", "LICENSE"],
        ["@some/two", "license.md"]
      ] as const) {
        mkdirSync(join(modules, name), { recursive: true })
        writeFileSync(join(modules, name, file), `The terms of ${name}.\n\n`)
      }
      mkdirSync(join(root, "out"))
      const map = join(root, "out", "bundle.js.map")
      const write = (sources: ReadonlyArray<string>) => writeFileSync(map, JSON.stringify({ sources }))
      const own = ["../src/a.ts", "../node_modules/one/a.js", "../node_modules/@some/two/b/c.js"]
      write(own)
      assert.strictEqual(
        yield* licencesOfBundle(map),
        `@some/two\n\nThe terms of @some/two.\n\n${"-".repeat(80)}\n\none\n\nThe terms of one.\n`
      )
      mkdirSync(join(modules, "three"))
      write([...own, "../node_modules/three/a.js"])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(licencesOfBundle(map))))
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
