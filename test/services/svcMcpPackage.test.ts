import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { rolldown } from "rolldown"
import { packagesOf } from "../../src/bin/bundledPackages.ts"
import { built } from "./svcMcpProgram.ts"

const MIB = 1024 * 1024

/** Modules of the program, as the bundler itself tells them. */
const modules = Effect.promise(async () => {
  const input = fileURLToPath(new URL("../../src/bin/svc-mcp.ts", import.meta.url))
  const bundle = await rolldown({ input, platform: "node", logLevel: "silent" })
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false })
  await bundle.close()
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))
})

describe("the package of svc-mcp", () => {
  it.live("The package has the licence of each bundled package, and no server of its own", () =>
    Effect.gen(function* () {
      const program = yield* built("https://press.example")
      const licences = readFileSync(join(program, "..", "THIRD-PARTY-LICENSES"), "utf8")
      const packages = packagesOf(yield* modules)
      assert.includeMembers(
        packages.map(({ name }) => name),
        ["effect", "@noble/curves", "@zip.js/zip.js"]
      )
      for (const { directory, name } of packages) {
        const text = readFileSync(join(directory, "LICENSE"), "utf8").trim()
        assert.include(licences, `${name}\n\n${text}\n`, name)
      }
      assert.lengthOf(licences.split("-".repeat(80)), packages.length)
      // Parts that only the service needs make the program slow to start.
      for (const foreign of ["undici", "sharp", "pg", "nodemailer", "@aws-sdk/client-s3"]) {
        assert.notInclude(
          packages.map(({ name }) => name),
          foreign
        )
      }
      assert.isBelow(statSync(program).size, 1.25 * MIB)
      assert.notInclude(readFileSync(program, "utf8"), "sourceMappingURL")
      assert.throws(() => statSync(`${program}.map`))
    })
  )
})
