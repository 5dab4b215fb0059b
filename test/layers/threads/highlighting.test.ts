import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { LANGUAGES, makeHighlight } from "../../../layers/threads/highlighting.ts"
import { pageText } from "../../../src/publishing/content/html/pageText.ts"
import { soak } from "../../support/soak.ts"

/** Budgets in milliseconds, with room for a turn of the collector of memory and the rest of the rendering. */
const BLOCK_MAX = 100
const TEXT_MAX = 400

const LENGTH = 20_000
const repeated = (unit: string) => unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH)

const processorMillis = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** Returns the processor time that an action takes. */
const timed = (action: () => void) => {
  const before = processorMillis()
  action()
  return processorMillis() - before
}

const textIn = (nodes: ReturnType<ReturnType<typeof makeHighlight>>): string =>
  (nodes ?? [])
    .map((node) => (node.type === "text" ? node.value : node.type === "element" ? textIn(node.children) : ""))
    .join("")

const block = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``
const coloursOf = (source: string) => pageText(source, makeHighlight()).html

const CODE = block("ts", 'const a = "x"')
const COLOURED = '<span class="k">const</span> a = <span class="s">"x"</span>'

// Loads the grammars, which the first block of a thread pays.
makeHighlight()("", "ts")

describe("colours of code", () => {
  it("A block that its grammar reads for seconds is plain, and the next one has colours", () => {
    for (const [language, unit] of [
      ["xml", "<script>"],
      ["ts", "<"],
      ["c", "a"],
      ["csharp", "/*"],
      ["css", "(a"]
    ] as const) {
      const code = repeated(unit)
      let html = ""
      const millis = timed(() => (html = coloursOf(`${block(language, code)}\n\n${CODE}`)))
      assert.isBelow(millis, BLOCK_MAX + TEXT_MAX / 4, language)
      assert.include(html, COLOURED)
    }
  })

  it("A text of dear blocks takes no longer than its budget, and the next text has colours", () => {
    const source = Array.from({ length: 40 }, () => block("c", "a".repeat(4_900))).join("\n\n")
    assert.isBelow(
      timed(() => coloursOf(source)),
      TEXT_MAX
    )
    assert.include(coloursOf(CODE), COLOURED)
  })

  it("Every grammar keeps to the budget and to the text", () => {
    const language = fc.constantFrom(...LANGUAGES)
    const token = fc.constantFrom(
      ..."a A 1 _ . , : ; < > ( ) [ ] { } \" ' ` / \\ * # - + = $ @ % ! ? & | ~ ^".split(" "),
      " ",
      "\n",
      "<script>",
      "<style>",
      "<!--",
      "<?php",
      "${",
      "#{",
      '"""',
      "class ",
      "function ",
      "def ",
      "fn ",
      "=>",
      "::",
      "//",
      "/*"
    )
    const unit = fc.array(token, { minLength: 1, maxLength: 6 }).map((tokens) => tokens.join(""))
    fc.assert(
      fc.property(language, unit, (name, it) => {
        const code = repeated(it)
        const highlight = makeHighlight()
        let nodes: ReturnType<typeof highlight>
        assert.isBelow(
          timed(() => (nodes = highlight(code, name))),
          BLOCK_MAX
        )
        if (nodes !== undefined) assert.strictEqual(textIn(nodes), code)
      }),
      { numRuns: soak(60, 20_000) }
    )
  })

  it("Colours may nest as deeply as code does", () => {
    for (const language of LANGUAGES)
      for (const unit of ["{", "(", "[", "${`", "#{", "<a>", "begin "])
        assert.include(coloursOf(block(language, unit.repeat(3_000))), "</code></pre>")
  })
})
