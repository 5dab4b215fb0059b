import { assert, describe, it } from "@effect/vitest"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { makeSectionFacts, urlsIn, urlsReplaced } from "../../../../src/publishing/imports/conversion/urls.ts"

const source =
  "![a](pic.png \"t\") [b](<x y.md>) ![c][d] [e][f] `[g](pic.png)` <https://a.test/>\n\n[d]: pic.png\n[f]: other.md 'title'\n"

describe("addresses of a section", () => {
  it("Pictures and links are found, also those of references", () => {
    const { images, links } = urlsIn(source)
    assert.deepStrictEqual(
      images.map(({ url }) => url),
      ["pic.png"]
    )
    assert.deepStrictEqual(
      links.map(({ url }) => url),
      ["x y.md", "other.md", "https://a.test/"]
    )
  })

  it("A text is parsed once for its addresses and its first words", () => {
    const factsOf = makeSectionFacts()
    const { excerpt, ...urls } = factsOf(source)
    assert.deepStrictEqual(urls, urlsIn(source))
    assert.strictEqual(excerpt, readMarkdown(source).excerpt)
    assert.strictEqual(factsOf(`${source}`), factsOf(source))
  })

  it("Addresses are replaced in their places, and all else stays", () => {
    const replaced = urlsReplaced(source, (url, kind) =>
      kind === "image" ? "https://m.test/1.png" : url === "other.md" ? "https://m.test/@a/(b)" : undefined
    )
    assert.strictEqual(
      replaced,
      source
        .replace("![a](pic.png", "![a](https://m.test/1.png")
        .replace("[d]: pic.png", "[d]: https://m.test/1.png")
        .replace("other.md", "https://m.test/@a/%28b%29")
    )
  })
})
