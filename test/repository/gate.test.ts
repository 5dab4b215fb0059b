import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

/** Returns the steps that a change of these paths needs. */
const stepsFor = (...paths: ReadonlyArray<string>) =>
  execFileSync("bash", ["-c", ". .ci/steps.sh && needed"], { input: paths.join("\n"), encoding: "utf8" })
    .trim()
    .split("\n")

const ALWAYS = ["tests", "build", "lint"]
const ALL = [...ALWAYS, "package", "lock", "image", "install", "services", "browser", "long", "postgres15"]

describe("the steps of the gate", () => {
  it("Each step has a function, and each function is a step", () => {
    const functions = [...readFileSync(".ci/run", "utf8").matchAll(/^step_(\w+)\(\)/gm)].map(
      ([, name]) => name
    )
    assert.sameMembers(functions, ALL)
  })

  it("The end names each step that took longer than its bound", () => {
    const script = ". .ci/lib.sh; step_quick() { :; }; step_slow() { :; }; step quick 100; step slow -1"
    const output = execFileSync("bash", ["-euo", "pipefail", "-c", script], { encoding: "utf8" })
    assert.match(output, /^The step slow took \d+ seconds longer than its bound of -1\./m)
    assert.notInclude(output, "The step quick")
    assert.match(output, /^0 passed, 0 failed$/m)
  })

  it("A change of one wing needs what tests that wing", () => {
    assert.deepStrictEqual(stepsFor("README.md"), ALWAYS)
    assert.deepStrictEqual(stepsFor("src/engagement/follows/Follows.ts"), ALWAYS)
    assert.deepStrictEqual(stepsFor("src/web/write/http.ts"), [...ALWAYS, "install", "browser"])
    assert.deepStrictEqual(stepsFor("src/accounts/api-keys/apiKeys.sql.ts"), [
      ...ALWAYS,
      "install",
      "postgres15"
    ])
    assert.deepStrictEqual(stepsFor("layers/storage/s3/S3.ts", "src/web/layer.ts"), [
      ...ALWAYS,
      "install",
      "services",
      "browser",
      "long"
    ])
  })

  it("A change of what all steps use needs all of them", () => {
    for (const path of [
      "package-lock.json",
      ".ci/lib.sh",
      "test/support/Database.ts",
      "test/vitest.config.ts"
    ])
      assert.deepStrictEqual(stepsFor(path), ALL, path)
  })

  it("A change of a file that a step runs needs the step", () => {
    const needs: ReadonlyArray<readonly [string, string]> = [
      ["test/**/*.long.test.ts", "long"],
      ["test/services/*.test.ts", "services"],
      ["test/services/browser/*.test.ts", "browser"],
      ["migrations/*.ts", "postgres15"],
      ["src/**/*.sql.ts", "postgres15"],
      ["src/platform/pages/assets/*.js", "browser"],
      ["schemas/**/*.ts", "package"]
    ]
    for (const [pattern, step] of needs) {
      const paths = globSync(pattern)
      assert.isNotEmpty(paths, pattern)
      for (const path of [paths[0]!, paths.at(-1)!]) assert.include(stepsFor(path), step, path)
    }
  })
})
