import { assert, describe, it } from "@effect/vitest"
import { targetsOf } from "../../../src/publishing/imports/steps/itemTexts.ts"

const target = (name: string, aliases: ReadonlyArray<string>, source_slug: string | null = null) => ({
  name,
  aliases,
  source_slug
})

describe("targets of links", () => {
  it("An old address comes before a slug, and a slug that several have leads nowhere", () => {
    const targetOf = targetsOf([
      target("a", ["path:/a", "p:1"], "one"),
      target("b", ["path:/b"], "two"),
      target("c", ["path:/a"], "two"),
      target("d", [], "two"),
      target("e", [])
    ])
    const nameOf = (keys: ReadonlyArray<string>, slug: string | null) => targetOf({ keys, slug })?.name
    assert.strictEqual(nameOf(["p:1"], "two"), "a")
    assert.strictEqual(nameOf(["x", "path:/b"], "one"), "b")
    assert.strictEqual(nameOf(["path:/a"], null), "a")
    assert.strictEqual(nameOf([], "one"), "a")
    assert.isUndefined(nameOf([], "two"))
    assert.isUndefined(nameOf(["constructor"], null))
  })

  it("Many links and targets are looked up in linear time", () => {
    const numbers = Array.from({ length: 50_000 }, (_, n) => n)
    const targetOf = targetsOf(numbers.map((n) => target(`${n}`, [`p:${n}`, `path:/${n}`], `s${n}`)))
    assert.isTrue(numbers.every((n) => targetOf({ keys: [`none:${n}`], slug: `s${n}` })?.name === `${n}`))
  })
})
