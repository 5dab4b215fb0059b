import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { makeHighlight } from "../../../../layers/threads/highlighting.ts"
import { pageText, RENDERER } from "../../../../src/publishing/content/html/pageText.ts"
import { withMark } from "../../../../src/publishing/content/html/restMark.ts"

const CODE = `// One "penny"
export class A<T> { #b = 0x1f; async c(d = \`\${this.#b}\`) { return d ?? null } }
def e(f): return [g for g in f if g > 1.5] # h
SELECT count(*) FROM i WHERE j = 'k';
<p class="l">&amp;</p> .m { color: red }`

/** A text with each element of a page. */
const FIXTURE = `# Title *one*

A [link](other "t"), a [site](https://example.org/?a=1&b=2), a [part](#title-one), <https://example.org>, ++under++, ~~gone~~, 80~100 to 15~20,
**strong** \`code\` and &amp; a line  
break. <b>HTML</b> javascript: [x](javascript:x) [^1]

![first](a.png) ![second](https://example.org/b.png "t")

![alone](a.png "A caption")

#### Deep

> - one
>   1. two
> - [ ] three

| a | b | c |
| --- | :-: | --: |
| 1 | 2 \\| 3 | **4** |

---

[^1]: A note with https://example.org/a_b, and [^2].
[^2]: Another.

${["", "ts", "python", "sql", "xml", "css", "json", "sh", "rust", "nonsense"].map((language) => `\`\`\`${language}\n${CODE}\n\`\`\``).join("\n\n")}
`

/** Digests of the HTML that each renderer makes of the text. Add a line for a new one; never change an earlier one. */
const DIGESTS: Readonly<Record<number, string>> = {
  1: "5c1fd4b850428aef",
  2: "3e619b69d8f04efa",
  3: "9f5ab24d4ab58ede",
  4: "9f5ab24d4ab58ede"
}

/** Colours that no slow machine leaves out. */
const highlight = makeHighlight({ blockMillis: 60_000, textMillis: 600_000 })

describe("the number of the renderer", () => {
  it("Another HTML has another number, so that saved HTML is made again", () => {
    const { headings, html, words } = pageText(
      withMark(FIXTURE, "What buyers read[^1].\n\n[^1]: Their note."),
      highlight
    )
    const digest = createHash("sha256")
      .update(JSON.stringify([html, headings, words]))
      .digest("hex")
      .slice(0, 16)
    assert.strictEqual(
      DIGESTS[RENDERER],
      digest,
      "The HTML has changed: raise RENDERER in src/publishing/content/html/pageText.ts and add its digest"
    )
    assert.strictEqual(Math.max(...Object.keys(DIGESTS).map(Number)), RENDERER)
  })
})
