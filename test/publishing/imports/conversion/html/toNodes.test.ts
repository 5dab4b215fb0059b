import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { textOf } from "../../../../../src/publishing/content/native/nativeText.ts"
import { nativeOfMarkdown } from "../../../../../src/publishing/content/native/readNative.ts"
import { isAccepted } from "../../../../../src/publishing/imports/conversion/section.ts"
import { soak } from "../../../../support/soak.ts"
import { convertedHtml } from "../converted.ts"

/** A row for each line of the table of conversions. */
const rows: ReadonlyArray<
  readonly [title: string, html: string, markdown: string, codes: ReadonlyArray<string>]
> = [
  [
    "Marks become marks",
    "<p><b>a</b> <strong>b</strong> <i>c</i> <em>d</em> <del>e</del> <s>f</s> <u>g</u> <ins>h</ins> <code>i</code> <kbd>j</kbd></p>",
    "**a b** *c d* ~~e f~~ ++g h++ `i` `j`",
    []
  ],
  ["The same mark within itself counts once", "<p><b>a <b>b</b></b></p>", "**a b**", []],
  ["White space leaves its mark", "<p>a<b> b </b>c</p>", "a **b** c", []],
  ["A heading that is all bold is a heading", "<h2><strong>All bold</strong></h2>", "## All bold", []],
  [
    "Lists nest, and a list among items belongs to the item before it",
    "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul><ol start=3><li>x</li></ol>",
    "- a\n  - b\n- c\n\n3. x",
    []
  ],
  [
    "Quotations, rules, breaks and code",
    "<blockquote><p>q</p></blockquote><hr><p>a<br>b</p><pre>x\n  y</pre>",
    "> q\n\n___\n\na\\\nb\n\n```\nx\n  y\n```",
    []
  ],
  ["Two breaks are a new paragraph", "a<br><br>b", "a\n\nb", []],
  ["Digits are raised and lowered", "<p>H<sub>2</sub>O, 10<sup>12</sup></p>", "H₂O, 10¹²", []],
  [
    "A style leaves its text and is told once",
    "<p>the 5<sup>th</sup> and 6<sup>th</sup></p>",
    "the 5th and 6th",
    ["style_dropped"]
  ],
  [
    "A check box in a list stays",
    "<ul><li><input type=checkbox checked> done</li><li><input type=checkbox> open</li></ul>",
    "- ☑ done\n- ☐ open",
    ["task_list_plain"]
  ],
  [
    "A footnote stays a footnote",
    `<p>Text<sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup>.</p><hr class="footnotes-sep"><section class="footnotes"><ol><li id="fn1"><p>The note. <a href="#fnref1">↩</a></p></li></ol></section>`,
    "Text[^1].\n\n[^1]: The note.",
    []
  ],
  [
    "A footnote of Substack stays a footnote",
    `<p>Text<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1" target="_self">1</a></p><div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>The note.</p></div></div>`,
    "Text[^1]\n\n[^1]: The note.",
    []
  ],
  [
    "A picture in a cell stands below the table",
    `<table><thead><tr><th>a</th></tr></thead><tr><td><img src="/x.png" alt="pic"></td></tr></table>`,
    "| a |\n| - |\n| pic |\n\n![pic](/x.png)",
    ["table_image_moved"]
  ],
  [
    "Blocks in a cell are one line",
    "<table><tr><th>a</th></tr><tr><td><p>b</p><p>c</p><ul><li>d</li><li>e</li></ul></td></tr></table>",
    "| a |\n| - |\n| b<br>c<br>d; e |",
    ["table_cell_flattened"]
  ],
  [
    "Spans end at the columns that exist",
    "<table><tr><th colspan=1000000>a</th></tr><tr><td>b</td><td rowspan=9>c</td></tr><tr><td>d</td></tr></table>",
    "| a | |\n| - | - |\n| b | c |\n| d | |",
    ["table_span_flattened"]
  ],
  [
    "A table without a header gets one",
    "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
    "| a | b |\n| - | - |\n| c | d |",
    ["table_header_made"]
  ],
  [
    "A plain caption is the title of its picture",
    `<figure><img src="/a.jpg" alt="A"><figcaption>The sea</figcaption></figure>`,
    `![A](/a.jpg "The sea")`,
    []
  ],
  [
    "A caption with a link is a line in italics",
    `<figure><img src="/a.jpg" alt="A"><figcaption>By <a href="https://a.test/">Ann</a></figcaption></figure>`,
    "![A](/a.jpg)\n\n*By [Ann](https://a.test/)*",
    ["caption_paragraph"]
  ],
  [
    "A gallery becomes single pictures",
    `<figure class="kg-card kg-gallery-card"><div class="kg-gallery-container"><div class="kg-gallery-row"><div class="kg-gallery-image"><img src="/a.jpg"></div><div class="kg-gallery-image"><img src="/b.jpg"></div></div></div></figure>`,
    "![](/a.jpg)\n\n![](/b.jpg)",
    ["gallery_unrolled"]
  ],
  [
    "A player becomes a link to its page",
    `<iframe src="https://www.youtube.com/embed/abcdefghijk" title="A film"></iframe>`,
    "[A film](https://www.youtube.com/watch?v=abcdefghijk)",
    ["embed_link"]
  ],
  [
    "A gist becomes a link",
    `<script src="https://gist.github.com/ann/0a1b.js"></script>`,
    "[gist.github.com](https://gist.github.com/ann/0a1b.js)",
    ["embed_link"]
  ],
  [
    "A tweet stays a quotation",
    `<blockquote class="twitter-tweet"><p>Words</p>&mdash; Ann <a href="https://twitter.com/ann/status/1">May 1</a></blockquote>`,
    "> Words\n>\n> — Ann [May 1](https://twitter.com/ann/status/1)",
    ["embed_link"]
  ],
  [
    "A bookmark becomes a link",
    `<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://a.test/x"><div class="kg-bookmark-content"><div class="kg-bookmark-title">A title</div><div class="kg-bookmark-description">More</div></div></a></figure>`,
    "[A title](https://a.test/x)",
    ["embed_link"]
  ],
  [
    "A sound becomes a link",
    `<audio src="https://a.test/talk.mp3" controls></audio>`,
    "[talk.mp3](https://a.test/talk.mp3)",
    ["media_link"]
  ],
  [
    "A box becomes a quotation",
    `<div class="kg-card kg-callout-card"><div class="kg-callout-emoji">💡</div><div class="kg-callout-text">Mind the gap</div></div>`,
    "> 💡 Mind the gap",
    ["callout_quote"]
  ],
  [
    "A folded part is unfolded",
    "<details><summary>More</summary><p>text</p></details>",
    "**More**\n\ntext",
    ["details_unfolded"]
  ],
  [
    "Terms become paragraphs",
    "<dl><dt>Term</dt><dd>Meaning</dd></dl>",
    "**Term**\n\nMeaning",
    ["definition_list"]
  ],
  [
    "A button becomes a link",
    `<div class="kg-card kg-button-card"><a href="https://a.test/" class="kg-btn">Go</a></div>`,
    "[Go](https://a.test/)",
    ["button_link"]
  ],
  [
    "A box to subscribe is dropped",
    `<p>a</p><div class="subscription-widget-wrap"><form><input type="email"></form><p>Subscribe now</p></div>`,
    "a",
    ["subscribe_box_dropped"]
  ],
  [
    "A formula stays as its source",
    `<div class="latex-rendered" data-attrs='{"persistentExpression":"a^2"}'></div>`,
    "```tex\na^2\n```",
    ["math_code"]
  ],
  [
    "Code keeps its language and its breaks",
    `<pre class="wp-block-code"><code lang="ts" class="language-ts">a<br>b</code></pre>`,
    "```ts\na\nb\n```",
    []
  ],
  [
    "Programs, styles and forms are nothing",
    `a<script>alert("no")</script><style>p{}</style><form>no</form><svg><text>no</text></svg><!-- no --><p onclick="no()">b</p>`,
    "a\n\nb",
    ["html_dropped"]
  ],
  [
    "An address that runs a program becomes text",
    `<a href="javascript:alert(1)">x</a> <a href="data:text/html,y">y</a>`,
    "x y",
    ["link_dropped"]
  ],
  [
    "A picture that counts readers is dropped",
    `<p>a<img src="https://t.test/p.gif" width="1" height="1"></p>`,
    "a",
    ["tracker_dropped"]
  ],
  ["The largest picture counts", `<img src="/s.jpg" srcset="/m.jpg 800w, /l.jpg 1600w">`, "![](/l.jpg)", []],
  [
    "A link to the picture at full size is the picture",
    `<a href="https://a.test/wp-content/uploads/x.jpg"><img src="https://a.test/wp-content/uploads/x-300x200.jpg"></a>`,
    "![](https://a.test/wp-content/uploads/x.jpg)",
    []
  ],
  [
    "A picture of Substack within its link and boxes is the picture with its caption",
    `<div class="captioned-image-container"><figure><a class="image-link image2" href="https://substackcdn.com/image/fetch/f_auto/https%3A%2F%2Fbucket.test%2Fa.png"><div class="image2-inset"><picture><source srcset="https://substackcdn.com/image/fetch/w_424/https%3A%2F%2Fbucket.test%2Fa.png 424w"><img src="https://substackcdn.com/image/fetch/w_1456/https%3A%2F%2Fbucket.test%2Fa.png" alt="A"></picture><div class="image-link-expand"><svg></svg></div></div></a><figcaption class="image-caption">The sea</figcaption></figure></div>`,
    `![A](https://bucket.test/a.png "The sea")`,
    []
  ],
  [
    "Substack's wrapper of a picture is undone",
    `<img src="https://substackcdn.com/image/fetch/w_1456,c_limit/https%3A%2F%2Fbucket.test%2Fa.png">`,
    "![](https://bucket.test/a.png)",
    []
  ],
  [
    "A picture in the text gets an address",
    `<p><img src="data:image/png;base64,AAAA" alt="A"></p>`,
    "![A](./embedded-picture-1.png)",
    []
  ],
  ["Hidden text stays hidden", `<p>a<span style="display: none">b</span></p>`, "a", []],
  [
    "Text that looks like Markdown stays text",
    "<p>1. *a* _b_ [c](d) # e</p><p># f</p>",
    "1\\. \\*a\\* \\_b\\_ \\[c]\\(d) # e\n\n\\# f",
    []
  ]
]

describe("HTML as Markdown", () => {
  it.each(rows.map(([title, html, markdown, codes]) => ({ title, html, markdown, codes })))(
    "$title",
    ({ codes, html, markdown }) => {
      const converted = convertedHtml(html)
      assert.strictEqual(converted.markdown, markdown)
      assert.deepStrictEqual(converted.codes, codes)
      assert.isTrue(isAccepted(converted.markdown))
    }
  )

  it("Random HTML becomes a section that posts accept, with its words and without those of scripts", () => {
    let words = 0
    const word = fc.constant(0).map(() => `word${words++}x`)
    const name = fc.constantFrom(
      "p",
      "div",
      "b",
      "i",
      "u",
      "a",
      "ul",
      "ol",
      "li",
      "blockquote",
      "table",
      "tr",
      "td",
      "th",
      "h2",
      "pre",
      "code",
      "figure",
      "figcaption",
      "span",
      "sup",
      "details",
      "summary",
      "dl",
      "dd",
      "section",
      "x-y",
      "q",
      "em",
      "s"
    )
    const tree: fc.Memo<string> = fc.memo((depth) => {
      if (depth <= 1)
        return fc.oneof(
          word,
          fc.constantFrom(
            "<br>",
            "<hr>",
            " ",
            "\n",
            "*",
            "_",
            "# ",
            "<img src=/a.png alt=picture>",
            "<script>neverseen()</script>",
            "<style>neverseen</style>",
            "<!-- neverseen -->"
          )
        )
      return fc.oneof(
        fc
          .tuple(name, fc.array(tree(depth - 1), { maxLength: 4 }))
          .map(([tag, children]) => `<${tag}>${children.join("")}</${tag}>`),
        fc.array(tree(depth - 1), { maxLength: 3 }).map((parts) => parts.join(" ")),
        fc.tuple(name, tree(depth - 1)).map(([tag, child]) => `<${tag} href="javascript:neverseen">${child}`)
      )
    })
    fc.assert(
      fc.property(tree(4), (html) => {
        const { made, markdown } = convertedHtml(html)
        assert.isTrue("markdown" in made && !made.isFlattened, html)
        assert.isTrue(isAccepted(markdown), html)
        assert.notInclude(markdown, "neverseen")
        const text = textOf(nativeOfMarkdown(markdown))
        for (const [seen] of html.matchAll(/word\d+x/g)) assert.include(text, seen, html)
      }),
      { numRuns: soak(300, 5_000) }
    )
  })
})
