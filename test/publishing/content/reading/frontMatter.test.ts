import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { frontMatterIn } from "../../../../src/publishing/content/reading/frontMatter.ts"

/** Front matter of other programs, with the lines that it has. */
const written: ReadonlyArray<readonly [name: string, source: string, line: number, lastLine: number]> = [
  [
    "our own pages",
    '---\ntitle: "A \\"post\\""\nauthor: "A (@a)"\nprice_xno: "0.1"\n---\n\n# A post\n',
    1,
    5
  ],
  ["Jekyll", "---\nlayout: post\ntitle:  Welcome!\ndate:   2026-11-27 10:00:00 +0100\n---\nText\n", 1, 5],
  ["Hugo in YAML", "---\ntitle: A\ntags:\n  - one\n- two\ndraft: true\n---\n\nText", 1, 7],
  ["Hugo in TOML", '+++\ntitle = "A"\ntags = [\n"one",\n"two",\n]\n\n[params]\nx = 1\n+++\nText', 1, 10],
  ["Hugo in JSON", '{\n  "title": "A",\n  "params": {\n    "x": 1\n  }\n}\n\nText', 1, 6],
  ["JSON in one line", '{"title": "A"}\n\nText', 1, 1],
  ["Obsidian", "---\naliases: []\ncssclasses:\n  - wide\n---\nText", 1, 5],
  ["Astro with a block", "---\ntitle: >-\n  A long\n\n  title\nlayout: ../a.astro\n---\nText", 1, 7],
  ["Gatsby with a language", "---yaml\ntitle: A\n---\nText", 1, 3],
  ["Pandoc", "---\ntitle: A\nauthor: B\n...\n\nText", 1, 4],
  ["an editor of Windows", "\uFEFF---\r\ntitle: A\r\n---\r\nText", 1, 3],
  ["an editor of old Macs", "---\rtitle: A\r---\rText", 1, 3],
  ["someone who pasted it below empty lines", "\n \n---\ntitle: A\n---\nText", 3, 5],
  ["a comment and quoted members", "---\n# made by hand\n\"my title\": A\n'x': 1\n---\nText", 1, 5],
  ["nothing but front matter", "---\ntitle: A\n---", 1, 3],
  ["spaces behind its lines", "---  \ntitle: A\n--- \nText", 1, 3]
]

/** Ordinary texts. Some begin as front matter does. */
const ordinary: Readonly<Record<string, string>> = {
  "a thematic break": "---\n\nText",
  "a thematic break before text": "---\nText without a colon\n---\nMore",
  "a thematic break before a heading": "---\nA heading of two words: yes\n---\nMore",
  "two thematic breaks": "---\n---\nText",
  "two thematic breaks with space": "---\n\n---\n",
  "a thematic break before a heading with a number sign": "---\n\n# Title\n\nText\n\n---\n",
  "a thematic break before a list": "---\n- one\n- two\n---\n",
  "a thematic break and one that never ends": "---\ntitle: A\n\nText",
  "a thematic break, then text, then members": "---\nText\n\ntitle: A\n---\n",
  "a thematic break before a link with a colon": "---\nhttps://example.org/a:b\n---\n",
  "a thematic break before a definition": "---\n[a]: https://example.org\n---\n",
  "a setext heading": "title: A\n---\nText",
  stars: "***\ntitle: A\n***\n",
  "an indented break": "    ---\n    title: A\n    ---\n",
  "a code block of front matter": "```yaml\n---\ntitle: A\n---\n```\n",
  "front matter below text": "Text\n\n---\ntitle: A\n---\n",
  "underlined text": "++underlined++ = text\n",
  "three pluses": "+++\n\nText\n\n+++\n",
  "a brace": "{ a smile }\n\nText\n}\n",
  "an empty object": "{}\n\nText",
  "a template": "{{ title }}\n\nText",
  "a list in JSON": '["a"]\n\nText',
  "JSON that is cut off": '{\n  "title": "A",\n}\n',
  "the empty text": "",
  "white space": " \n\t\n"
}

describe("front matter at the beginning of a section", () => {
  for (const [name, source, line, lastLine] of written)
    it(`The front matter of ${name} is found with its lines`, () => {
      assert.deepStrictEqual(frontMatterIn(source), { line, lastLine })
      // Without these lines, the rest is an ordinary text.
      const rest = source
        .split(/\r\n|\n|\r/)
        .slice(lastLine)
        .join("\n")
      assert.isUndefined(frontMatterIn(rest))
    })

  for (const [name, source] of Object.entries(ordinary))
    it(`An ordinary text stays allowed: ${name}`, () => {
      assert.isUndefined(frontMatterIn(source))
    })

  it("Any text is read within its length", () => {
    const line = fc.constantFrom(
      "---",
      "+++",
      "{",
      "}",
      "a: b",
      "a = 1",
      "  x",
      "- y",
      "# z",
      "",
      "...",
      '"a": 1',
      "[b]"
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n", "\r"), (lines, end) => {
        const found = frontMatterIn(lines.join(end))
        if (found === undefined) return
        assert.isAtMost(found.line, found.lastLine)
        assert.isAtMost(found.lastLine, lines.length)
        assert.include(["---", "+++", "{"], lines[found.line - 1])
      }),
      { numRuns: 2000 }
    )
  })

  it("A long text that begins as front matter costs little", () => {
    const began = performance.now()
    for (const source of [
      `---\n${"a: b\n".repeat(40_000)}`,
      `---\n${"a".repeat(200_000)}`,
      `{\n${"}\n".repeat(100_000)}`,
      `{${"[".repeat(199_999)}`,
      `{"a":${"[".repeat(199_000)}}`,
      " ".repeat(200_000),
      `+++\n${"[".repeat(200_000)}\n+++`
    ])
      assert.isUndefined(frontMatterIn(source))
    assert.isBelow(performance.now() - began, 500)
  })
})
