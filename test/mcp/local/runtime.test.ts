import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../../support/directories.ts"
import { PROGRAM } from "./svcMcp.ts"

/** Runs the program on a Node that says that it has this version. */
const runOn = (version: string, args: ReadonlyArray<string>, program = PROGRAM) =>
  Effect.callback<{ readonly code: number; readonly output: string; readonly log: string }>((resume) => {
    const claim = `Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
    const child = execFile(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(claim)}`, program, ...args],
      (error, output, log) =>
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), output, log }))
    )
    child.stdin?.end()
  })

describe("the Node of svc-mcp", () => {
  it.live("An unsuitable Node makes nothing, and one line says which version is needed and where it is", () =>
    Effect.gen(function* () {
      const state = join(yield* temporaryDirectory, "state")
      const args = ["--origin", "http://localhost:4", "--state-dir", state, "serve"]
      yield* Effect.forEach(
        ["22.99.0", "24.14.1", "25.0.0"],
        (version) =>
          Effect.gen(function* () {
            const { code, log, output } = yield* runOn(version, args)
            assert.strictEqual(code, 69, version)
            assert.strictEqual(output, "")
            assert.strictEqual(
              log,
              `svc-mcp: This program runs on Node 24.15 or newer of the 24.x line, and this is ${version}. Start it with \`node_modules/.bin/node\` of a clone of Pennypress, or install Node 24 from https://nodejs.org.\n`
            )
          }),
        { concurrency: 2 }
      )
      const inClone = yield* runOn("20.1.0", args, join(process.cwd(), "src/bin/svc-mcp.ts"))
      assert.include(inClone.log, `Start it with ${join(process.cwd(), "node_modules/.bin/node")}.`)
      assert.isFalse(existsSync(state))
      for (const version of ["24.15.0", "24.16.1"]) {
        const { code, log } = yield* runOn(version, ["--version"])
        assert.strictEqual(code, 0, log)
      }
    })
  )
})
