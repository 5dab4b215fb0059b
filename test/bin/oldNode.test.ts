import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Lets Node claim to be of another version. */
const claiming = (version: string) =>
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`

/** Runs a program by a Node of this version. Programs that it runs have no other Node. */
const runBy = (version: string, program: string, words: ReadonlyArray<string> = [], env: object = {}) =>
  spawnSync(process.execPath, ["--import", claiming(version), at(program), ...words], {
    encoding: "utf8",
    env: { PATH: "/nowhere", ...env }
  })

/** As npm runs the step before a script. */
const byNpm = { npm_lifecycle_event: "prestart" }

const engines: string = JSON.parse(readFileSync(at("package.json"), "utf8")).engines.node
const oldest = engines.replace(">=", "")
const [major = 0, minor = 0] = oldest.split(".").map(Number)
const tooOld = ["20.20.2", `${major - 1}.99.0`, `${major}.${minor - 1}.5`]

describe("an old Node.js", () => {
  it("The command says which version it needs in one sentence, and ends with 1", () => {
    for (const version of tooOld) {
      const { status, stderr, stdout } = runBy(version, "src/bin/pennypress.ts", ["serve"])
      assert.strictEqual(
        stderr,
        `pennypress: Node.js ${version} is too old; install Node.js ${oldest} or newer.\n`
      )
      assert.deepStrictEqual([status, stdout], [1, ""])
    }
    assert.strictEqual(runBy(`${oldest}.0`, "src/bin/pennypress.ts", ["--version"]).status, 0)
  })

  it("The step before npm start says the same", () => {
    for (const version of tooOld) {
      const { status, stderr } = runBy(version, "src/bin/install.mjs", [], byNpm)
      assert.strictEqual(
        stderr,
        `pennypress: Node.js ${version} is too old; install Node.js ${oldest} or newer.\n`
      )
      assert.strictEqual(status, 1)
    }
    assert.strictEqual(runBy(`${oldest}.0`, "src/bin/install.mjs", [], byNpm).stderr, "")
    // The gate installs by itself, and runs all else by npm, with the Node of node_modules.
    const { status, stderr } = runBy(tooOld[0] ?? "", "src/bin/install.mjs")
    assert.deepStrictEqual([status, stderr], [0, ""])
  })
})
