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
    ["a marker within code of Markdown", markdown("a\n\n```\n<!--paid-->\n```\n\nb `<!--paid-->`\n"), {}],
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
