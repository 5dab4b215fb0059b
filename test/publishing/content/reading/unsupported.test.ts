import { assert, describe, it } from "@effect/vitest"
import { readMarkdown } from "../../../../src/publishing/content/reading/readMarkdown.ts"

/** The features of a text as "feature line:column". */
const featuresOf = (source: string) =>
  readMarkdown(source).unsupported.map(({ column, feature, line }) => `${feature} ${line}:${column}`)

const unsupported: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["a <b>b</b>", ["html 1:3", "html 1:7"]],
  ["<div>\ntext\n</div>", ["html 1:1"]],
  ["a\n\n<!-- comment -->", ["html 3:1"]],
  ["a <!-- comment --> b", ["html 1:3"]],
  ["<!DOCTYPE html>", ["html 1:1"]],
  ["a <!ELEMENT br EMPTY> b", ["html 1:3"]],
  ["a <?php echo 1 ?> b", ["html 1:3"]],
  ["<?xml version='1.0'?>", ["html 1:1"]],
  ["a <![CDATA[x]]> b", ["html 1:3"]],
  ["a <br class='x'> b", ["html 1:3"]],
  ["a </br> b", ["html 1:3"]],
  ["<xss onfocus=alert(1) autofocus tabindex=1>", ["html 1:1"]],
  ["a <x onclick=alert(1)> b", ["html 1:3"]],
  ["<animate onbegin='alert(1)'>", ["html 1:1"]],
  ["a <x\nonclick = 1> b", ["html 1:3"]],
  ['a <x onclick="1"b="2"> b', ["html 1:3"]],
  ["a <img src=x onerror='1'b> b", ["html 1:3"]],
  ["a <svg/onload=alert(1)//> b", ["html 1:3"]],
  ["a <x:y onclick=1> b", ["html 1:3"]],
  ["<x>a</x>", ["html 1:1", "html 1:5"]],
  ["<X>\n\na\n\n</x >", ["html 1:1", "html 5:1"]],
  ["a </x> b", ["html 1:3"]],
  ["a <my-element hidden> b", ["html 1:3"]],
  ["a <my-element/> b", ["html 1:3"]],
  ["a <my-element>b</my-element>", ["html 1:3", "html 1:16"]],
  ["> <x a=b\n> c>", ["html 1:3"]],
  ["<x> and `</x>`", ["html 1:1"]],
  ["<ScRiPt>alert(1)</sCrIpT>", ["html 1:1"]],
  ["<br>\n<script>x</script>", ["html 2:1"]],
  ["> - <i>x</i>", ["html 1:5", "html 1:9"]],
  ["[a <u>b</u>](c)", ["html 1:4", "html 1:8"]],
  ["<block hash>\n<b>", ["html 2:1"]],
  ["- [ ] open\n- [x] done\n- none", ["task_list 1:1", "task_list 2:1"]],
  ["1. [X] done", ["task_list 1:1"]],
  ["- [\n  ] split", ["task_list 1:1"]],
  ["> - [\r\n>   ] split", ["task_list 1:3"]],
  ["| a |\n| - |\n| ![x](y) |", ["table_cell_image 3:3"]],
  ["| ![x][y] |\n| - |\n\n[y]: z", ["table_cell_image 1:3"]],
  ["| [![x](y)](z) |\n| - |", ["table_cell_image 1:4"]],
  ["a\n:-\n![x](y)", ["table_cell_image 3:1"]],
  [
    "| a | b |\n| - | - |\n| 1 | 2 | 3 |\n| 1 | 2 |\n| 1 | 2 | 3 | 4 |",
    ["table_row_too_long 3:1", "table_row_too_long 5:1"]
  ],
  ["| a |\n| - |\n| `  x` |", ["table_cell_code_whitespace 3:3"]],
  ["| `x ` |\n| - |", ["table_cell_code_whitespace 1:3"]],
  ["a\n:-\n`  x  `", ["table_cell_code_whitespace 3:1"]],
  ["a[^1]\n\n[^1]: note\n\n    - [ ] task", ["task_list 5:5"]],
  [
    "| a |\n| - |\n| <b> ![x](y) ` x` |",
    ["html 3:3", "table_cell_image 3:7", "table_cell_code_whitespace 3:15"]
  ]
]

const supported: ReadonlyArray<string> = [
  '# Heading\n\nParagraph with **bold**, *italic*, ~~struck~~, `code` and [a link](https://a.test "title").',
  "Setext\n======\n\nSecond\n------",
  "***\n\n---\n\n___",
  "~~~js\nconst a = '<b>' || `x`\n~~~",
  "```html\n<div>- [ ] no</div> ![x](y) [^1]\n```",
  "    <indented>code</indented>\n    - [ ] a",
  "hard  \nbreak and\\\nbreak",
  "[reference][a] and [a] and [A][]\n\n[a]: <https://a.test/a b> 'title'",
  "<https://a.test/?a=b|c> and <mail@a.test>",
  "++underline++ and a ++ b",
  "a <br> b<br/>c<br />d<BR>e",
  "<br>",
  "<br>\nA line after a break",
  "<br>\n<br>",
  "| a<br>b |\n| - |",
  "send <block hash> or <account>, a < b > c, <3, Map<K, V>, List<T>",
  "<block hash>\nat the start of a line",
  "Send <your-name> and <api-key > with <your-name>",
  "<api-key>\nat the start of a line",
  "if n <m then\n\nx = 5 and y > 3",
  "`<x onclick=1>` and <x>",
  "a <b and c",
  "<x \\> = 1",
  "`<b>` and ``<!-- x -->``",
  "\\<b> &lt;b&gt;",
  "[a](<b>) and [c](d '<i>')",
  "- a\n- b\n  1. c\n     > d",
  "- [link](a) [x](b)\n- [y] z\n- [ ](empty)\n- \\[ ] x",
  "a [ ] b [x]",
  "| a | b |\n|:-:|--:|\n| 1 \\| 2 | `x\\|` |\n| 1 |",
  "| `a b` | `` ` `` |\n| - | - |",
  "![image](https://a.test/a.png) and ![ref][a]\n\n[a]: b.png",
  "| not a table |\n\n![x](y)",
  "[^missing] and [^a b]: c",
  "a | b"
]

describe("unsupported Markdown (2.7)", () => {
  for (const [source, expected] of unsupported) {
    it(`The Markdown ${JSON.stringify(source)} is reported as ${expected.join(", ")}`, () => {
      assert.deepStrictEqual(featuresOf(source), expected)
    })
  }
})

describe("supported Markdown (2.7)", () => {
  for (const source of supported) {
    it(`The Markdown ${JSON.stringify(source)} is accepted`, () => {
      assert.deepStrictEqual(featuresOf(source), [])
    })
  }
})

describe("the first image that could be an ogImage (2.7)", () => {
  const images: ReadonlyArray<readonly [string, string | null]> = [
    ["none", null],
    ["![a](https://a.test/1.png) ![b](https://a.test/2.png)", "https://a.test/1.png"],
    ["[![a](https://a.test/in-link.png)](b)", "https://a.test/in-link.png"],
    ["> - ![a](http://a.test/nested.png)", "http://a.test/nested.png"],
    ["![a][r]\n\n![b](https://a.test/2)\n\n[r]: https://a.test/1\n[r]: https://a.test/3", "https://a.test/1"],
    ["![R]\n\n[r]: https://a.test/1", "https://a.test/1"],
    ["![missing][r] ![b](https://a.test/2)", "https://a.test/2"],
    ["`![a](https://a.test/1)` ![b](https://a.test/2)", "https://a.test/2"],
    ["\\![a](https://a.test/1) ![b](https://a.test/2)", "https://a.test/2"],
    ["![outer ![a](https://a.test/in)](https://a.test/out)", "https://a.test/out"],
    ["![a]( <https://a.test/a?b=c> 'title' )", "https://a.test/a?b=c"],
    ["![a](HTTPS://A.test/1)", "HTTPS://A.test/1"],
    ["![a](javascript:alert(1)) ![b](https://a.test/2)", "https://a.test/2"],
    ["![a](relative.png) ![b](/root.png) ![c](//a.test/1) ![d](https://a.test/2)", "https://a.test/2"],
    ["![a](data:image/png;base64,AA==) ![b](ftp://a.test/1)", null],
    ["![a](<https://a.test/with space>) ![b](https://user@a.test/1)", null],
    [`![a](https://a.test/${"a".repeat(2048)}) ![b](https://a.test/2)`, "https://a.test/2"],
    ["![a]()", null],
    ["![a][r] ![b](https://a.test/2)\n\n[r]: javascript:alert(1)", "https://a.test/2"]
  ]
  for (const [source, url] of images) {
    it(`The first image of ${JSON.stringify(source.slice(0, 90))} is ${url}`, () => {
      assert.strictEqual(readMarkdown(source).firstImage, url)
    })
  }
})
