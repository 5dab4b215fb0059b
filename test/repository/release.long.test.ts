import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TOOL_SERVER_VERSION } from "../../schemas/mcp/edition.ts"
import { hasGit, scratchCheckout } from "./scratchCheckout.ts"

/** The files that a release packs or builds from. Linked packages have paths that declarations of tests cannot name. */
const SOURCES = [
  ".ci/release",
  ".gitignore",
  "LICENSE",
  "README.md",
  "package-lock.json",
  "package.json",
  "tsconfig.json",
  "layers",
  "migrations",
  "schemas",
  "src"
]

const filesOf = (archive: string) =>
  execFileSync("tar", ["-tzf", archive], { encoding: "utf8" }).trim().split("\n")

describe.skipIf(!hasGit)("a release that is made", () => {
  // It builds and packs everything, which `.ci/run` does by itself.
  it.live.skipIf(process.env["SOAK"] === undefined)(
    "A release has its packages, an SBOM, a dated section, a commit and a tag",
    () =>
      Effect.gen(function* () {
        const { commit, directory, git, run, write } = yield* scratchCheckout(...SOURCES)
        write(".gitignore", "node_modules\ndist\n")
        write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n- A page.\n")
        symlinkSync(resolve("node_modules"), join(directory, "node_modules"))
        commit("Begin")

        const { output, status } = run(".ci/release", "9.8.7", "--really")
        assert.strictEqual(status, 0, output)

        assert.strictEqual(git("status", "--porcelain"), "")
        assert.strictEqual(git("log", "--format=%s"), "Release 9.8.7\nBegin")
        assert.strictEqual(git("rev-parse", "v9.8.7^{commit}"), git("rev-parse", "HEAD"))
        assert.match(git("show", "HEAD:CHANGELOG.md"), /\n## 9\.8\.7 \(\d{4}-\d{2}-\d{2}\)\n/)
        for (const file of ["package.json", "package-lock.json"]) {
          assert.strictEqual(JSON.parse(git("show", `HEAD:${file}`)).version, "9.8.7")
        }

        const release = join(directory, "dist/release")
        const svcMcp = `svc-mcp-${TOOL_SERVER_VERSION}.tgz`
        assert.sameMembers(readdirSync(release), [
          "pennypress-9.8.7.cdx.json",
          "pennypress-9.8.7.tgz",
          "pennypress-client-9.8.7.tgz",
          svcMcp
        ])
        const library = filesOf(join(release, "pennypress-9.8.7.tgz"))
        assert.includeMembers(library, [
          "package/dist/src/index.js",
          "package/CHANGELOG.md",
          "package/LICENSE"
        ])
        assert.deepStrictEqual(
          library.filter((file) => /^package\/dist\/(?!layers|migrations|schemas|src)|\.map$/.test(file)),
          []
        )
        assert.includeMembers(filesOf(join(release, svcMcp)), [
          "package/svc-mcp.js",
          "package/THIRD-PARTY-LICENSES"
        ])
        const sbom = JSON.parse(readFileSync(join(release, "pennypress-9.8.7.cdx.json"), "utf8"))
        const { component } = sbom.metadata
        assert.deepStrictEqual([component.name, component.version], ["pennypress", "9.8.7"])
        const { packages } = JSON.parse(git("show", "HEAD:package-lock.json"))
        const installed = Object.entries<any>(packages)
          .filter(([path, { dev }]) => path !== "" && dev !== true)
          .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`)
        const listed = sbom.components.map(({ "bom-ref": ref }: { readonly "bom-ref": string }) => ref)
        assert.sameMembers(listed, [...new Set(installed)])
        assert.include(listed, `effect@${packages["node_modules/effect"].version}`)
      }),
    900_000
  )
})
