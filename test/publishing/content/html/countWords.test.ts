import { assert, describe, it } from "@effect/vitest"
import { pageText } from "../../../../src/publishing/content/html/pageText.ts"

const wordsOf = (source: string) => pageText(source, () => undefined).words

describe("the words of a text", () => {
  for (const [source, words] of [
    ["", 0],
    ["***\n\n!", 0],
    ["One, two – three!", 3],
    ["# One\n\nTwo *three*four.\n\n- five\n- six", 5],
    ["| a | b |\n|---|---|\n| c | d |", 4],
    ["[A link](https://example.org/a/very/long/address?of=many&words=1)", 2],
    ["![Described](https://example.org/a.png)", 0],
    ["Слова считаются и здесь", 4],
    ["これは日本語です。", 4],
    ["👍🏽 \u200b\u200d", 0]
  ] as const)
    it(`The text ${JSON.stringify(source)} has ${words} words`, () => {
      assert.strictEqual(wordsOf(source), words)
    })
})
