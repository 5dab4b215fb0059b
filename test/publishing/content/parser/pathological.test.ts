import { assert, describe, it } from "@effect/vitest"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"
import { soak } from "../../../support/soak.ts"
import { growing, patterns } from "./pathologicalPatterns.ts"

/** Characters of the longest section. */
const LENGTH = 200_000
/** Characters of a section that is read: most of the slow ones are refused unread at the full length. */
const LONGER = soak(20_000, LENGTH)
/** A generous limit, because machines differ. */
const MILLIS_MAX = 4000
/** Characters of each pattern, and its limit. The short form finds what is quadratic as soon as 4,000 would. */
const PATTERN_CHARACTERS = soak(2_000, 6_000)
const PATTERN_MILLIS_MAX = soak(MILLIS_MAX / 4, MILLIS_MAX)

/** Reads a source. Returns the reading with the milliseconds of the processor that it took. */
const timed = (source: string) => {
  const before = process.threadCpuUsage()
  const reading = readMarkdown(source)
  const { system, user } = process.threadCpuUsage(before)
  return { ...reading, millis: (system + user) / 1000 }
}

/** Writes an ordinary chapter: headings, prose, lists, links, tables and code. */
const chapter = (at: number) => `## Chapter ${at}: what *happens* next

The **quick** brown fox [jumps](https://a.test/foxes/${at} "fox ${at}") over the \`lazy\` dog, and _nobody_ knows why. It is
said that ~~dogs~~ foxes & hounds, all ${at} of them, are [friends][friends] — or ++were++, once upon a time; see
<https://a.test/${at}>. A sentence that goes on for a while without any marks at all is what most of a text is made of,
and so there is another one here that says nothing, at some length, about foxes (or dogs).

1. First, a thing\\
   with a second line.
2. Second, another:
   - with **points**,
   - and [more](https://a.test/more).

> A quotation of ${at} words,
> on two lines.

| Animal | Legs | Weight |
| :----- | ---: | ------ |
| Fox    |    4 | ${at} kg  |
| Hen    |    2 | \`3\` kg |

\`\`\`js
for (const fox of foxes) {
  if (fox.isQuick && !dog.isLazy) fox.jump(over(dog), { times: ${at} })
}
\`\`\`

[friends]: https://a.test/friends

`

describe("a section of 200,000 characters of ordinary prose", () => {
  const source = growing(chapter, LENGTH).slice(0, LENGTH)

  it("Prose of 200,000 characters is read", () => {
    const { excerpt, isTooComplex, millis, unsupported } = timed(source)
    assert.isFalse(isTooComplex)
    assert.deepStrictEqual(unsupported, [])
    assert.isTrue(excerpt.startsWith("The quick brown fox jumps over the lazy dog, and nobody knows why."))
    console.log(`200,000 characters of what people write: ${Math.round(millis)} ms`)
    assert.isBelow(millis, MILLIS_MAX)
  })

  it("Prose with other line ends is read", () => {
    for (const end of ["\r\n", "\r"]) {
      const { isTooComplex, unsupported } = readMarkdown(source.replaceAll("\n", end).slice(0, LONGER))
      assert.isFalse(isTooComplex, JSON.stringify(end))
      assert.deepStrictEqual(unsupported, [])
    }
  })
})

describe("a table", () => {
  const tableOf = (columns: number, rows: number) =>
    `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|a|\n".repeat(rows)}`

  it("A table is read only as far as its rows stay in proportion to the text", () => {
    assert.isFalse(readMarkdown(tableOf(100, 100)).isTooComplex)
    assert.isTrue(readMarkdown(tableOf(100, 200)).isTooComplex)
    assert.isTrue(readMarkdown(tableOf(10_000, 10_000)).isTooComplex)
  })
})

describe("a section of thousands of characters", () => {
  for (const [name, pattern] of patterns) {
    it(`A section of ${name} is read or refused soon`, () => {
      assert.isBelow(timed(pattern(PATTERN_CHARACTERS)).millis, PATTERN_MILLIS_MAX)
    })
  }
})

// The slowest pieces, and pieces that are known to hang parsers.
const worst = "[,![,[a](,[a](b ,~*,**x [a*](b) ,<br>\n,|a,- -\n,- a\nb\n,1. ,[a]: <\n".split(",")

describe("a longer section", () => {
  for (const piece of worst) {
    it(`A longer section of ${JSON.stringify(piece)} is read or refused soon`, () => {
      assert.isBelow(timed(piece.repeat(LONGER / piece.length)).millis, MILLIS_MAX)
    })
  }
})
