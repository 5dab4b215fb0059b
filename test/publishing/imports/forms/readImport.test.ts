import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { isAccepted } from "../../../../src/publishing/imports/conversion/section.ts"
import type {
  ImportFailureCode,
  ImportFile,
  ImportKind
} from "../../../../src/publishing/imports/ImportedItem.ts"
import { soak } from "../../../support/soak.ts"
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

const codesOf = (report: ReadonlyArray<{ readonly code: string }>) => report.map(({ code }) => code)

describe("the form of a file", () => {
  const ghost = ghostFile([ghostPost()])
  const known: ReadonlyArray<readonly [title: string, file: ImportFile, kind: ImportKind]> = [
    ["JSON of Ghost", single("sea.json", ghost), "ghost"],
    ["a ZIP of Ghost", archive({ "sea.ghost.json": ghost, "content/images/a.png": "x" }), "ghost"],
    ["WordPress", single("sea.xml", wordpressFile([wordpressItem()])), "wordpress"],
    [
      "a ZIP of WordPress",
      archive({
        "a.xml": wordpressFile([wordpressItem()]),
        "b.xml": wordpressFile([wordpressItem({ guid: "b" })])
      }),
      "wordpress"
    ],
    ["Substack", substackFile("<p>a</p>"), "substack"],
    [
      "Medium",
      archive({
        "posts/2024-03-02_A-abc123def456.html": mediumStory("<p>a</p>"),
        "profile/profile.html": "<html></html>"
      }),
      "medium"
    ],
    ["Markdown", single("a.md", "a"), "markdown"],
    ["plain text", single("a.txt", "a"), "markdown"],
    ["a ZIP of Markdown", archive({ "a/b.mdx": "a", "a/c.png": "x" }), "markdown"],
    [
      "our export",
      archive({ "posts/a.md": `---\npennypress:\n  id: "a"\n---\n\na\n`, "README.md": "x" }),
      "pennypress"
    ]
  ]
  it.effect.each(known.map(([title, file, kind]) => ({ title, file, kind })))(
    "The form is found: $title",
    ({ file, kind }) =>
      Effect.gen(function* () {
        const { failure, items, reading } = yield* readFile(file)
        assert.isUndefined(failure)
        assert.strictEqual(reading?.kind, kind)
        assert.isAbove(items.length, 0)
        const again = yield* readFile(file)
        assert.deepStrictEqual(again.items, items)
        const other = yield* readFile(file, { kind: kind === "ghost" ? "medium" : "ghost" })
        assert.strictEqual(other.failure?.code, "kind_mismatch")
      })
  )

  const refused: ReadonlyArray<readonly [title: string, file: ImportFile, code: ImportFailureCode]> = [
    ["nothing", single("a.md", ""), "empty"],
    ["an archive without files", archive({}), "empty"],
    ["other JSON", single("a.json", `{"a":1}`), "unknown_form"],
    ["cut JSON", single("a.json", ghost.slice(0, 400)), "damaged"],
    ["JSON of many levels", single("a.json", "[".repeat(1_000_000)), "too_deep"],
    ["a page", single("a.html", "<html></html>"), "unknown_form"],
    ["a PDF", single("a.pdf", "%PDF-1.7"), "unknown_form"],
    ["a book", archive({ "META-INF/container.xml": "<container/>", "a.xhtml": "x" }), "unknown_form"],
    [
      "another feed",
      single("a.xml", `<?xml version="1.0"?><rss version="2.0"><channel></channel></rss>`),
      "unknown_form"
    ],
    [
      "XML with a DOCTYPE",
      single(
        "a.xml",
        `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${wordpressFile([]).replace(/^<\?xml[^>]*>/, "")}`
      ),
      "doctype"
    ]
  ]
  it.effect.each(refused.map(([title, file, code]) => ({ title, file, code })))(
    "The file is refused: $title",
    ({ code, file }) =>
      Effect.gen(function* () {
        const { failure, items } = yield* readFile(file)
        assert.strictEqual(failure?.code, code)
        assert.isAbove(failure?.message.length ?? 0, 10)
        assert.deepStrictEqual(items, [])
      })
  )

  it.effect("A file that is cut at any place gives the posts before the cut", () =>
    Effect.gen(function* () {
      const posts = Array.from({ length: 10 }, (_, at) =>
        wordpressItem({ guid: `https://sea.test/?p=${at}`, title: `Post ${at}` })
      )
      const whole = wordpressFile(posts)
      const { items } = yield* readFile(single("sea.xml", whole))
      for (let cut = 1; cut <= 100; cut++) {
        const text = whole.slice(0, Math.floor((whole.length * cut) / 101))
        const before = text.split("</item>").length - 1
        const read = yield* readFile(single("sea.xml", text))
        assert.isDefined(read.failure)
        assert.deepStrictEqual(read.items, items.slice(0, before))
      }
    })
  )
})

describe("posts of each form", () => {
  it.effect("Ghost keeps members, tags and pictures", () =>
    Effect.gen(function* () {
      const post = ghostPost({
        feature_image: "__GHOST_URL__/content/images/2024/03/cover.jpg",
        custom_excerpt: "On the sea",
        html: `<p>Words <a href="__GHOST_URL__/other/#part">there</a>.</p><img src="__GHOST_URL__/content/images/size/w600/2024/03/a.png" alt="A">`
      })
      const { items, reading } = yield* readFile(
        archive({
          "sea.ghost.json": ghostFile(
            [
              post,
              ghostPost({ uuid: "2", type: "page" }),
              ghostPost({ uuid: "3", status: "sent", title: "" })
            ],
            {
              tags: [
                { id: "t1", name: "Poetry" },
                { id: "t2", name: "#internal" },
                { id: "t3", name: "Fog" }
              ],
              posts_tags: [
                { post_id: post.id, tag_id: "t1", sort_order: 0 },
                { post_id: post.id, tag_id: "t3", sort_order: 1 }
              ]
            }
          ),
          "content/images/2024/03/cover.jpg": "x",
          "content/images/2024/03/a.png": "x"
        })
      )
      assert.deepStrictEqual(reading?.site, { title: "The Sea", url: null, language: "en" })
      const [first, page, sent] = items
      assert.strictEqual(first?.draft.description, "On the sea")
      assert.strictEqual(first?.slug, "nine-degrees")
      assert.strictEqual(first?.datedAt, "2024-03-02T09:00:00.000Z")
      assert.deepStrictEqual(first?.draft.categoryIds, [25, null])
      assert.include(codesOf(first?.report ?? []), "tags_dropped")
      assert.deepInclude(first?.images.at(-1), {
        place: "cover",
        from: { entry: "content/images/2024/03/cover.jpg" }
      })
      assert.deepInclude(first?.images[0], {
        place: "text",
        from: { entry: "content/images/2024/03/a.png" }
      })
      assert.deepInclude(first?.links[0], { keys: ["path:/other"], slug: "other", fragment: "#part" })
      assert.include(first?.aliases ?? [], "path:/nine-degrees")
      assert.deepStrictEqual(page?.stop, { outcome: "skipped", code: "page" })
      assert.strictEqual(sent?.status, "draft")
      assert.strictEqual(sent?.title, "Free words.")
      assert.includeMembers(codesOf(sent?.report ?? []), ["email_only", "title_made", "description_made"])
    })
  )

  it.effect("WordPress keeps members, terms, cover and links", () =>
    Effect.gen(function* () {
      const terms = `<category domain="category" nicename="travel"><![CDATA[Travel]]></category><category domain="post_tag" nicename="fog"><![CDATA[Fog]]></category>`
      const content = `First line\nsecond line\n\n[caption id="a" width="300"]<img src="https://sea.test/wp-content/uploads/a-300x200.jpg" /> The sea[/caption]\n\n[gallery ids="20"]\n\nhttps://youtu.be/abcdefghijk\n\n[1] stays &nbsp;[contact-form-7 id="1"] <a href="/?p=13">there</a>`
      const attachment = wordpressItem(
        { "wp:post_type": "attachment", "wp:post_id": "20", guid: "https://sea.test/?attachment_id=20" },
        `<wp:attachment_url>https://sea.test/wp-content/uploads/b.png</wp:attachment_url>`
      )
      const { items, reading } = yield* readFile(
        single(
          "sea.xml",
          wordpressFile([
            wordpressItem(
              { "content:encoded": content, "excerpt:encoded": "On <b>the</b> sea" },
              terms + postMeta("_thumbnail_id", "20")
            ),
            attachment,
            wordpressItem({ guid: "x", "wp:status": "trash" }),
            wordpressItem({ guid: "y", "wp:post_type": "page" }),
            wordpressItem({
              guid: "z",
              "wp:status": "future",
              "wp:post_date_gmt": "0000-00-00 00:00:00",
              "wp:post_date": "2030-01-01 00:00:00"
            })
          ])
        )
      )
      assert.deepStrictEqual(reading?.site, { title: "The Sea", url: "https://sea.test", language: "en-GB" })
      assert.deepStrictEqual(
        items.map(({ stop }) => stop?.code ?? null),
        [null, "trashed", "page", null]
      )
      const [first, , , last] = items
      assert.strictEqual(
        first?.draft.freeContent,
        `First line\\\nsecond line\n\n![](https://sea.test/wp-content/uploads/a.jpg "The sea")\n\n![](https://sea.test/wp-content/uploads/b.png)\n\n[youtu.be](https://youtu.be/abcdefghijk)\n\n\\[1] stays \u00A0 [there](/?p=13)`
      )
      assert.strictEqual(first?.draft.description, "On the sea")
      assert.strictEqual(first?.draft.language, "en-GB")
      assert.deepStrictEqual(first?.draft.categoryIds, [30, null])
      assert.strictEqual(first?.datedAt, "2024-03-02T09:00:00.000Z")
      assert.deepInclude(first?.images.at(-1), {
        place: "cover",
        from: { url: "https://sea.test/wp-content/uploads/b.png" }
      })
      assert.deepInclude(
        first?.links.find(({ url }) => url === "/?p=13"),
        { keys: ["path:/", "p:13"], absolute: "https://sea.test/?p=13" }
      )
      assert.includeMembers(
        [...(first?.aliases ?? [])],
        ["url:sea.test/2024/03/nine-degrees", "path:/2024/03/nine-degrees", "p:12"]
      )
      assert.strictEqual(last?.status, "scheduled")
      assert.includeMembers(codesOf(last?.report ?? []), ["date_future", "zone_assumed"])
    })
  )

  it.effect("Substack keeps members, and refuses what its list does not name", () =>
    Effect.gen(function* () {
      const file = substackFile(`<p>Words <a href="https://sea.substack.com/p/other">there</a>.</p>`)
      const more = archive({
        ...Object.fromEntries(
          yield* Effect.forEach(file.entries, ({ name }) =>
            Effect.map(file.bytes(name, 1e6), (bytes) => [name, bytes] as const)
          )
        ),
        "posts/9.lost.html": "<p>lost</p>"
      })
      const { items } = yield* readFile(more)
      assert.deepInclude(items[0], {
        sourceId: "140000001",
        slug: "nine-degrees",
        title: "Nine degrees",
        status: "published",
        datedAt: "2024-03-02T09:00:00.000Z"
      })
      assert.strictEqual(items[0]?.draft.description, "On the sea")
      assert.include(items[0]?.aliases ?? [], "path:/p/nine-degrees")
      assert.deepStrictEqual(items[1]?.stop, { outcome: "refused", code: "row_missing" })
      assert.strictEqual(items[1]?.draft.freeContent, "")
    })
  )

  it.effect("Medium keeps members, and skips responses", () =>
    Effect.gen(function* () {
      const body = `<section class="section section--body"><div class="section-divider"><hr class="section-divider"></div><div class="section-content"><div class="section-inner"><h3 class="graf graf--h3 graf--title">Nine degrees</h3><h4 class="graf graf--h4 graf--subtitle">On the sea</h4><p class="graf graf--p">Words <a href="https://medium.com/p/0123456789ab" class="markup--anchor">there</a>.</p><figure class="graf graf--figure"><img class="graf-image" data-image-id="1*a.png" src="https://cdn-images-1.medium.com/max/800/1*a.png"><figcaption class="imageCaption">The sea</figcaption></figure></div></div></section>`
      const { items } = yield* readFile(
        archive({
          "posts/2024-03-02_Nine-degrees-abc123def456.html": mediumStory(body),
          "posts/draft_Well-said-aaa111bbb222.html": mediumStory("<p>Well said, friend.</p>", "Well said")
        })
      )
      const [story, response] = items
      assert.strictEqual(
        story?.draft.freeContent,
        `Words [there](https://medium.com/p/0123456789ab).\n\n![](https://cdn-images-1.medium.com/max/800/1*a.png "The sea")`
      )
      assert.deepInclude(story, {
        sourceId: "abc123def456",
        slug: "nine-degrees",
        author: "Ann",
        datedAt: "2024-03-02T09:00:00.000Z"
      })
      assert.include(codesOf(story?.report ?? []), "access_unknown")
      assert.include(story?.links[0]?.keys ?? [], "medium:0123456789ab")
      assert.include(story?.aliases ?? [], "medium:abc123def456")
      assert.strictEqual(response?.status, "draft")
      assert.deepStrictEqual(response?.stop, { outcome: "skipped", code: "response" })
      assert.notInclude(codesOf(response?.report ?? []), "access_unknown")
    })
  )

  it.effect("Front matter in YAML, TOML and JSON gives the same members", () =>
    Effect.gen(function* () {
      const texts = [
        `---\ntitle: "Nine: degrees"\ndate: 2024-03-02\ntags: [poetry, fog]\ndraft: true\ncover:\n  image: pic.png\n---\n# Nine degrees\n\nWords.\n`,
        `+++\ntitle = "Nine: degrees"\ndate = "2024-03-02"\ntags = ["poetry", "fog"]\ndraft = true\ncover = "pic.png"\n+++\n# Nine degrees\n\nWords.\n`,
        `{"title": "Nine: degrees", "date": "2024-03-02", "tags": ["poetry", "fog"], "draft": true, "cover": "pic.png"}\n# Nine degrees\n\nWords.\n`,
        `---\ntitle: "Nine: degrees"\ndate: 2024-03-02\ntags: [poetry, fog]\ndraft: true\ncover: pic.png\nbroken: [a\n---\n# Nine degrees\n\nWords.\n`
      ]
      for (const [at, text] of texts.entries()) {
        const { items } = yield* readFile(
          archive({ [`blog/drafts/2023-01-01-nine.md`]: text, "blog/img/pic.png": "x" })
        )
        assert.deepInclude(items[0], {
          title: "Nine: degrees",
          status: "draft",
          datedAt: "2024-03-02T00:00:00.000Z",
          slug: "nine",
          sourceId: "drafts/2023-01-01-nine.md"
        })
        assert.strictEqual(items[0]?.draft.freeContent.trim(), "Words.")
        assert.deepStrictEqual(items[0]?.draft.categoryIds, [25, null])
        assert.deepStrictEqual(items[0]?.images, [
          { url: "pic.png", alt: "", from: { entry: "blog/img/pic.png" }, place: "cover" }
        ])
        assert.strictEqual(codesOf(items[0]?.report ?? []).includes("front_matter_repaired"), at === 3)
      }
    })
  )

  it.effect("Links and pictures between notes are found", () =>
    Effect.gen(function* () {
      const { items } = yield* readFile(
        archive({
          "v/a.md": "See [[b|that]], [b](b.md#x), {% post_url b %} ![](p%20q.png) ![[p q.png]]",
          "v/b.md": "# Title\n\nText",
          "v/p q.png": "x"
        })
      )
      const [first, second] = items
      assert.deepStrictEqual(
        first?.images.map(({ from }) => from),
        [{ entry: "v/p q.png" }]
      )
      for (const { keys } of first?.links ?? []) assert.include(keys, "file:v/b")
      assert.strictEqual(first?.links.length, 2)
      assert.include(second?.aliases ?? [], "file:v/b")
      assert.strictEqual(second?.title, "Title")
      assert.strictEqual(second?.draft.freeContent, "Text")
    })
  )

  it.effect("Texts in other encodings are read", () =>
    Effect.gen(function* () {
      const wide = new Uint8Array([
        0xff,
        0xfe,
        ...[..."Größe"].flatMap((it) => [it.charCodeAt(0) & 255, it.charCodeAt(0) >> 8])
      ])
      const latin = new Uint8Array(
        [..."Gr\u00F6\u00DFe, K\u00E4se und Caf\u00E9"].map((it) => it.charCodeAt(0))
      )
      assert.strictEqual((yield* readFile(single("A.md", wide))).items[0]?.draft.freeContent, "Größe")
      const { items } = yield* readFile(single("A.md", latin))
      assert.strictEqual(items[0]?.draft.freeContent, "Größe, Käse und Café")
      assert.include(codesOf(items[0]?.report ?? []), "encoding_guessed")
    })
  )

  it.effect("An item that a reading leaves out is refused, and the others stay the same", () =>
    Effect.gen(function* () {
      const own = (slug: string) =>
        `---\ntitle: "${slug}"\nslug: "${slug}"\npennypress:\n  id: "${slug}"\n---\n\nwords\n`
      const files = [
        single(
          "a.json",
          ghostFile([0, 1, 2].map((n) => ghostPost({ uuid: `g${n}`, html: `<p>words ${n}</p>` })))
        ),
        single("a.xml", wordpressFile([0, 1, 2].map((n) => wordpressItem({ title: `W${n}` })))),
        archive({ "posts/a.md": own("a"), "README.md": "x", "posts/b.md": own("b"), "posts/c.md": own("c") }),
        archive({ "a.md": "words a", "b.md": "words b", "c.md": "words c" }),
        archive(
          Object.fromEntries(
            ["a", "b", "c"].map((n) => [`posts/2024-03-02_A-abc123def45${n}.html`, mediumStory(`words ${n}`)])
          )
        )
      ]
      for (const file of files) {
        const whole = yield* readFile(file)
        const asked: Array<number> = []
        const leavesOut = (ordinal: number) => {
          asked.push(ordinal)
          return ordinal === 1
        }
        const { items } = yield* readFile(file, { include: [], membersOnly: "paid", leavesOut })
        assert.deepStrictEqual(asked, [0, 1, 2], whole.reading?.kind)
        assert.deepStrictEqual([items[0], items[2]], [whole.items[0], whole.items[2]])
        assert.deepStrictEqual([items[1]?.ordinal, items[1]?.kind], [1, whole.reading?.kind])
        assert.deepStrictEqual(items[1]?.stop, { outcome: "refused", code: "too_complex" })
        assert.deepStrictEqual(codesOf(items[1]?.report ?? []), ["too_complex"])
      }
    })
  )

  it.effect("A line of the report names the place of its block in a file of Markdown", () =>
    Effect.gen(function* () {
      const text = `---\ntitle: T\npaid: true\n---\n\n# T\n\nFree\n\n<iframe src="https://a.test/x"></iframe>\n\n<!--paid-->\n\nwords\n\n> <details><summary>s</summary>t</details>\n`
      const { items } = yield* readFile(single("a.md", text))
      assert.deepStrictEqual(
        (items[0]?.report ?? [])
          .filter(({ line }) => line !== null)
          .map(({ code, column, line, section }) => [code, section, line, column]),
        [
          ["embed_link", "free", 10, 1],
          ["details_unfolded", "paid", 16, 1]
        ]
      )
    })
  )

  it.effect("Our own export comes back byte for byte", () =>
    Effect.gen(function* () {
      const free = "# Not a title\n\n* star\n\n![a](/media/3f9a0c11d2e4b576.png)\n\n"
      const front = `---\ntitle: "yes"\ndate: 2024-03-02T09:00:00.000Z\nslug: "a"\ndescription: "D"\nlang: "pt-BR"\ncanonicalUrl: "https://a.test/"\nimage: "/media/3f9a0c11d2e4b576.png"\nrender_with_liquid: false\npennypress:\n  id: "0190"\n  access: paid\n  priceXno: "0.5"\n  creationMethod: human_written\n  creationDetails: "by hand"\n  creationAttested: true\n  commentsEnabled: false\n  mailReaders: false\n  ogTitle: "T"\n  categoryIds: [4, null]\n---\n`
      const { items } = yield* readFile(
        archive({
          "posts/2024-03-02-a.md": `${front}\n${free}\n`,
          "paid/a.md": "  paid text \n\n",
          "media/3f9a0c11d2e4b576.png": "x",
          "attachments/0190/data.zip": "x",
          "README.md": "x"
        })
      )
      assert.strictEqual(items.length, 1)
      const [item] = items
      assert.deepStrictEqual(item?.draft, {
        title: "yes",
        description: "D",
        slug: "a",
        canonicalUrl: "https://a.test/",
        language: "pt-BR",
        categoryIds: [4, null],
        ogTitle: "T",
        ogDescription: null,
        commentsEnabled: false,
        mailReaders: false,
        accessKind: "paid",
        freeContent: free,
        paidContent: "  paid text \n",
        priceXno: "0.5",
        creationMethod: "human_written",
        creationDetails: "by hand",
        creationAttested: true
      })
      assert.deepStrictEqual(item?.attachments, [{ entry: "attachments/0190/data.zip", name: "data.zip" }])
      assert.deepStrictEqual(
        item?.images.map(({ from, place }) => [from, place]),
        [
          [{ entry: "media/3f9a0c11d2e4b576.png" }, "text"],
          [{ entry: "media/3f9a0c11d2e4b576.png" }, "cover"]
        ]
      )
      assert.deepStrictEqual(item?.report, [])
    })
  )

  it.effect(
    "A picture with other bytes leaves an item as it was, and another file for buyers makes it another one",
    () =>
      Effect.gen(function* () {
        const front = `---\ntitle: "T"\nslug: "a"\npennypress:\n  id: "0190"\n  access: paid\n---\n`
        const hashOf = Effect.fnUntraced(function* (entries: Readonly<Record<string, string>>) {
          const { items } = yield* readFile(
            archive({
              "posts/a.md": `${front}\n![a](/media/3f9a0c11d2e4b576.png)\n`,
              "paid/a.md": "paid\n",
              ...entries
            })
          )
          return items[0]?.sha256
        })
        const picture = { "media/3f9a0c11d2e4b576.png": "x" }
        const file = { "attachments/0190/data.zip": "x" }
        const first = yield* hashOf({ ...picture, ...file })
        assert.strictEqual(yield* hashOf({ "media/3f9a0c11d2e4b576.png": "other", ...file }), first)
        assert.strictEqual(yield* hashOf(file), first)
        assert.notStrictEqual(yield* hashOf(picture), first)
        assert.notStrictEqual(yield* hashOf({ ...picture, ...file, "attachments/0190/more.zip": "x" }), first)
      })
  )
})

describe("hostile files", () => {
  it.effect("Spellings of one picture are one picture, and an item has at most 500", () =>
    Effect.gen(function* () {
      const pictures = (address: (at: number) => string, count: number) =>
        Array.from({ length: count }, (_, at) => `![p${at}](${address(at)})`).join("\n\n")
      const { items } = yield* readFile(
        archive({
          "a.md": pictures((at) => `a.png?${at}`, 1000),
          "b.md": pictures((at) => `https://sea.test/${at}.png`, 1000),
          "a.png": "x"
        })
      )
      assert.deepStrictEqual(
        items.map(({ images }) => images.length),
        [1, 500]
      )
      assert.include(items[0]?.draft.freeContent, "![p999](a.png?0)")
      assert.include(items[1]?.draft.freeContent, "![p499](https://sea.test/499.png)")
      assert.match(items[1]?.draft.freeContent ?? "", /\n\np500\n/)
      assert.include(codesOf(items[1]?.report ?? []), "image_dropped")
    })
  )

  const repeats = [
    "<",
    "[",
    "(",
    "{",
    "*",
    "_",
    "`",
    " ",
    "\n",
    "|",
    ">",
    "#",
    "-",
    "=",
    "&",
    "%",
    "$",
    ":",
    "!",
    "[[",
    "{{",
    "{% a ",
    "<a ",
    "<!--",
    "<b id=1>",
    "[x]",
    "[a b=",
    "<div>",
    "&amp",
    "\u00A0",
    "a\n",
    "- ",
    "<p>"
  ]

  it.effect(
    "Each repeated character is read in linear time by each form",
    () =>
      Effect.gen(function* () {
        // Quadratic time would be minutes for each of these.
        for (const [nth, piece] of repeats.entries()) {
          const text = piece.repeat(Math.floor((256 * 1024) / piece.length))
          const files = [
            single("a.md", text),
            single("a.json", ghostFile([ghostPost({ html: text, visibility: "paid" })])),
            single(
              "a.xml",
              wordpressFile([wordpressItem({ "content:encoded": text, title: text.slice(0, 50_000) })])
            ),
            substackFile(text, { audience: "only_paid" })
          ]
          // In the short form, each piece is read by one of the forms, and the next piece by the next one.
          for (const file of files.filter((_, at) => (at + nth) % soak(files.length, 1) === 0)) {
            const { items } = yield* readFile(file)
            for (const { draft, stop } of items)
              assert.isTrue(
                stop !== null || (isAccepted(draft.freeContent) && isAccepted(draft.paidContent)),
                piece
              )
          }
        }
      }),
    120_000
  )

  it.effect("Depth and width end at their limits", () =>
    Effect.gen(function* () {
      const deep = "<div>".repeat(300_000)
      const { items } = yield* readFile(
        single(
          "a.json",
          ghostFile([
            ghostPost({ html: `${deep}words` }),
            ghostPost({
              html: `<p ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(" ")}>words</p>`
            }),
            ghostPost({ html: "<ul><li>".repeat(50_000) + "words" }),
            ghostPost({ html: "<b>".repeat(100_000) + "words" }),
            ghostPost({ html: "x".repeat(2 * 1024 * 1024 + 1) }),
            ghostPost({ lexical: "[".repeat(100_000), html: null })
          ])
        )
      )
      assert.deepStrictEqual(
        items.slice(0, 4).map(({ draft }) => /words/.test(draft.freeContent)),
        [true, true, true, true]
      )
      assert.deepStrictEqual(
        items.slice(4).map(({ stop }) => stop?.code),
        ["source_too_long", "empty"]
      )
      const xml = yield* readFile(
        single("a.xml", wordpressFile([`<item>${"<a>".repeat(100)}${"</a>".repeat(100)}</item>`]))
      )
      assert.strictEqual(xml.failure?.code, "too_deep")
    })
  )

  it.effect("Names of prototypes and aliases that multiply are text or nothing", () =>
    Effect.gen(function* () {
      const bomb = `---\na: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c]\ntitle: Bomb\n---\nwords\n`
      const proto = `---\n__proto__: {paid: true, title: no}\nconstructor: x\ntitle: Fine\n---\nwords\n`
      const { items } = yield* readFile(archive({ "a.md": bomb, "b.md": proto }))
      assert.deepStrictEqual(
        items.map(({ access, title }) => [access, title]),
        [
          ["free", "Bomb"],
          ["free", "Fine"]
        ]
      )
      assert.include(codesOf(items[0]?.report ?? []), "front_matter_repaired")
      assert.isUndefined(({} as Record<string, unknown>)["paid"])
      const ghost = yield* readFile(
        single(
          "a.json",
          ghostFile([{ ...ghostPost(), __proto__: { visibility: "paid" } }]).replace(
            '"visibility"',
            '"__proto__":{"visibility":"paid"},"visibility"'
          )
        )
      )
      assert.strictEqual(ghost.items[0]?.access, "free")
    })
  )

  it.effect("Programs in any member reach no text", () =>
    Effect.gen(function* () {
      const program = `<script>never()</script><img src=x onerror=never()><a href="javascript:never()">words</a><iframe srcdoc="<script>never()</script>"></iframe>`
      const files = [
        single("a.json", ghostFile([ghostPost({ html: program, codeinjection_head: program })])),
        single(
          "a.xml",
          wordpressFile([
            wordpressItem({
              "content:encoded": program,
              title: `Title ${program}`,
              "excerpt:encoded": program
            })
          ])
        ),
        substackFile(program),
        single("A.md", program),
        archive({ "posts/2024-03-02_A-abc123def456.html": mediumStory(program) })
      ]
      for (const file of files) {
        const { items } = yield* readFile(file)
        for (const { draft } of items) assert.notInclude(JSON.stringify(draft), "never")
        assert.include(items[0]?.draft.freeContent, "words")
      }
    })
  )
})
