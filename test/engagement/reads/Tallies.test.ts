import { assert, describe, it } from "@effect/vitest"
import { type Counted, HASHES_MAX, Tallies, type Tally } from "../../../src/engagement/reads/Tallies.ts"

const READ: Counted = {
  day: 20_786,
  postId: "a",
  ownerId: null,
  browser: undefined,
  counts: ["people"],
  source: undefined,
  visitor: undefined
}

const plain = ({ counts, sources, visitors, ...of }: Tally) => ({
  ...of,
  counts: Object.fromEntries(counts),
  sources: Object.fromEntries(sources),
  visitors: [...visitors].toSorted((one, other) => one - other)
})

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("tallies", () => {
  it("Each Post and day, and each reader who is signed in, has a tally of its own", () => {
    const tallies = new Tallies()
    for (const of of [{}, { postId: "b" }, { day: 20_787 }, { ownerId: "owner" }, { browser: "token" }, {}])
      tallies.count({ ...READ, ...of })
    assert.deepStrictEqual(
      tallies.take().map(({ counts }) => counts.get("people")),
      [2, 1, 1, 1, 1]
    )
    assert.deepStrictEqual(tallies.take(), [])
  })

  it("What is given back joins what was counted meanwhile", () => {
    const tallies = new Tallies()
    tallies.count({ ...READ, counts: ["people", "people_walls"], source: "a.example", visitor: 1 })
    const taken = tallies.take()
    tallies.count({ ...READ, source: "a.example", visitor: 2 })
    tallies.giveBack(taken)
    assert.deepStrictEqual(tallies.take().map(plain), [
      {
        day: READ.day,
        postId: "a",
        ownerId: null,
        browser: undefined,
        counts: { people: 2, people_walls: 1 },
        sources: { "a.example": 2 },
        visitors: [1, 2]
      }
    ])
  })

  it("A tally has 50 sources, and adds up all others", () => {
    const tallies = new Tallies()
    for (const n of numbers(60)) tallies.count({ ...READ, source: `${n}.example` })
    tallies.count({ ...READ, source: "7.example" })
    const [tally] = tallies.take()
    assert.strictEqual(tally!.sources.size, 51)
    assert.strictEqual(tally!.sources.get("other"), 10)
    assert.strictEqual(tally!.sources.get("7.example"), 2)
  })

  it("A tally has the least hashes of any number of visitors, in any order", () => {
    const tallies = new Tallies()
    for (const n of numbers(10_000)) tallies.count({ ...READ, visitor: (n * 7_919) % 10_007 })
    const [tally] = tallies.take()
    assert.isBelow(tally!.visitors.size, 2 * HASHES_MAX)
    const least = numbers(10_000)
      .map((n) => (n * 7_919) % 10_007)
      .toSorted((one, other) => one - other)
      .slice(0, HASHES_MAX)
    assert.isTrue(least.every((hash) => tally!.visitors.has(hash)))
  })

  it("Invented tokens of browsers take no more memory than 10,000 readers", () => {
    const tallies = new Tallies()
    for (const n of numbers(10_100)) tallies.count({ ...READ, browser: `token ${n}` })
    const taken = tallies.take()
    assert.lengthOf(taken, 10_001)
    assert.strictEqual(taken.at(-1)?.counts.get("people"), 100)
  })
})
