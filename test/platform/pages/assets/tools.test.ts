import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type Edit,
  type Field,
  inverse,
  letterOf,
  linkTo,
  newLine,
  type Tool,
  use
} from "../../../../src/platform/pages/assets/tools.js"
import { renderHtml } from "../../../../src/publishing/content/html/renderHtml.ts"
import { soak } from "../../../support/soak.ts"

/** Returns a field whose selection is between the bars, or whose caret is at the one bar. */
const fieldOf = (marked: string): Field => {
  const [before = "", selected, after] = marked.split("|")
  return after === undefined
    ? { value: before + selected, start: before.length, end: before.length }
    : { value: before + selected + after, start: before.length, end: before.length + (selected ?? "").length }
}

const after = ({ value }: Field, { end, from, insert, start, to }: Edit): Field => ({
  value: value.slice(0, from) + insert + value.slice(to),
  start,
  end
})

const used = (tool: Tool, field: Field) => {
  const edit = use(tool, field)
  return edit === undefined ? undefined : after(field, edit)
}

/** Uses a tool, and marks the selection with bars. */
const shown = (tool: Tool, text: string) => {
  const field = used(tool, fieldOf(text))
  if (field === undefined) return undefined
  const { end, start, value } = field
  return start === end
    ? `${value.slice(0, start)}|${value.slice(start)}`
    : `${value.slice(0, start)}|${value.slice(start, end)}|${value.slice(end)}`
}

const ELEMENTS = {
  bold: "strong",
  italic: "em",
  underline: "u",
  strike: "del",
  link: "a",
  code: "code"
} as const
type Words = keyof typeof ELEMENTS
const WORDS = Object.keys(ELEMENTS) as ReadonlyArray<Words>

const render = (markdown: string) => renderHtml(markdown, "https://a.test/")

/** Returns the words that a page shows. */
const wordsOf = (markdown: string) =>
  render(markdown)
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** Tells if the word stands within an element, also behind another one of its kind. */
const isWithin = (text: string, element: string) => {
  let depth = 0
  for (const [all] of text.matchAll(/<[^>]*>|Zqx/g)) {
    if (new RegExp(`^</?${element}\\b`).test(all)) depth += all.startsWith("</") ? -1 : 1
    // The address of a link may have the word, too.
    if (all.includes("Zqx")) return depth > 0
  }
  return false
}

describe("the tools for words", () => {
  const cases: ReadonlyArray<readonly [tool: Tool, before: string, after: string | undefined, why: string]> =
    [
      ["bold", "|word|", "**|word|**", "marks stand around a selection"],
      ["bold", "one wo|rd two", "one **wo|rd** two", "a caret means the word around it"],
      ["bold", "one word| two", "one **word|** two", "a caret at the end of a word means that word"],
      ["bold", "one| word |two", "one| **word** |two", "spaces stay outside"],
      ["bold", "un|believ|able", "un**|believ|**able", "half a word can be bold"],
      ["italic", "|日|本語", "*|日|*本語", "half a word without spaces can be italic"],
      [
        "bold",
        "日本|「重要」|です",
        "日本|「**重要**」|です",
        "marks stand within brackets that follow a letter"
      ],
      [
        "bold",
        "他说|“你好”|吗",
        "他说|“**你好**”|吗",
        "marks stand within quotation marks that follow a letter"
      ],
      [
        "bold",
        "아주 |굵게(bold)|는 것",
        "아주 **|굵게(bold)|는** 것",
        "a particle becomes bold with its word"
      ],
      ["bold", "see |(this)| now", "see **|(this)|** now", "marks stand around brackets between spaces"],
      ["underline", "|C++|", "++|C\\+\\+|++", "marks of the words are escaped"],
      ["strike", "|80~100| euros", "~~|80~100|~~ euros", "a range can be struck out"],
      ["bold", "|one\n\ntwo|", "**|one**\n\n**two|**", "each paragraph has marks of its own"],
      ["bold", "|one\ntwo|", "**|one\ntwo|**", "the lines of a paragraph share their marks"],
      ["bold", "- |one\n- two|", "- **|one**\n- **two|**", "each item has marks of its own"],
      ["bold", "> |one\n> two|", "> **|one\n> two|**", "a quotation keeps its signs"],
      ["bold", "*a |b* c|", "***a |b* c|**", "marks never cross other marks"],
      ["bold", "a **b|o** c|", "a **b|o c|**", "bold words become one with the bold words next to them"],
      [
        "bold",
        "x [te|xt](url) mo|re",
        "x **[te|xt](url) mo|**re",
        "marks stand around a link that they would cross"
      ],
      ["bold", "`a |b| c`", "**`a |b| c`**", "marks stand around code"],
      ["italic", "a **|b|** c", "a ***|b|*** c", "bold words can be italic, too"],
      ["italic", "a ***|b|*** c", "a **|b|** c", "and lose only that"],
      ["italic", "_|a|_", "|a|", "an underscore is a mark that a tool takes away"],
      ["bold", "|**a**|_b_c", "|a|_b_c", "marks that are selected are taken away"],
      ["bold", "**|bold|**_em_ a", "|bold|*em* a", "what follows them stays readable"],
      ["bold", "a **b|** c", "a **b**| c", "a caret at the end of bold words goes on after them"],
      ["bold", "a **b**|", "a **b** **|text|**", "new bold words stand apart from those before them"],
      ["bold", "|", "**|text|**", "an empty text gets a word to type over"],
      ["bold", "- |", "- **|text|**", "so does an empty item"],
      ["bold", "```\n|x|\n```", undefined, "code has no marks"],
      ["code", "|a ` b|", "``|a ` b|``", "code may contain a backtick"],
      ["code", "|`a|", "`` |`a| ``", "and begin with one"],
      ["code", "|a\nb|", "```\n|a\nb|\n```", "lines become a block of code"],
      [
        "code",
        "|a\n```\nb\n```|",
        "````\n|a\n```\nb\n```|\n````",
        "whose fence is longer than those within it"
      ],
      ["code", "```\na\n|b\n```", "a\n|b", "and a caret within takes the fence away"],
      ["link", "|word|", "[word](|url|)", "the address is typed next"],
      ["link", "wow!|word|", "wow\\![word](|url|)", "a link is no picture"],
      ["link", "[wo|rd](a.html)", "wo|rd", "a link is taken away"],
      ["link", "|a] [b|", "[a\\] \\[b](|url|)", "brackets within a link are escaped"],
      ["link", "++|a] b|++", "++[a\\] b](|url|)++", "also within another form"],
      ["link", "|`]`|", "[`]`](|url|)", "brackets in code are none of a link"],
      [
        "bold",
        "see http://a.test/|b|_c now",
        "see **http://a.test/|b|_c** now",
        "an address has no marks within"
      ],
      [
        "bold",
        "(http://a.test/|b|), c",
        "(**http://a.test/|b|**), c",
        "marks of a sentence follow an address"
      ],
      ["bold", "- [ ] |a|", "- [ ] **|a|**", "the box of a task is no word"],
      ["bold", "|- [x] a|", "|- [x] **a|**", "also where it is selected"],
      ["bold", "> > ++|a|\n> b++", "> > ++**|a|**\n> b++", "a line with fewer signs goes on with a paragraph"]
    ]
  for (const [tool, before, expected, why] of cases)
    it(`The tool ${tool} makes ${JSON.stringify(expected ?? "no change")} of ${JSON.stringify(before)}: ${why}`, () => {
      assert.strictEqual(shown(tool, before), expected)
    })

  it("Each cell of a table has marks of its own", () => {
    const value = "| a | b |\n| --- | --- |\n| c | d |"
    const field = used("bold", { value, start: 2, end: value.length })
    assert.strictEqual(field?.value, "| **a** | **b** |\n| --- | --- |\n| **c** | **d** |")
  })

  it("An address becomes a link of the selected words", () => {
    const field = fieldOf("see |this page| now")
    const edit = linkTo(field, "https://example.org/(a)")
    assert.strictEqual(edit && after(field, edit).value, "see [this page](https://example.org/(a)) now")
  })

  const piece = fc.constantFrom(
    ..."word Wort's ελληνικά слово שלום مرحبا 重要 「重要」 “你好” 你好。 굵게(bold) 굵게 ภาษาไทย हिन्दी 👍 👩‍👩‍👧 café C++ 5*3 80~100 a_b 2€ (x) … — *em* **bold** _em_ ++under++ ~~gone~~ `code` [link](a.html) [**l**](b) ![alt](c.png) [sic] \\* &amp; <https://a.test> * _ ** ~~ ++ ~ + ` [ ] ! > # - http://a.test".split(
      " "
    )
  )
  const line = fc
    .array(fc.tuple(piece, fc.constantFrom(" ", " ", "", "", "\n")), { minLength: 1, maxLength: 6 })
    .map((them) =>
      them
        .map((it) => it.join(""))
        .join("")
        .trim()
    )
    // A line without a word may be a sign of something else.
    .filter((it) => it.split("\n").every((one) => /[\p{L}\p{N}👍]/u.test(one)))
  const text = fc
    .array(fc.tuple(fc.constantFrom("", "", "- ", "> ", "1. ", "## "), line), { minLength: 1, maxLength: 3 })
    .map((them) =>
      them.map(([sign, it]) => sign + (sign === "> " ? it.replaceAll("\n", "\n> ") : it)).join("\n\n")
    )

  it("Any selection keeps its words, and shows no mark", () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...WORDS.filter((it) => it !== "code")),
        fc.nat(),
        fc.nat(),
        (value, tool, a, b) => {
          const [start = 0, end = 0] = [a % (value.length + 1), b % (value.length + 1)].toSorted(
            (x, y) => x - y
          )
          fc.pre(/[\p{L}\p{N}]/u.test(value.slice(start, end)))
          const field = used(tool, { value, start, end })
          fc.pre(field !== undefined)
          assert.strictEqual(wordsOf(field?.value ?? ""), wordsOf(value), field?.value)
        }
      ),
      { numRuns: soak(400, 20_000) }
    )
  })

  it("The selected word gets the form between any neighbours, and loses it again", () => {
    const target = fc.constantFrom(
      "Zqx",
      "「Zqx」",
      "“Zqx”",
      "(Zqx)",
      "Zqx(a)",
      "…Zqx!",
      "👍Zqx",
      "Zqx。",
      "重Zqx要",
      "Zqx\\"
    )
    fc.assert(
      fc.property(line, target, line, fc.constantFrom(...WORDS), (left, word, right, tool) => {
        const value = `${left}${word}${right}`
        fc.pre(!/^(?:~~~|```)/m.test(value) && (tool !== "code" || !/[`\\]/.test(value)))
        const field = { value, start: left.length, end: left.length + word.length }
        const edit = use(tool, field)
        assert.isDefined(edit)
        const it = after(field, edit!)
        const has = (text: string) => isWithin(render(text), ELEMENTS[tool])
        fc.pre(!has(value))
        assert.isTrue(has(it.value), it.value)
        assert.deepStrictEqual(after(it, inverse(field, edit!)), field)
        if (tool === "code") return
        const again = used(tool, it)
        assert.isFalse(has(again!.value), again!.value)
      }),
      { numRuns: soak(400, 20_000) }
    )
  })
})

describe("the tools for lines", () => {
  const cases: ReadonlyArray<readonly [tool: Tool, before: string, after: string | undefined, why: string]> =
    [
      ["heading", "one t|wo three", "## one t|wo three", "a heading begins its line"],
      ["heading", "one\nt|wo\nthree", "one\n## t|wo\nthree", "a heading is one line"],
      ["heading", "## a|", "a|", "a second press takes it back"],
      ["heading", "- |a", "- ## |a", "an item may be a heading"],
      ["heading", "C #|", "## C \\#|", "its words may end with its sign"],
      ["heading", "|a\n\nb|", "|## a\n\n## b|", "each line becomes one"],
      ["quote", "one t|wo three", "> one t|wo three", "a quotation begins its line"],
      ["quote", "one\nt|wo\nthree", "> one\n> t|wo\n> three", "a quotation holds the whole paragraph"],
      ["quote", "|a\n\nb|", "|> a\n>\n> b|", "paragraphs become one quotation"],
      ["quote", "```\n|a\n```", "> ```\n> |a\n> ```", "code is quoted whole"],
      ["quote", "> a|", "a|", "a second press takes it back"],
      ["list", "|one\ntwo|", "|- one\n- two|", "each line becomes an item"],
      ["list", "a:\n|one\ntwo|", "a:\n|- one\n- two|", "only the selected ones do"],
      ["list", "|one|\ntwo", "|- one\n|\ntwo", "the next line stays outside"],
      ["list", "- a|", "a|", "a second press takes it back"],
      ["list", "a\n|", "a\n\n- |", "an empty item is no underline of the line before it"],
      ["list", "1. a|", "- a|", "numbers become bullets"],
      ["numbers", "|one\ntwo|", "|1. one\n2. two|", "items are numbered"],
      ["numbers", "1. one\nt|wo", "1. one\n2. t|wo", "numbers go on"],
      ["numbers", "|one\n\ntwo|", "|1. one\n\n2. two|", "also over paragraphs"],
      ["list", "```\n|a\n```", undefined, "code has no list"]
    ]
  for (const [tool, before, expected, why] of cases)
    it(`The tool ${tool} makes ${JSON.stringify(expected ?? "no change")} of ${JSON.stringify(before)}: ${why}`, () => {
      assert.strictEqual(shown(tool, before), expected)
    })

  it("Any lines keep their words, have the form, and lose it again", () => {
    const word = fc.constantFrom(..."word 重要 「重要」 שלום C# **bold** _em_ (x) #tag 👍 a-b".split(" "))
    const line = fc.array(word, { minLength: 1, maxLength: 4 }).map((them) => them.join(" "))
    const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\n\n")), { minLength: 1, maxLength: 5 })
    const element = { heading: "h2", quote: "blockquote", list: "ul", numbers: "ol" } as const
    const tools = fc.constantFrom("heading", "quote", "list", "numbers")
    fc.assert(
      fc.property(text, tools, fc.nat(), fc.nat(), (them, tool, a, b) => {
        const value = them
          .map((it) => it.join(""))
          .join("")
          .trim()
        const [start = 0, end = 0] = [a % (value.length + 1), b % (value.length + 1)].toSorted(
          (x, y) => x - y
        )
        const it = used(tool, { value, start, end })
        assert.isDefined(it)
        assert.include(render(it!.value), `<${element[tool]}>`, it!.value)
        assert.strictEqual(wordsOf(it!.value), wordsOf(value))
        const again = used(tool, it!)
        assert.notInclude(render(again!.value), `<${element[tool]}>`, again!.value)
        assert.strictEqual(again!.value.replaceAll(/\n+/g, "\n"), value.replaceAll(/\n+/g, "\n"))
      }),
      { numRuns: soak(200, 5_000) }
    )
  })
})

describe("Return", () => {
  const cases: ReadonlyArray<readonly [before: string, after: string | undefined, why: string]> = [
    ["- a|", "- a\n- |", "an item follows an item"],
    ["- a|b", "- a\n- |b", "the caret may be within an item"],
    ["* a|", "* a\n* |", "the sign stays the same"],
    ["9. a|", "9. a\n10. |", "numbers go on"],
    ["1) a|", "1) a\n2) |", "in their own form"],
    ["- a\n- |", "- a\n\n|", "an empty item ends its list, with the blank line that a paragraph needs"],
    ["- a\n  - b\n  - |", "- a\n  - b\n- |", "an empty item goes on with the list around it"],
    ["> a|", "> a\n> |", "a quotation goes on"],
    ["> a\n> |", "> a\n\n|", "and ends on an empty line"],
    ["> - a\n> - |", "> - a\n>\n> |", "a list within a quotation ends within it"],
    ["|- a", undefined, "before the sign, it is a new line"],
    ["- - -|", undefined, "a line across the page is no item"],
    ["a|", undefined, "a paragraph has no sign"],
    ["```\n- a|\n```", undefined, "code has no list"]
  ]
  for (const [before, expected, why] of cases)
    it(`Return makes ${JSON.stringify(expected ?? "a new line")} of ${JSON.stringify(before)}: ${why}`, () => {
      const field = fieldOf(before)
      const edit = newLine(field)
      const it = edit && after(field, edit)
      assert.strictEqual(it && `${it.value.slice(0, it.start)}|${it.value.slice(it.end)}`, expected)
    })

  it("A line of many signs is read in a moment", () => {
    // Twelve signs took seconds, so this many would not return.
    for (const sign of ["-    ", "1.    ", ">    ", "-    >    "]) {
      const line = fieldOf(`${sign.repeat(200)}x|`)
      const edit = newLine(line)
      assert.isTrue(edit?.insert.startsWith("\n"))
      assert.isDefined(use("bold", { ...line, start: line.start - 1 }))
    }
  })
})

describe("the letter of a key", () => {
  it("A key is its Latin letter, or that of its place on another layout", () => {
    const letters = [
      ["b", "KeyB"],
      ["B", "KeyB"],
      ["b", "KeyN"],
      ["и", "KeyB"],
      ["Ι", "KeyI"],
      ["ן", "KeyI"],
      ["ı", "KeyI"],
      ["1", "Digit1"]
    ].map(([key = "", code = ""]) => letterOf({ key, code }))
    assert.deepStrictEqual(letters, ["b", "b", "b", "b", "i", "i", "i", ""])
  })
})
