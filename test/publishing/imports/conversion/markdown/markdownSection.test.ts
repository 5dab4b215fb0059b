import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isAccepted } from "../../../../../src/publishing/imports/conversion/section.ts"
import { soak } from "../../../../support/soak.ts"
import { convertedMarkdown } from "../converted.ts"

const rows: ReadonlyArray<
  readonly [title: string, source: string, markdown: string, codes: ReadonlyArray<string>]
> = [
  [
    "Markdown that posts accept stays byte for byte",
    "Title\n===\n\n* a\n* __b__[^1]\n\n[^1]: note",
    "Title\n===\n\n* a\n* __b__[^1]\n\n[^1]: note",
    []
  ],
  ["Check boxes become signs", "- [ ] open\n- [x] done", "- ☐ open\n- ☑ done", ["task_list_plain"]],
  [
    "HTML in Markdown becomes Markdown, and blocks beside it stay",
    "* a\n\n<div class='x'>\n\nIn **it** <b>b</b>\n\n</div>\n\n__c__",
    "* a\n\nIn **it b**\n\n__c__",
    []
  ],
  [
    "Boxes become quotations",
    "> [!note] Title\n> body\n\n:::tip\nA tip\n:::",
    "> **Title**\n>\n> body\n\n\n> **Tip**\n>\n> A tip",
    ["callout_quote"]
  ],
  [
    "Names of notes become links or text",
    "[[Note|words]] and [[Other]] ![[pic.png|300]]",
    "[words](<./Note.md>) and Other ![](<pic.png>)",
    ["wikilink_converted"]
  ],
  ["Comments of notes are dropped", "a %%no%% b ^block-1", "a  b", ["comment_dropped"]],
  [
    "Within code nothing is touched",
    "`[[a]] {{ b }}`\n\n```\n{% c %} [[d]] - [ ] %%e%%\n```",
    "`[[a]] {{ b }}`\n\n```\n{% c %} [[d]] - [ ] %%e%%\n```",
    []
  ],
  [
    "Highlighted code becomes a fence",
    "{% highlight js %}\nlet {{x}}\n{% endhighlight %}",
    "`````js\nlet {{x}}\n`````",
    ["shortcode_converted"]
  ],
  [
    "Players become links",
    "{{< youtube abcdefghijk >}}",
    "[youtube.com](<https://www.youtube.com/watch?v=abcdefghijk>)",
    ["embed_link"]
  ],
  [
    "Other shortcodes are dropped, and text within them stays",
    "{{< box >}}text{{< /box >}} {% include x.html %}",
    "text",
    ["shortcode_dropped"]
  ],
  ["Formulas in lines of their own are code", "$$\na_b\n$$", "```tex\na_b\n```", ["math_code"]],
  [
    "Imports of MDX are dropped",
    "import X from 'y'\n\n<X prop=\"1\">inner *em*</X>",
    "inner *em*",
    ["shortcode_dropped"]
  ],
  [
    "A picture in a cell stands below the table",
    "| a |\n| - |\n| ![p](/x.png) |",
    "| a |\n| - |\n| p |\n\n![p](/x.png)",
    ["table_image_moved"]
  ],
  [
    "A row that is too long makes the header longer",
    "| a |\n| - |\n| b | c |",
    "| a | |\n| - | - |\n| b | c |",
    []
  ],
  ["An address that runs a program becomes text", "[x](javascript:alert(1))", "x", ["link_dropped"]],
  ["Highlighted words stay without their style", "a ==b== c", "a b c", ["style_dropped"]]
]

describe("Markdown of other programs", () => {
  it.each(rows.map(([title, source, markdown, codes]) => ({ title, source, markdown, codes })))(
    "$title",
    ({ codes, markdown, source }) => {
      const converted = convertedMarkdown(source, { Note: "./Note.md" })
      assert.strictEqual(converted.markdown, markdown)
      assert.deepStrictEqual(converted.codes, codes)
      assert.isTrue(isAccepted(converted.markdown))
    }
  )

  it("Random Markdown becomes a section that posts accept, without a throw", () => {
    const piece = fc.constantFrom(
      "word",
      "\n",
      "\n\n",
      "* ",
      "> ",
      "# ",
      "<div>",
      "</div>",
      "<b>",
      "</b>",
      "[a]",
      "(b)",
      "![p](/x.png)",
      "|",
      "| a |\n| - |\n",
      "```\n",
      "`",
      "{{",
      "}}",
      "{% ",
      " %}",
      "[[",
      "]]",
      "- [ ] ",
      "%%",
      "$$\n",
      ":::tip\n",
      ":::\n",
      "<!-- c -->",
      "<script>",
      "</script>",
      "    ",
      "[^1]",
      "[^1]: ",
      "---\n",
      "title: x\n",
      "&amp;",
      "\\",
      "=="
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { made, markdown } = convertedMarkdown(pieces.join(""))
        assert.isTrue("markdown" in made, JSON.stringify(pieces.join("")))
        assert.isTrue(isAccepted(markdown), JSON.stringify(pieces.join("")))
      }),
      { numRuns: soak(300, 5_000) }
    )
  })
})
