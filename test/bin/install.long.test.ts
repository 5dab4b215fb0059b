import { spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"

const script = fileURLToPath(new URL("../../src/bin/install.mjs", import.meta.url))

/** Creates a project with one dependency, which comes from a folder and needs no network. */
const project = Effect.tap(temporaryDirectory, (root) =>
  Effect.sync(() => {
    mkdirSync(join(root, "dependency"))
    mkdirSync(join(root, "src", "bin"), { recursive: true })
    cpSync(script, join(root, "src", "bin", "install.mjs"))
    writeFileSync(join(root, "dependency", "package.json"), `{ "name": "dependency", "version": "1.0.0" }`)
    const manifest = { name: "project", version: "1.0.0", dependencies: { dependency: "file:dependency" } }
    writeFileSync(join(root, "package.json"), JSON.stringify(manifest))
    spawnSync("npm", ["install", "--package-lock-only", "--offline"], { cwd: root })
  })
)

interface Run {
  readonly status: number | null
  readonly output: string
}

const install = (root: string) =>
  Effect.callback<Run>((resume) => {
    const child = spawn(process.execPath, [join(root, "src", "bin", "install.mjs")], {
      env: { ...process.env, npm_config_offline: "true" }
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
    }
    child.once("close", (status) => resume(Effect.succeed({ status, output })))
  })

const silent: Run = { status: 0, output: "" }
const lines = (run: Run) => run.output.trim().split("\n").length
const lockOf = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8")
const isInstalled = (root: string) => existsSync(join(root, "node_modules", "dependency", "package.json"))

describe.concurrent("install", () => {
  it.effect("installs what is missing with one line, and is silent when nothing is", () =>
    Effect.gen(function* () {
      const root = yield* project
      const lock = lockOf(root)
      const first = yield* install(root)
      assert.strictEqual(first.status, 0, first.output)
      assert.strictEqual(lines(first), 1, first.output)
      assert.isTrue(isInstalled(root))
      assert.deepStrictEqual(yield* install(root), silent)
      assert.strictEqual(lockOf(root), lock)
    })
  )

  it.effect("installs again when the lock file is another one", () =>
    Effect.gen(function* () {
      const root = yield* project
      yield* install(root)
      writeFileSync(join(root, "package-lock.json"), `${lockOf(root)}\n`)
      rmSync(join(root, "node_modules", ".package-lock.json"))
      const lock = lockOf(root)
      assert.strictEqual(lines(yield* install(root)), 1)
      assert.strictEqual(lockOf(root), lock)
      assert.deepStrictEqual(yield* install(root), silent)
    })
  )

  it.effect("sees what npm itself has installed", () =>
    Effect.gen(function* () {
      const root = yield* project
      spawnSync("npm", ["install", "--offline"], { cwd: root })
      assert.deepStrictEqual(yield* install(root), silent)
    })
  )

  it.effect("installs once when several run at once", () =>
    Effect.gen(function* () {
      const root = yield* project
      const runs = yield* Effect.all([install(root), install(root), install(root)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        runs.map((run) => run.status),
        [0, 0, 0]
      )
      assert.strictEqual(runs.filter((run) => run.output !== "").length, 1)
      assert.isTrue(isInstalled(root))
    })
  )

  it.effect("takes over from a killed process", () =>
    Effect.gen(function* () {
      const root = yield* project
      mkdirSync(join(root, "node_modules"))
      const { pid } = spawnSync(process.execPath, ["--version"])
      writeFileSync(join(root, "node_modules", ".pennypress-installing"), String(pid))
      assert.strictEqual((yield* install(root)).status, 0)
      assert.isTrue(isInstalled(root))
    })
  )

  it.effect("fails with the message of npm", () =>
    Effect.gen(function* () {
      const root = yield* project
      writeFileSync(join(root, "package.json"), `{ "dependencies": { "not-there": "1.0.0" } }`)
      const run = yield* install(root)
      assert.strictEqual(run.status, 1)
      assert.include(run.output, "npm install failed")
    })
  )
})
