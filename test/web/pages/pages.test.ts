import { assert, describe, it } from "@effect/vitest"
import { errorPageOf } from "../../../src/platform/pages/errorPage.ts"
import { documentOf, type Page } from "../../../src/platform/pages/layout.ts"
import { authorPage } from "../../../src/web/pages/authorPage.ts"
import type { PostView } from "../../../src/web/pages/parts/views.ts"
import { postPage } from "../../../src/web/pages/postPage.ts"
import { validated } from "./documents.ts"
import { authorView, BASE, cardView, commentView, HOSTILE, postView, site } from "./views.ts"

const rendered = (page: Page) => documentOf(site, page)

const paid = {
  priceXno: "0.25",
  rest: { minutes: 4, words: 900, isShort: false, pictures: 0, sections: 0, files: 2 }
}
const image = {
  image: `${BASE}/media/a/b.png`,
  imageSize: { width: 1200, height: 630 },
  ogTitle: "Card",
  ogDescription: "Of the card"
}

const hostilePerson = {
  name: HOSTILE,
  handle: "ada_writes",
  avatarUrl: `${BASE}/media/x.png?${HOSTILE}`,
  authorKind: "agent"
} as const

/** The years of an author with many Posts. */
const archive = {
  q: "",
  count: null,
  year: null,
  years: [
    { year: 2026, posts: 1_000 },
    { year: 2025, posts: 3 }
  ]
}

const pages: Readonly<Record<string, Page>> = {
  "a free Post": postPage(postView(), site),
  "a paid Post": postPage(postView({ ...paid, ...image }), site),
  "a Post of an agent in Arabic": postPage(
    postView({ language: "ar", author: { ...postView().author, authorKind: "agent" }, isIndexed: false }),
    site
  ),
  "a Post in Persian, whose words the service does not have": postPage(postView({ language: "fa" }), site),
  "a Post with Comments and related ones": postPage(
    postView({
      related: [cardView({ picture: `${BASE}/media/a/b-320.webp` }), cardView()],
      discussion: {
        isOpen: true,
        count: 4,
        next: `${BASE}/@ada_writes/on-pennies/comments?after=1`,
        threads: [
          commentView({
            replies: [
              commentView({ id: "c2", isByAuthor: true, replies: [commentView({ id: "c3", content: null })] })
            ],
            moreReplies: 3
          })
        ]
      }
    }),
    site
  ),
  "hostile words": postPage(
    postView({
      title: HOSTILE,
      description: HOSTILE,
      creationDetails: HOSTILE,
      category: { name: HOSTILE, slug: "books" },
      author: { ...postView().author, ...hostilePerson, bio: HOSTILE },
      ogTitle: HOSTILE,
      canonicalUrl: `https://x.test/?${HOSTILE}`,
      related: [cardView({ title: HOSTILE, description: HOSTILE, author: hostilePerson })],
      discussion: { isOpen: true, count: 1, next: null, threads: [commentView({ content: HOSTILE })] }
    }),
    site
  ),
  "an author": authorPage(authorView({ pinned: cardView() }), BASE),
  "an author without Posts": authorPage(
    authorView({ posts: [], links: [], next: null, bio: null, location: null }),
    BASE
  ),
  "an author with many Posts": authorPage(authorView({ archive, pinned: cardView() }), BASE),
  "a search of an author": authorPage(
    authorView({ archive: { ...archive, q: HOSTILE, count: 1_000 }, isIndexed: false }),
    BASE
  ),
  "a search of an author that finds nothing": authorPage(
    authorView({ archive: { ...archive, q: HOSTILE, count: 0 }, posts: [], next: null }),
    BASE
  ),
  "a year of an author": authorPage(authorView({ archive: { ...archive, year: 2025 }, after: "n1" }), BASE),
  "a hostile author": authorPage(
    authorView({
      name: HOSTILE,
      bio: HOSTILE,
      location: HOSTILE,
      avatarUrl: "javascript:alert(1)",
      headerUrl: `${BASE}/media/h.png`,
      kind: "agent",
      after: "n1"
    }),
    BASE
  ),
  ...Object.fromEntries(
    [404, 405, 422, 429, 500, 503].map((status) => [`status ${status}`, errorPageOf(status)])
  )
}

describe("pages", () => {
  for (const [name, page] of Object.entries(pages)) {
    it(`The page of ${name} is valid, with one heading of the first rank and its landmarks`, () => {
      const elements = validated(rendered(page), name)
      const count = (tag: string) => elements.filter((it) => it.tag === tag).length
      assert.deepStrictEqual([count("h1"), count("main"), count("title")], [1, 1, 1])
      assert.isAbove(count("nav"), 1)
      const scripts = elements.filter(({ tag }) => tag === "script")
      for (const { attributes } of scripts)
        assert.include(["module", "application/ld+json"], attributes["type"])
      for (const { attributes } of elements) {
        assert.deepStrictEqual(
          Object.keys(attributes).filter((it) => it.startsWith("on") || it === "style"),
          []
        )
        for (const it of ["href", "src"]) assert.notMatch(attributes[it] ?? "", /^\s*javascript:/i)
      }
    })
  }

  it("A Post says what it is to robots", () => {
    const elements = validated(rendered(pages["a paid Post"]!))
    const meta = (name: string) =>
      elements.find(({ attributes }) => attributes["property"] === name || attributes["name"] === name)
        ?.attributes["content"]
    const link = (rel: string, type?: string) =>
      elements.find(
        ({ attributes }) => attributes["rel"] === rel && (type === undefined || attributes["type"] === type)
      )?.attributes["href"]
    assert.deepStrictEqual(
      [
        "og:type",
        "og:title",
        "og:description",
        "og:url",
        "og:locale",
        "og:image",
        "og:image:width",
        "og:image:height",
        "og:image:alt",
        "article:section",
        "twitter:card",
        "description",
        "author"
      ].map(meta),
      [
        "article",
        "Card",
        "Of the card",
        `${BASE}/@ada_writes/on-pennies`,
        "en_GB",
        `${BASE}/media/a/b.png`,
        "1200",
        "630",
        "Card",
        "Books & Literature",
        "summary_large_image",
        "What a penny buys",
        "Ada"
      ]
    )
    assert.strictEqual(meta("article:published_time"), "2026-11-21T05:00:00Z")
    assert.strictEqual(link("canonical"), `${BASE}/@ada_writes/on-pennies`)
    assert.strictEqual(link("alternate", "text/markdown"), `${BASE}/@ada_writes/on-pennies.md`)
    assert.strictEqual(link("alternate", "application/atom+xml"), `${BASE}/@ada_writes/atom.xml`)
    assert.isUndefined(meta("robots"))
    const data = JSON.parse(
      elements.find(({ attributes }) => attributes["type"] === "application/ld+json")!.text
    )
    assert.deepInclude(data, { "@type": "Article", isAccessibleForFree: false, inLanguage: "en-GB" })
    assert.strictEqual(
      data.digitalSourceType,
      "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCreation"
    )
    assert.deepStrictEqual(data.hasPart.cssSelector, ".wall")
    assert.deepInclude(data.offers, { price: "0.25", priceCurrency: "XNO" })
    assert.isTrue(elements.some(({ attributes }) => attributes["class"] === "wall"))
  })

  it("A Post says who made it in the terms of the IPTC, and nothing where its author says nothing", () => {
    const sourceOf = (creationMethod: PostView["creationMethod"]) =>
      JSON.parse(
        validated(rendered(postPage(postView({ creationMethod }), site))).find(
          ({ attributes }) => attributes["type"] === "application/ld+json"
        )!.text
      ).digitalSourceType?.replace("http://cv.iptc.org/newscodes/digitalsourcetype/", "")
    assert.strictEqual(sourceOf("ai_assisted_drafting"), "compositeWithTrainedAlgorithmicMedia")
    assert.strictEqual(sourceOf("autonomous_agent"), "trainedAlgorithmicMedia")
    assert.isUndefined(sourceOf(null))
  })

  it("A long title is cut between its characters", () => {
    const title = `${"a".repeat(109)}${"🗼".repeat(20)}`
    const text = rendered(postPage(postView({ title }), site))
    assert.include(text, `"headline":"${"a".repeat(109)}🗼"`)
  })

  it("A page tells its reading time in its language, and a tip with at most six decimals", () => {
    const text = (language: string) =>
      rendered(
        postPage(
          postView({
            language,
            discussion: {
              isOpen: true,
              count: 1,
              next: null,
              threads: [commentView({ tipXno: "0.100000000000000000000000123456" })]
            }
          }),
          site
        )
      )
    assert.include(text("en"), '<span lang="en">3 min</span>')
    assert.include(text("ja"), '<span lang="ja">3 \u5206</span>')
    assert.include(text("de"), '<span lang="de">3 Min.</span>')
    assert.include(text("not a language"), "3 min</span>")
    assert.match(text("en"), /Tipped <data value="0\.100000000000000000000000123456">0\.1<\/data> XNO/)
  })

  it("A free Post has no wall and no offer", () => {
    const text = rendered(pages["a free Post"]!)
    assert.notInclude(text, 'class="wall"')
    for (const priced of ["priceCurrency", "tag price", 'rel="payment"', "/buy"])
      assert.notInclude(text, priced)
    assert.include(text, '"isAccessibleForFree":true')
  })

  it("A Post has the author's canonical URL, its language and its direction", () => {
    const text = rendered(postPage(postView({ language: "ar", canonicalUrl: "https://ada.test/x" }), site))
    assert.include(text, '<html lang="ar" dir="rtl">')
    assert.include(text, '<link rel="canonical" href="https://ada.test/x" />')
  })

  it("A Post in Latin-1 has no character beyond it, which would slow the encoding of the page", () => {
    const view = postView({ ...paid, related: [cardView()] })
    assert.notMatch(rendered(postPage(view, site)), /[^\p{ASCII}\u0080-\u00ff]/u)
    assert.include(rendered(postPage(view, site)), "&#x2764;&#xfe0f;")
  })

  it("A Post shows its parts in the order in which they are read", () => {
    const text = rendered(
      postPage(
        postView({
          ...paid,
          related: [cardView()],
          discussion: { isOpen: true, count: 1, next: null, threads: [commentView()] }
        }),
        site
      )
    )
    const parts = [
      "Books &amp; Literature</a>",
      "<h1",
      'class="lede',
      'class="byline"',
      "<p>Text</p>",
      'class="wall"',
      'class="about-author"',
      'action="/follow/',
      'action="/pay"',
      'name="amountXno"',
      'href="/tip?post=',
      'action="/react/',
      "data-share",
      'href="/report?post=',
      "according to the author.",
      'id="comments"',
      'action="/respond/',
      'href="#more">Skip comments',
      'class="thread"',
      'id="more"'
    ]
    const places = parts.map((part) => text.indexOf(part))
    assert.notInclude(places, -1)
    assert.deepStrictEqual(
      places,
      places.toSorted((one, other) => one - other)
    )
  })

  it("A text has contents from four headings on, with the lower ones below", () => {
    const headings = ["One & <b>", "Two", "Three", "Four"].map((text, index) => ({
      level: index === 1 ? 3 : 2,
      id: `h-${index}`,
      text
    }))
    const page = (count: number) => rendered(postPage(postView({ headings: headings.slice(0, count) }), site))
    assert.notInclude(page(3), "Contents")
    const text = page(4)
    validated(text)
    assert.include(text, "Contents")
    assert.match(
      text,
      /<li>\s*<a href="#h-0">One &amp; &lt;b&gt;<\/a>\s*<ul>\s*<li><a href="#h-1">Two<\/a><\/li>\s*<\/ul>\s*<\/li>/
    )
    assert.isBelow(text.indexOf("Contents"), text.indexOf('class="prose'))
  })

  it("A post has one button that copies its address, which is hidden without a script", () => {
    const buttons = validated(rendered(postPage(postView(), site))).filter(
      ({ attributes }) => attributes["data-copy"] !== undefined
    )
    assert.deepStrictEqual(
      buttons.map(({ attributes, text }) => [attributes["data-copy"], attributes["hidden"], text.trim()]),
      [[postView().url, "", "Copy link"]]
    )
  })

  it("An author can be followed, tipped and read in a feed, in this order", () => {
    const text = rendered(pages["an author"]!)
    const places = ["/follow/", "/tip?handle=ada_writes", '/@ada_writes/atom.xml">Feed'].map((it) =>
      text.indexOf(it)
    )
    assert.notInclude(places, -1)
    assert.deepStrictEqual(
      places,
      places.toSorted((one, other) => one - other)
    )
  })

  it("The words of the service have their own direction on the page of another", () => {
    const elements = validated(rendered(pages["a Post in Persian, whose words the service does not have"]!))
    const byline = elements.find(({ attributes }) => attributes["class"] === "byline")!
    assert.strictEqual(byline.attributes["dir"], undefined, "the byline begins where the title begins")
    const declared = elements.find(
      ({ tag, text }) => tag === "bdi" && text.includes("according to the author.")
    )!
    assert.strictEqual(declared.attributes["dir"], "ltr")
  })

  it("Times have whole seconds, and a change within a second is not mentioned", () => {
    const changed = (updatedAt: string) => rendered(postPage(postView({ updatedAt }), site))
    assert.include(changed("2026-11-22T05:00:00.123456Z"), "updated <time")
    assert.notInclude(changed("2026-11-22T05:00:00.122456Z"), "updated <time")
    for (const { attributes, tag } of validated(changed("2026-11-23T05:00:00.000001Z")))
      if (tag === "time") assert.match(attributes["datetime"]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })

  it("Search engines leave out pages of errors and of new accounts", () => {
    for (const name of ["status 404", "a Post of an agent in Arabic"])
      assert.include(rendered(pages[name]!), '<meta name="robots" content="noindex" />')
  })
})
