import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type {
  ImportedItem,
  ImportFile,
  ImportOptions
} from "../../../../src/publishing/imports/ImportedItem.ts"
import {
  archive,
  ghostFile,
  ghostPost,
  mediumStory,
  postMeta,
  readFile,
  single,
  substackFile,
  wordpressFile,
  wordpressItem
} from "./sampleFiles.ts"

/** Stands only behind the wall of each source. */
const SECRET = "behindthewall"

const ghost = (members: Readonly<Record<string, unknown>>) =>
  single("sea.ghost.json", ghostFile([ghostPost(members)]))
const wordpress = (members: Readonly<Record<string, string>>, more = "") =>
  single("sea.xml", wordpressFile([wordpressItem(members, more)]))
const markdown = (text: string) => single("nine-degrees.md", text)
const lexical = (children: ReadonlyArray<unknown>) => JSON.stringify({ root: { type: "root", children } })
const words = (text: string) => ({
  type: "paragraph",
  children: [{ type: "extended-text", text, format: 0 }]
})
const mobiledoc = (sections: ReadonlyArray<unknown>, cards: ReadonlyArray<unknown>) =>
  JSON.stringify({ version: "0.3.1", markups: [], atoms: [], cards, sections })

const PAYWALL = "<!--members-only-->"

const walled: ReadonlyArray<readonly [title: string, file: ImportFile, free: string]> = [
  ["Ghost for paying members, without a marker", ghost({ visibility: "paid", html: `<p>${SECRET}</p>` }), ""],
  [
    "Ghost for paying members, split at its marker",
    ghost({ visibility: "paid", html: `<p>Free words.</p>${PAYWALL}<p>${SECRET}</p>` }),
    "Free words."
  ],
  [
    "Ghost for members",
    ghost({ visibility: "members", html: `<p>Free words.</p>${PAYWALL}<p>${SECRET}</p>` }),
    "Free words."
  ],
  ["Ghost for tiers", ghost({ visibility: "tiers", html: `<p>${SECRET}</p>` }), ""],
  ["Ghost with a filter", ghost({ visibility: "label:friends", html: `<p>${SECRET}</p>` }), ""],
  ["Ghost with an unknown word", ghost({ visibility: "galaxy", html: `<p>${SECRET}</p>` }), ""],
  ["Ghost with an empty word", ghost({ visibility: "", html: `<p>${SECRET}</p>` }), ""],
  [
    "Ghost with a marker within a quotation",
    ghost({
      visibility: "paid",
      html: `<blockquote><p>Free words.</p>${PAYWALL}<p>${SECRET}</p></blockquote>${PAYWALL}<p>${SECRET}</p>`
    }),
    "> Free words."
  ],
  [
    "Ghost with a marker within an attribute",
    ghost({
      visibility: "paid",
      html: `<p>Free words.</p><p title="${PAYWALL}">${SECRET}</p>${PAYWALL}<p>more</p>`
    }),
    "Free words."
  ],
  [
    "Ghost with a marker within a program",
    ghost({
      visibility: "paid",
      html: `<p>Free words.</p><script>"${PAYWALL}"</script><p>${SECRET}</p>${PAYWALL}<p>more</p>`
    }),
    "Free words."
  ],
  [
    "Ghost with a marker in code only",
    ghost({ visibility: "paid", html: `<p>Words</p><pre>&lt;!--members-only--&gt;</pre><p>${SECRET}</p>` }),
    ""
  ],
  [
    "Ghost with a paywall in Lexical",
    ghost({
      visibility: "paid",
      html: null,
      lexical: lexical([words("Free words."), { type: "paywall", version: 1 }, words(SECRET)])
    }),
    "Free words."
  ],
  [
    "Ghost with a paywall in Mobiledoc",
    ghost({
      visibility: "paid",
      html: null,
      mobiledoc: mobiledoc(
        [
          [1, "p", [[0, [], 0, "Free words."]]],
          [10, 0],
          [1, "p", [[0, [], 0, SECRET]]]
        ],
        [["paywall", {}]]
      )
    }),
    "Free words."
  ],
  [
    "Ghost with an unknown card behind its paywall",
    ghost({
      visibility: "paid",
      html: null,
      lexical: lexical([
        words("Free words."),
        { type: "paywall" },
        { type: "mystery", words: `Some ${SECRET} words` }
      ])
    }),
    "Free words."
  ],
  [
    "Substack for paying subscribers",
    substackFile(
      `<p>Free words.</p><div class="paywall-jump" data-component-name="PaywallToDOM"></div><p>${SECRET}</p>`,
      { audience: "only_paid" }
    ),
    "Free words."
  ],
  ["Substack for free subscribers", substackFile(`<p>${SECRET}</p>`, { audience: "only_free" }), ""],
  ["Substack for founders", substackFile(`<p>${SECRET}</p>`, { audience: "founding" }), ""],
  ["Substack without a word", substackFile(`<p>${SECRET}</p>`, { audience: "" }), ""],
  [
    "Substack with a paywall within a quotation",
    substackFile(
      `<blockquote><p>Free words.</p><div class="paywall-jump"></div><p>${SECRET}</p></blockquote>`,
      { audience: "only_paid" }
    ),
    "> Free words."
  ],
  [
    "A podcast of Substack",
    substackFile(`<p>Free words.</p><div class="paywall-jump"></div><p>x</p>`, {
      audience: "only_paid",
      type: "podcast",
      podcast_url: `https://a.test/${SECRET}.mp3`
    }),
    "Free words."
  ],
  [
    "A note of Substack behind its paywall",
    substackFile(
      `<p>Free words.<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a></p><div class="paywall-jump"></div><p>x</p><div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>${SECRET}</p></div></div>`,
      { audience: "only_paid" }
    ),
    "Free words."
  ],
  [
    "WordPress with a password",
    wordpress({ "wp:post_password": SECRET, "content:encoded": SECRET, "excerpt:encoded": SECRET }),
    ""
  ],
  [
    "WordPress that is private",
    wordpress({ "wp:status": "private", "content:encoded": SECRET, "excerpt:encoded": SECRET }),
    ""
  ],
  [
    "WordPress for subscribers of its newsletter",
    wordpress(
      { "content:encoded": `Words ${SECRET}` },
      postMeta("_jetpack_newsletter_access", "subscribers")
    ),
    ""
  ],
  [
    "WordPress with an unknown word",
    wordpress({ "content:encoded": SECRET }, postMeta("_jetpack_newsletter_access", "galaxy")),
    ""
  ],
  [
    "WordPress with the paywall of Jetpack",
    wordpress(
      {
        "content:encoded": `<!-- wp:paragraph --><p>Free words.</p><!-- /wp:paragraph --><!-- wp:jetpack/paywall /--><!-- wp:paragraph --><p>${SECRET}</p><!-- /wp:paragraph -->`
      },
      postMeta("_jetpack_newsletter_access", "paid_subscribers")
    ),
    "Free words."
  ],
  [
    "WordPress with premium content",
    wordpress({
      "content:encoded": `<!-- wp:paragraph --><p>Free words.</p><!-- /wp:paragraph --><!-- wp:premium-content/container --><div><p>${SECRET}</p></div><!-- /wp:premium-content/container -->`
    }),
    "Free words."
  ],
  [
    "WordPress with a block of an unknown plugin for members",
    wordpress({
      "content:encoded": `<p>Free words.</p><!-- wp:acme/members-box {"x":1} --><p>${SECRET}</p><!-- /wp:acme/members-box -->`
    }),
    "Free words."
  ],
  [
    "WordPress with a block that is hidden by a value",
    wordpress({
      "content:encoded": `<!-- wp:group --><p>Free words.</p><!-- wp:paragraph {"blockVisibility":{"scheduling":1}} --><p>${SECRET}</p><!-- /wp:paragraph --><!-- /wp:group -->`
    }),
    "Free words."
  ],
  [
    "WordPress with a shortcode of a known plugin",
    wordpress({
      "content:encoded": `Free words.\n\n[s2If current_user_can(access_s2member_level1)]${SECRET}[/s2If]`
    }),
    "Free words."
  ],
  [
    "WordPress with an enclosing shortcode for members",
    wordpress({
      "content:encoded": `Free words.\n\n[acme_members_only level="2"]${SECRET}[/acme_members_only] ${SECRET}`
    }),
    "Free words."
  ],
  [
    "WordPress with a wall within a quotation",
    wordpress({
      "content:encoded": `<blockquote>Free words.\n\n[restrict]${SECRET}[/restrict]</blockquote>`
    }),
    "> Free words."
  ],
  [
    "WordPress with a wall that only looks escaped",
    wordpress({ "content:encoded": `Free words.\n\n[[restrict]${SECRET}[/restrict]` }),
    "Free words.\n\n\\["
  ],
  [
    "Notes of WordPress behind its wall",
    wordpress(
      {
        "content:encoded": `<p>Free words.</p><!-- wp:jetpack/paywall /--><p>x<sup data-fn="n1" class="fn"><a href="#n1" id="n1-link">1</a></sup></p>`
      },
      postMeta("footnotes", JSON.stringify([{ id: "n1", content: SECRET }]))
    ),
    "Free words."
  ],
  [
    "WordPress with an open paywall",
    wordpress({ "content:encoded": `Free words.\n\n[paywall]\n\n${SECRET}` }),
    "Free words."
  ],
  [
    "WordPress with an open mark of premium",
    wordpress({ "content:encoded": `Free words.\n\n[premium]\n\n${SECRET}` }),
    "Free words."
  ],
  [
    "WordPress with an open mark of subscribers",
    wordpress({ "content:encoded": `Free words.\n\n[for_subscribers_only]\n\n${SECRET}` }),
    "Free words."
  ],
  [
    "WordPress with a locker",
    wordpress({ "content:encoded": `Free words.\n\n[content_locker]${SECRET}[/content_locker]` }),
    "Free words."
  ],
  [
    "WordPress with a lock",
    wordpress({ "content:encoded": `Free words.\n\n[lock]${SECRET}[/lock]` }),
    "Free words."
  ],
  [
    "WordPress with an unknown shortcode that encloses",
    wordpress({ "content:encoded": `Free words.\n\n[gold_only]${SECRET}[/gold_only]` }),
    "Free words."
  ],
  [
    "WordPress with an unknown name in another script",
    wordpress({ "content:encoded": `Free words.\n\n[золото]${SECRET}[/золото]` }),
    "Free words."
  ],
  [
    "WordPress with a style for members",
    wordpress({
      "content:encoded": `<p>Free words.</p><!-- wp:group {"className":"members-only"} --><div class="wp-block-group members-only"><p>${SECRET}</p></div><!-- /wp:group -->`
    }),
    "Free words."
  ],
  [
    "WordPress with a password of spaces",
    wordpress({ "wp:post_password": "  ", "content:encoded": SECRET }),
    ""
  ],
  [
    "The folder of paid texts of our export",
    archive({ "paid/t.md": `${SECRET}\n`, "paid/note.txt": "x" }),
    ""
  ],
  [
    "An archive of the folder of paid texts",
    { ...archive({ "t.md": `${SECRET}\n` }), fileName: "paid (1).zip" },
    ""
  ],
  [
    "Our export as one file that lost its id",
    single("t.md", `---\ntitle: "T"\npennypress:\n  access: paid\n  broken: [a\n---\n\n${SECRET}\n`),
    ""
  ],
  ["Markdown that says paid", markdown(`---\npaid: true\n---\n${SECRET}\n`), ""],
  ["Markdown with a price", markdown(`---\ntitle: A\nprice: 0.5\n---\n# A\n\n${SECRET}\n`), ""],
  ["Markdown with an unknown word", markdown(`---\naccess: galaxy\n---\n${SECRET}\n`), ""],
  ["Markdown with a word that is a list", markdown(`---\nvisibility: [members, paid]\n---\n${SECRET}\n`), ""],
  [
    "Markdown whose front matter is damaged",
    markdown(`---\nvisibility:\n  - members\nbroken: [a\n---\n${SECRET}\n`),
    ""
  ],
  [
    "Markdown with long front matter",
    markdown(`---\ntitle: A\nnotes: ${"x".repeat(70_000)}\naccess: paid\n---\n${SECRET}\n`),
    ""
  ],
  ["Markdown with members in braces", markdown(`---\n{title: x, visibility: paid}\n---\n${SECRET}\n`), ""],
  ["Markdown that begins with an alias", markdown(`---\n<<: *d\nvisibility: paid\n---\n${SECRET}\n`), ""],
  [
    "Markdown with members that an alias brings",
    markdown(`---\n<<: {visibility: paid}\ntitle: x\n---\n${SECRET}\n`),
    ""
  ],
  ["Markdown that begins with a digit", markdown(`---\n2fa: x\nvisibility: paid\n---\n${SECRET}\n`), ""],
  [
    "Markdown whose words differ in case",
    markdown(`---\nAccess: paid\naccess: public\n---\n${SECRET}\n`),
    ""
  ],
  [
    "Markdown whose words are there twice",
    markdown(`---\nvisibility: paid\nvisibility: public\n---\n${SECRET}\n`),
    ""
  ],
  ["Markdown with a second price", markdown(`---\nprice: 0\npriceXno: 2\n---\n${SECRET}\n`), ""],
  ["Markdown with a price in parts", markdown(`---\nprice: {xno: 2}\n---\n${SECRET}\n`), ""],
  ["Markdown whose theme has the word", markdown(`+++\n[params]\naccess = "paid"\n+++\n${SECRET}\n`), ""],
  ["Markdown without an end of its members", markdown(`---\ntitle: x\nvisibility: paid\n\n${SECRET}\n`), ""],
  [
    "Markdown without an end of its members, with a marker",
    markdown(`---\ntitle: x\n\nvisibility: paid\n\n${SECRET}\n\n<!--paid-->\n\nb\n`),
    ""
  ],
  ["Markdown with two fences", markdown(`---\n---\nvisibility: paid\n---\n${SECRET}\n`), ""],
  ["Markdown with a note beside its fence", markdown(`--- # mine\nvisibility: paid\n---\n${SECRET}\n`), ""],
  ["Markdown with old line ends", markdown(`---\rvisibility: paid\r---\r${SECRET}\r`), ""],
  [
    "Markdown with a comma too many in JSON",
    markdown(`{\n  "title": "x",\n  "visibility": "paid",\n}\n${SECRET}\n`),
    ""
  ],
  [
    "Markdown with a comma too many in a line of JSON",
    markdown(`{"title": "x", "visibility": "paid",}\n\n${SECRET}\n`),
    ""
  ],
  [
    "Markdown with long JSON",
    markdown(
      `{\n  "title": "x",\n  "notes": "${"x".repeat(70_000)}",\n  "visibility": "paid"\n}\n\n${SECRET}\n`
    ),
    ""
  ],
  ["Markdown without an end of JSON", markdown(`{\n  "title": "x",\n  "access": "paid"\n\n${SECRET}\n`), ""],
  [
    "A file that may be from our own paid/",
    markdown(`# ${SECRET}

---

more`),
    ""
  ],
  ["A copy of such a file that a browser numbers", single("nine-degrees (1).md", `${SECRET}\n`), ""],
  ["A copy of such a file that a system names", single("nine-degrees copy.md", `${SECRET}\n`), ""],
  ["Plain text with members", single("nine.txt", `---\nvisibility: paid\n---\n${SECRET}\n`), ""],
  ["Markdown with a marker alone", markdown(`Free words.\n\n<!--paid-->\n\n${SECRET}\n`), "Free words."],
  [
    "Markdown with the marker of members",
    markdown(`---\naccess: paid\n---\nFree words.\n\n<!-- members-only -->\n\n${SECRET}\n`),
    "Free words."
  ],
  [
    "Markdown with a marker within a quotation",
    markdown(`Free words.\n\n> <!--paid-->\n> ${SECRET}\n`),
    "Free words."
  ],
  [
    "Markdown with a marker in code before its word",
    markdown(`---\naccess: paid\n---\n\`\`\`\n<!--paid-->\n\`\`\`\n\n${SECRET}\n`),
    ""
  ],
  [
    "Our export of a paid post",
    archive({
      "posts/2024-03-02-a.md": `---\ntitle: "A"\nslug: "a"\npennypress:\n  id: "p1"\n  access: paid\n---\n\nFree words.\n`,
      "paid/a.md": `${SECRET}\n`
    }),
    "Free words."
  ],
  [
    "Our export as one file with a marker",
    single(
      "a.md",
      `---\ntitle: "A"\nslug: "a"\npennypress:\n  id: "p1"\n  access: paid\n---\n\nFree words.\n\n<!--paid-->\n\n${SECRET}\n`
    ),
    "Free words."
  ]
]

/** Everything of an item that does not belong to its paid section. */
const publicOf = ({ draft, images, links, report, ...rest }: ImportedItem) => {
  const { freeContent } = draft
  const lines = report.filter(({ section }) => section !== "paid")
  return JSON.stringify([
    rest,
    { ...draft, paidContent: "" },
    lines,
    images.filter(({ place, url }) => place === "cover" || freeContent.includes(url)),
    links.filter(({ url }) => freeContent.includes(url))
  ])
}

describe("walls of other platforms", () => {
  it.effect.each(walled.map(([title, file, free]) => ({ title, file, free })))(
    "Nothing from behind the wall is free: $title",
    ({ file, free }) =>
      Effect.gen(function* () {
        const { failure, items } = yield* readFile(file)
        assert.isUndefined(failure)
        assert.strictEqual(items.length, 1)
        for (const item of items) {
          assert.strictEqual(item.access, "paid")
          assert.strictEqual(item.draft.accessKind, "paid")
          assert.include(item.draft.paidContent, SECRET)
          assert.notInclude(publicOf(item), SECRET)
          assert.strictEqual(item.draft.freeContent.replaceAll(/1$/g, "").trim(), free)
        }
      })
  )

  const open: ReadonlyArray<readonly [title: string, file: ImportFile, options: Partial<ImportOptions>]> = [
    ["a public post of Ghost with a marker", ghost({ html: `<p>a</p>${PAYWALL}<p>b</p>` }), {}],
    [
      "members of Ghost, if the author opens them",
      ghost({ visibility: "members", html: `<p>a</p>${PAYWALL}<p>b</p>` }),
      { membersOnly: "free" }
    ],
    [
      "free subscribers of Substack, if the author opens them",
      substackFile(`<p>a</p><div class="paywall-jump"></div><p>b</p>`, { audience: "only_free" }),
      { membersOnly: "free" }
    ],
    ["what WordPress shows after a click", wordpress({ "content:encoded": "a\n\n<!--more-->\n\nb" }), {}],
    [
      "a form to subscribe of WordPress",
      wordpress({
        "content:encoded": `<p>a</p><!-- wp:jetpack/subscriptions {"subscribePlaceholder":"x"} --><div class="wp-block-jetpack-subscriptions">Subscribe</div><!-- /wp:jetpack/subscriptions --><p>b</p>`
      }),
      {}
    ],
    [
      "shortcodes of builders and forms of WordPress",
      wordpress({
        "content:encoded": `a\n\n[vc_row][one_half_last]c[/one_half_last][/vc_row] [jetpack_subscription_form] [button url="/x"]d[/button]\n\nb`
      }),
      {}
    ],
    [
      "a password of WordPress that is a line end",
      wordpress({ "wp:post_password": "\n  ", "content:encoded": "a\n\nb" }),
      {}
    ],
    [
      "a marker within code of Markdown",
      single("A b.md", "a\n\n```\n<!--paid-->\n```\n\nb `<!--paid-->`\n"),
      {}
    ],
    [
      "a story of Medium",
      archive({ "posts/2024-03-02_Nine-degrees-abc123def456.html": mediumStory("<p>a</p><p>b</p>") }),
      {}
    ]
  ]

  it.effect.each(open.map(([title, file, options]) => ({ title, file, options })))(
    "Free text stays free: $title",
    ({ file, options }) =>
      Effect.gen(function* () {
        const { items } = yield* readFile(file, options)
        assert.strictEqual(items.length, 1)
        for (const { access, draft } of items) {
          assert.strictEqual(access, "free")
          assert.strictEqual(draft.paidContent, "")
          assert.match(draft.freeContent, /^a\n[^]*\bb\b/)
        }
      })
  )

  it.effect("Members that cannot be parsed are no description, and prose after a line stays", () =>
    Effect.gen(function* () {
      const { items } = yield* readFile(
        archive({
          "a.md": `---\ntitle: x\nsecret: never\n\nWords.\n`,
          "b.md": `{\n  "title": "x",\n  "secret": "never",\n}\nWords.\n`,
          "c.md": `---\ntitle: x: y\nsecret: never\n---\nWords.\n`,
          "d.md": `{"title": "x", "secret": "never", "visibility": "public",}\n\nWords.\n`,
          "e.md": "---\n\nWords.\n\n---\n\nMore.\n",
          "f.md": "{{< note >}}\n\nWords.\n",
          "g.md": "---\n\nDear friends: words.\n"
        })
      )
      assert.deepStrictEqual(
        items.map(({ access, draft }) => [access, draft.description, draft.freeContent.includes("never")]),
        [
          ["free", "Words.", false],
          ["free", "Words.", false],
          ["free", "Words.", false],
          ["free", "Words.", false],
          ["free", "Words. More.", false],
          ["free", "Words.", false],
          ["free", "Dear friends: words.", false]
        ]
      )
      assert.deepStrictEqual(
        items.slice(0, 4).map(({ title }) => title),
        ["x", "x", "x: y", "x"]
      )
    })
  )

  it.effect("Paid texts of our export stay paid when it is read as Markdown", () =>
    Effect.gen(function* () {
      const front = (access: string) =>
        `---\ntitle: "T"\nslug: "t"\npennypress:\n  id: "p1"\n  access: ${access}\n---\n\n`
      const files = archive({
        "posts/t.md": `${front("paid")}Words.\n`,
        "posts/u.md": `${front("free")}Words.\n`,
        "paid/t.md": `${SECRET}\n`
      })
      const { items } = yield* readFile(files, { kind: "markdown" })
      assert.deepStrictEqual(
        items.map(({ access, draft }) => [access, draft.freeContent]),
        [
          ["paid", ""],
          ["free", "Words."],
          ["paid", ""]
        ]
      )
      for (const item of items) assert.notInclude(publicOf(item), SECRET)
    })
  )

  it.effect("A line about a paid address or an unknown card is of the paid section", () =>
    Effect.gen(function* () {
      const text = "![](free/abc.png)\n\n<!--paid-->\n\n![](free/a)\n"
      const picture = yield* readFile(archive({ "a.md": text, "b.md": "x" }))
      assert.deepStrictEqual(
        picture.items[0]?.report.filter(({ code }) => code === "image_missing").map(({ section }) => section),
        ["free", "paid"]
      )
      const card = yield* readFile(
        ghost({ visibility: "paid", html: null, lexical: lexical([{ type: "mystery", words: SECRET }]) })
      )
      assert.deepStrictEqual(
        card.items[0]?.report.filter(({ code }) => code === "card_unknown").map(({ section }) => section),
        ["paid"]
      )
    })
  )

  it.effect("Dates before 1970 and the empty dates of programs are no dates", () =>
    Effect.gen(function* () {
      const dates = [
        "0001-01-01",
        "0001-01-01T00:00:00Z",
        "0070-01-01",
        "Mon, 01 Jan 0000 00:00:00 +0000",
        "Mon, 01 Jan 0001 00:00:00 +0000",
        "1969-12-31",
        "1969-12-31T23:00:00-02:00",
        "1970-01-01"
      ]
      const { items } = yield* readFile(
        archive(
          Object.fromEntries(dates.map((date, at) => [`a${at}.md`, `---\ndate: "${date}"\n---\nWords.\n`]))
        )
      )
      assert.deepStrictEqual(
        items.map(({ datedAt, report }) => [datedAt, report.some(({ code }) => code === "date_missing")]),
        [
          ...dates.slice(0, 6).map(() => [null, true]),
          ["1970-01-01T01:00:00.000Z", false],
          ["1970-01-01T00:00:00.000Z", false]
        ]
      )
    })
  )

  it.effect("Only members and free subscribers are opened by the author's choice", () =>
    Effect.gen(function* () {
      for (const file of [
        ghost({ visibility: "paid", html: SECRET }),
        ghost({ visibility: "tiers", html: SECRET }),
        substackFile(SECRET, { audience: "only_paid" })
      ]) {
        const { items } = yield* readFile(file, { membersOnly: "free" })
        assert.deepStrictEqual(
          items.map(({ draft }) => draft.freeContent),
          [""]
        )
      }
    })
  )
})
