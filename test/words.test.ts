import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

interface Comment {
  readonly file: string
  readonly line: number
  readonly text: string
}

const BLOCK = /\/\*\*?([\s\S]*?)\*\//g
/** Line comments that follow each other are one comment. */
const LINES = /(?:(?<=^|\s)\/\/ .*(?:\n[ \t]*(?=\/\/ ))?)+/g

const lineOf = (source: string, index: number) => source.slice(0, index).split("\n").length

/** Strings are blanked, so that `//` inside one begins no comment. */
const withoutStrings = (source: string) =>
  source.replaceAll(
    /(["'`])(?:\\.|(?!\1)[^\\\n])*\1/g,
    (text) => text[0] + " ".repeat(text.length - 2) + text[0]
  )

const plain = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim().replace(/^(\*|\/\/) ?/, ""))
    .join(" ")
    .trim()

/** Comments of a TypeScript file, each as one line of text. */
const commentsOf = (file: string, source: string): ReadonlyArray<Comment> => {
  const code = source.replaceAll(BLOCK, (text) => text.replaceAll(/[^\n]/g, " "))
  const blocks = [...source.matchAll(BLOCK)].map(({ 1: text = "", index }) => ({ index, text: plain(text) }))
  const lines = [...withoutStrings(code).matchAll(LINES)].map(({ 0: { length }, index }) => ({
    index,
    text: plain(source.slice(index, index + length))
  }))
  return [...blocks, ...lines].map(({ index, text }) => ({ file, line: lineOf(source, index), text }))
}

const files = ["schemas", "src", "layers", "migrations", "test"].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,mjs}`).filter((file) => file !== "test/words.test.ts")
)
const comments = files.flatMap((file) => commentsOf(file, readFileSync(file, "utf8")))

const found = (pattern: RegExp) =>
  comments
    .filter(({ text }) => pattern.test(text))
    .map(({ file, line, text }) => `${file}:${line} ${text.slice(0, 80)}`)

describe("the words of comments", () => {
  it("The check finds comments", () => {
    const source = `/${"** What a is. */"}\nconst a = "// Who" // Where it is\nconst b = 1\n// Two lines\n// of one comment\n`
    assert.deepStrictEqual(
      commentsOf("a.ts", source).map(({ line, text }) => [line, text]),
      [
        [1, "What a is."],
        [2, "Where it is"],
        [4, "Two lines of one comment"]
      ]
    )
  })

  it("Comments begin with a verb or a noun, not with a question", () => {
    assert.deepStrictEqual(found(/^(What|Whether|Who|Whom|Whose|How|Which|Where|Why)\b/), [])
  })

  it("Comments say who acts", () => {
    assert.deepStrictEqual(found(/\b(nobody|whoever|whomever|somebody|anybody|everybody)\b/i), [])
  })

  it("Comments cite a rule of the specification as `spec 4.4.7`", () => {
    assert.deepStrictEqual(found(/\bspecification \d/), [])
  })
})
