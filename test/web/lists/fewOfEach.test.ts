import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { fewOfEach } from "../../../src/web/lists/fewOfEach.ts"
import { soak } from "../../support/soak.ts"
import { cardView } from "../pages/views.ts"

const postsOf = (authors: ReadonlyArray<number>) =>
  authors.map((author, index) =>
    cardView({ url: `/${index}`, author: { ...cardView().author, handle: `author_${author}` } })
  )

describe("the cards of a mixed list", () => {
  it("Each ten cards have at most two of an author, and every Post stands once on its page", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 8 }), { maxLength: 40 }), (authors) => {
        const posts = postsOf(authors)
        const entries = fewOfEach(posts)
        const shown = entries.flatMap(({ card, more }) => [card, ...more])
        assert.sameMembers(
          shown.map(({ url }) => url),
          posts.map(({ url }) => url)
        )
        const placeOf = (url: string) => Number(url.slice(1))
        const places = entries.map(({ card }) => placeOf(card.url))
        assert.deepStrictEqual(
          places,
          places.toSorted((one, other) => one - other)
        )
        for (const { card, more } of entries)
          for (const it of more) {
            assert.strictEqual(it.author.handle, card.author.handle)
            assert.isAbove(placeOf(it.url), placeOf(card.url))
          }
        if (new Set(authors).size < 5) return assert.strictEqual(entries.length, posts.length)
        for (let from = 0; from < entries.length; from++) {
          const handles = entries.slice(from, from + 10).map(({ card }) => card.author.handle)
          for (const handle of handles)
            assert.isAtMost(handles.filter((it) => it === handle).length, 2, handles.join())
        }
      }),
      { numRuns: soak(200, 5_000) }
    )
  })

  it("A third Post in a row stands below the second, and the author returns after eight others", () => {
    const entries = fewOfEach(postsOf([0, 0, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0]))
    assert.deepStrictEqual(
      entries.map(({ card, more }) => [card.url, more.map(({ url }) => url)]),
      [
        ["/0", []],
        ["/1", ["/2", "/7"]],
        ["/3", []],
        ["/4", []],
        ["/5", []],
        ["/6", []],
        ["/8", []],
        ["/9", []],
        ["/10", []],
        ["/11", []],
        ["/12", []]
      ]
    )
  })
})
