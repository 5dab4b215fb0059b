import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { savedSocialLinks } from "../../../src/accounts/profile/Profiles.ts"

const url = "https://example.com/ada"
const labelsOf = (...labels: ReadonlyArray<string>) =>
  savedSocialLinks(labels.map((label) => ({ label, url }))).map((link) => link.label)

describe("saved social links (4.2.4)", () => {
  it("A label becomes X or Custom", () => {
    for (const label of ["x", "X", "twitter", "Twitter", "TWITTER"])
      assert.deepStrictEqual(labelsOf(label), ["X"])
    for (const label of ["Custom", "My page", "xx", "twitter.com"])
      assert.deepStrictEqual(labelsOf(label), ["Custom"])
  })

  it("Links keep their order, and the first of each category stays", () => {
    assert.deepStrictEqual(labelsOf("Blog", "twitter"), ["Custom", "X"])
    assert.deepStrictEqual(
      savedSocialLinks([
        { label: "x", url: "https://x.com/first" },
        { label: "Twitter", url: "https://x.com/second" }
      ]),
      [{ label: "X", url: "https://x.com/first" }]
    )
    assert.deepStrictEqual(labelsOf(), [])
  })

  it("Saving a saved link again does not change it", () => {
    const link = fc.record({
      label: fc.oneof(fc.string(), fc.constantFrom("x", "TWITTER")),
      url: fc.nat().map((page) => `${url}/${page}`)
    })
    fc.assert(
      fc.property(fc.array(link, { maxLength: 5 }), (links) => {
        const saved = savedSocialLinks(links)
        assert.strictEqual(new Set(saved.map((it) => it.label)).size, saved.length)
        assert.deepStrictEqual(savedSocialLinks(saved), saved)
        assert.isTrue(saved.every((it) => links.some((sent) => sent.url === it.url)))
      })
    )
  })
})
