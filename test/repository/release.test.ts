import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasGit, scratchCheckout } from "./scratchCheckout.ts"

const OLDER = "## 0.1.0 (2026-01-02)\n\n- The first.\n"

/** A clean checkout whose changelog ends with these sections. */
const checkoutWith = Effect.fnUntraced(function* (sections: string) {
  const checkout = yield* scratchCheckout(".ci/release", "package.json", "package-lock.json")
  checkout.write("CHANGELOG.md", `# Changelog\n\n${sections}`)
  checkout.commit("Begin")
  return checkout
})

describe.skipIf(!hasGit)("a release", () => {
  it.effect("A dry run says each step and changes nothing", () =>
    Effect.gen(function* () {
      const { git, run } = yield* checkoutWith(`## Unreleased\n\n- A page.\n\n${OLDER}`)
      const { output, status } = run(".ci/release", "0.2.0")
      assert.strictEqual(status, 0, output)
      const steps = output.split("\n").filter((line) => line.startsWith("+ "))
      assert.deepStrictEqual(
        steps.map((step) => step.replace(/\d{4}-\d{2}-\d{2}/, "today")),
        [
          "+ npm version 0.2.0 --no-git-tag-version --allow-same-version --ignore-scripts",
          `+ CHANGELOG.md: "## Unreleased" becomes "## 0.2.0 (today)"`,
          "+ npm run build",
          "+ rm -rf dist/release",
          "+ mkdir dist/release",
          "+ npm pack --ignore-scripts --loglevel=error --pack-destination dist/release",
          "+ pack pennypress-client",
          "+ npm run build:svc-mcp",
          "+ pack svc-mcp",
          "+ write_sbom pennypress-0.2.0.cdx.json",
          "+ git commit --quiet -m Release 0.2.0 -- package.json package-lock.json CHANGELOG.md",
          "+ git tag -a v0.2.0 -m Pennypress 0.2.0"
        ]
      )
      assert.include(output, "This was a dry run.")
      assert.strictEqual(git("status", "--porcelain"), "")
      assert.strictEqual(git("tag"), "")
      assert.strictEqual(git("log", "--format=%s"), "Begin")
    })
  )

  it.effect("The section may have the name of the version", () =>
    Effect.gen(function* () {
      const { run } = yield* checkoutWith("## 0.2.0\n\n- A page.\n")
      const { output, status } = run(".ci/release", "0.2.0")
      assert.strictEqual(status, 0, output)
      assert.include(output, `"## 0.2.0" becomes "## 0.2.0 (`)
    })
  )

  it.effect("The section may have the date of an earlier attempt", () =>
    Effect.gen(function* () {
      const { run } = yield* checkoutWith(OLDER)
      const { output, status } = run(".ci/release", "0.1.0")
      assert.strictEqual(status, 0, output)
      assert.include(output, `"## 0.1.0 (2026-01-02)" becomes "## 0.1.0 (`)
    })
  )

  it.effect("A changelog without one section for the release is refused", () =>
    Effect.gen(function* () {
      for (const [sections, problem] of [
        [OLDER, `has no section "## Unreleased" or "## 0.2.0"`],
        [`## Unreleased\n\n${OLDER}`, `the section "## Unreleased" of CHANGELOG.md is empty`],
        ["## Unreleased\n\n- A page.\n\n## 0.1.0\n\n- The first.\n", "may have one section without a date"]
      ] as const) {
        const { git, run } = yield* checkoutWith(sections)
        const { output, status } = run(".ci/release", "0.2.0", "--really")
        assert.strictEqual(status, 1)
        assert.include(output, problem)
        assert.strictEqual(git("status", "--porcelain"), "")
      }
    })
  )

  it.effect("A checkout with changes, a known tag and a wrong version are refused", () =>
    Effect.gen(function* () {
      const { git, run, write } = yield* checkoutWith("## Unreleased\n\n- A page.\n")
      for (const wrong of ["", "0.2", "v0.2.0", "minor"]) {
        assert.include(run(".ci/release", wrong).output, "give a version")
      }
      git("tag", "v0.2.0")
      assert.include(run(".ci/release", "0.2.0").output, "the tag v0.2.0 exists already")
      write("a.txt", "a change")
      const { output, status } = run(".ci/release", "--really", "0.2.1")
      assert.strictEqual(status, 1)
      assert.include(output, "the checkout has changes")
    })
  )
})
