import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"

const script = fileURLToPath(new URL("../../src/bin/install.mjs", import.meta.url))

const npm = (root: string, ...words: ReadonlyArray<string>) =>
  spawnSync("npm", [...words, "--offline"], { cwd: root })

/** Packs an empty package of this version and returns how a project depends on it: without a network. */
const packed = (root: string, name: string, version: string) => {
  mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, name, "package.json"), JSON.stringify({ name, version }))
  npm(root, "pack", `./${name}`)
  return { [name]: `file:${name}-${version}.tgz` }
}

/** Writes package.json and package-lock.json, with one dependency of this version and one for development. */
const lockProject = (root: string, version: string) => {
  const manifest = {
    dependencies: packed(root, "needed", version),
    devDependencies: packed(root, "tool", "1.0.0")
  }
  writeFileSync(join(root, "package.json"), JSON.stringify(manifest))
  npm(root, "install", "--package-lock-only")
}

const project = Effect.tap(temporaryDirectory, (root) =>
  Effect.sync(() => {
    mkdirSync(join(root, "src", "bin"), { recursive: true })
    cpSync(script, join(root, "src", "bin", "install.mjs"))
    lockProject(root, "1.0.0")
  })
)

const install = (root: string, ...options: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [join(root, "src", "bin", "install.mjs"), ...options],
    { encoding: "utf8", env: { ...process.env, npm_config_offline: "true" } }
  )
  return { status, output: stdout + stderr }
}

const silent = { status: 0, output: "" }

/** The lines of an installation of this number of packages that takes less than ten seconds. */
const announced = (packages: string) => ({
  status: 0,
  output: `Installing ${packages} with npm, for the first time or after an update.\nThis takes between half a minute and a few minutes …\n`
})
const lockOf = (root: string) => readFileSync(join(root, "package-lock.json"), "utf8")
const isInstalled = (root: string, name: string) =>
  existsSync(join(root, "node_modules", name, "package.json"))

describe("install", () => {
  it.effect(
    "Missing packages are installed with a word about the time, and nothing is said if none is missing",
    () =>
      Effect.gen(function* () {
        const root = yield* project
        const lock = lockOf(root)
        assert.deepStrictEqual(install(root), announced("1 package"))
        assert.isTrue(isInstalled(root, "needed"))
        assert.isTrue(isInstalled(root, "tool"))
        assert.deepStrictEqual(install(root, "--include=dev"), silent)
        assert.strictEqual(lockOf(root), lock)
      })
  )

  it.effect("Packages are installed again when the lock file names another version", () =>
    Effect.gen(function* () {
      const root = yield* project
      install(root)
      const newer = yield* temporaryDirectory
      lockProject(newer, "2.0.0")
      cpSync(newer, root, { recursive: true })
      assert.deepStrictEqual(install(root), announced("1 package"))
      assert.deepStrictEqual(install(root), silent)
    })
  )

  it.effect("An installation by npm itself is recognized", () =>
    Effect.gen(function* () {
      const root = yield* project
      npm(root, "install")
      assert.deepStrictEqual(install(root), silent)
    })
  )

  it.effect("Packages for development are installed only on request", () =>
    Effect.gen(function* () {
      const root = yield* project
      npm(root, "ci", "--omit=dev")
      assert.deepStrictEqual(install(root), silent)
      assert.isFalse(isInstalled(root, "tool"))
      assert.deepStrictEqual(install(root, "--include=dev"), announced("2 packages"))
      assert.isTrue(isInstalled(root, "tool"))
    })
  )

  it.effect("A failure shows the message of npm", () =>
    Effect.gen(function* () {
      const root = yield* project
      writeFileSync(join(root, "package.json"), `{ "dependencies": { "not-there": "1.0.0" } }`)
      const run = install(root)
      assert.strictEqual(run.status, 1)
      assert.match(run.output, /npm error[^]*not-there[^]*\nnpm ci failed\n$/)
    })
  )
})
