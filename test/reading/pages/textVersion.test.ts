import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { highlight } from "../../../layers/threads/highlighting.ts"
import { pageText } from "../../../src/publishing/content/html/pageText.ts"
import { TEXT_VERSION } from "../../../src/reading/pages/storedText.sql.ts"
import { withSizes } from "../../../src/reading/pages/withSizes.ts"

/** Every construct of a text. */
const SOURCE = `# Title

Some *soft*, **strong**, ~~gone~~ and \`literal\` words,\\
a [link](https://x.test/a "Title"), <https://x.test>, and a mail to <a@x.test>.

## Title

> A quotation with a <u>line below</u>, an & and a "sign".

3. three
4. four
   - [ ] to do
   - done

![One](https://x.test/1.png) ![Two](https://x.test/2.png "Both")

| left | middle | right |
| :--- | :----: | ----: |
| 1    | 2      | 3     |

\`\`\`ts
// A comment
export const add = (a: number, b = "1") => a + Number(b)
\`\`\`

\`\`\`unknown
<p>no colours</p>
\`\`\`

[bad](javascript:alert(1)) <script>alert(1)</script>

---

The end.`

/** Digests of the HTML by the version of the texts. */
const DIGESTS: Readonly<Record<number, string>> = {
  1: "4460a20cfdab8a125e35c0555b3462141c89d0fb0fe8a61d738220603ec7d0b5"
}

describe("the version of stored texts", () => {
  it("is another one when the same Markdown has another HTML: add one, and the new digest", () => {
    const { html, words } = pageText(SOURCE, highlight)
    const sized = withSizes(html, [{ url: "https://x.test/1.png", width: 8, height: 4 }])
    const digest = createHash("sha256").update(`${words} ${sized}`).digest("hex")
    assert.strictEqual(digest, DIGESTS[TEXT_VERSION])
    assert.lengthOf(Object.keys(DIGESTS), TEXT_VERSION)
  })
})
