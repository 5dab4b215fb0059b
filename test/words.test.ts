import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

interface Text {
  readonly file: string
  readonly line: number
  readonly text: string
}

const BLOCK = /\/\*\*?([\s\S]*?)\*\//g
/** Line comments that follow each other are one comment. */
const LINES = /(?:(?<=^|\s)\/\/ .*(?:\n[ \t]*(?=\/\/ ))?)+/g

/** The first argument of a test. A title may be a template. */
const TITLE =
  /(?<![\w.])(?:it|test|unit)(?:\.(?:effect|live|each|skipIf))*(?:\([^()]*\))?\(\s*(["'`])((?:\\.|(?!\1)[^\\])+)\1,/g

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
const commentsOf = (file: string, source: string): ReadonlyArray<Text> => {
  const code = source.replaceAll(BLOCK, (text) => text.replaceAll(/[^\n]/g, " "))
  const blocks = [...source.matchAll(BLOCK)].map(({ 1: text = "", index }) => ({ index, text: plain(text) }))
  const lines = [...withoutStrings(code).matchAll(LINES)].map(({ 0: { length }, index }) => ({
    index,
    text: plain(source.slice(index, index + length))
  }))
  return [...blocks, ...lines].map(({ index, text }) => ({ file, line: lineOf(source, index), text }))
}

/** Titles of the tests of a file, as they are written. */
const titlesOf = (file: string, source: string): ReadonlyArray<Text> =>
  [...source.matchAll(TITLE)].map(({ 2: text = "", index }) => ({ file, line: lineOf(source, index), text }))

const files = ["schemas", "src", "layers", "migrations", "test"].flatMap((folder) =>
  globSync(`${folder}/**/*.{ts,mjs}`).filter((file) => file !== "test/words.test.ts")
)
const comments = files.flatMap((file) => commentsOf(file, readFileSync(file, "utf8")))

const titles = globSync("test/**/*.ts").flatMap((file) => titlesOf(file, readFileSync(file, "utf8")))

const placeOf = ({ file, line, text }: Text) => `${file}:${line} ${text.slice(0, 80)}`
const found = (pattern: RegExp) => comments.filter(({ text }) => pattern.test(text)).map(placeOf)
const titled = (isWrong: (title: string) => boolean) =>
  titles.filter(({ text }) => isWrong(text)).map(placeOf)

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

  it("Comments use plain English", () => {
    assert.deepStrictEqual(
      found(
        /\b(whatever|whoever|anew|mend(s|ed|ing)?|of which|so many|is away|look(s|ing)? whether|(is|are|was|were) told)\b/i
      ),
      []
    )
  })

  it("Comments cite a rule of the specification as `spec 4.4.7`", () => {
    assert.deepStrictEqual(found(/\bspecification \d/), [])
  })
})

describe("the words of titles", () => {
  it("The check finds titles", () => {
    const source = [
      `it${'("A static title", () => {})'}`,
      `  it.effect.each${"([1, 2])(\n    `A title of ${n}`,"}`,
      `it.skipIf${'(isRoot)("A title in three \\"words\\"", () => {})'}`,
      `it.slice${'("no title", 1)'}`
    ].join("\n")
    assert.deepStrictEqual(
      titlesOf("a.ts", source).map(({ line, text }) => [line, text]),
      [
        [1, "A static title"],
        [2, "A title of ${n}"],
        [4, 'A title in three \\"words\\"']
      ]
    )
    assert.isAbove(titles.length, 2_500)
  })

  it("Titles are sentences: a capital letter, at least three words, and no full stop", () => {
    assert.deepStrictEqual(
      titled((title) => {
        const words = title.replaceAll(/\$\{[^}]*\}/g, "N").split(/\s+/)
        return !/^[A-Z]/.test(words[0] ?? "") || words.length < 3 || title.endsWith(".")
      }),
      []
    )
  })

  it("Titles use plain English", () => {
    const avoided =
      /\b(nobody|whoever|whatever|somebody|anybody|everybody|anew|mend|beside|at once|of which|so many|is away)\b/i
    assert.deepStrictEqual(
      titled((title) => avoided.test(title)),
      []
    )
  })

  it("Titles of one file are different", () => {
    const fixed = titles.filter(({ text }) => !text.includes("${"))
    const byTitle = Map.groupBy(fixed, ({ file, text }) => `${file} ${text}`)
    const twice = [...byTitle.values()].flatMap(([, ...others]) => others)
    assert.deepStrictEqual(twice.map(placeOf), [])
  })
})
