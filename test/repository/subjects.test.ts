import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasGit, scratchCheckout } from "./scratchCheckout.ts"

const checkout = scratchCheckout(".ci/subjects")

const LONGEST = `Refuse ${"é".repeat(65)}`

describe.skipIf(!hasGit)("the subjects of commits", () => {
  it.effect("A subject of 72 characters passes", () =>
    Effect.gen(function* () {
      const { commit, run } = yield* checkout
      commit(LONGEST)
      assert.deepStrictEqual(run(".ci/subjects"), { status: 0, output: "" })
    })
  )

  it.effect("A long subject, one with a semicolon and one with a period are refused", () =>
    Effect.gen(function* () {
      const { commit, run } = yield* checkout
      for (const [subject, problem] of [
        [`${LONGEST}é`, "has 73 characters, and may have 72"],
        ["Add a page; remove a table", "joins changes with a semicolon, and needs a commit for each"],
        ["Add a page.", "ends with a period"]
      ] as const) {
        commit(subject)
        const { output, status } = run(".ci/subjects")
        assert.strictEqual(status, 1)
        assert.include(output, `${problem}: "${subject}"\n`)
      }
      assert.lengthOf(run(".ci/subjects").output.trim().split("\n"), 3)
    })
  )

  it.effect("Only the last 20 commits count, and merges do not", () =>
    Effect.gen(function* () {
      const { commit, git, run } = yield* checkout
      commit("Add a page.")
      for (let n = 1; n <= 19; n++) commit(`Add page ${n}`)
      assert.strictEqual(run(".ci/subjects").status, 1)
      git("checkout", "--quiet", "-b", "other")
      commit("Add page 20")
      git("checkout", "--quiet", "main")
      git("merge", "--quiet", "--no-ff", "--message", `Merge ${"0".repeat(80)}`, "other")
      assert.deepStrictEqual(run(".ci/subjects"), { status: 0, output: "" })
    })
  )

  it.effect("A source archive passes the check", () =>
    Effect.gen(function* () {
      const { commit, directory, run } = yield* checkout
      commit("Add a page.")
      rmSync(join(directory, ".git"), { recursive: true })
      assert.deepStrictEqual(run(".ci/subjects"), {
        status: 0,
        output: "subjects: there is no history to check\n"
      })
    })
  )
})
