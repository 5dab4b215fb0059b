import { assert, describe, it } from "@effect/vitest"
import { Board } from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import { documentOf, type Page } from "../../../src/platform/pages/layout.ts"
import { categoriesPage } from "../../../src/web/lists/categoriesPage.ts"
import { feedsPage } from "../../../src/web/lists/feedsPage.ts"
import { homePage } from "../../../src/web/lists/homePage.ts"
import { leaderboardsPage } from "../../../src/web/lists/leaderboardsPage.ts"
import { listPage } from "../../../src/web/lists/listPage.ts"
import { filtersOf, targetOf } from "../../../src/web/lists/searchFilters.ts"
import { searchPage } from "../../../src/web/lists/searchPage.ts"
import { aboutPage } from "../../../src/web/site-pages/aboutPage.ts"
import { validated } from "../pages/documents.ts"
import { BASE, cardView, commentView, HOSTILE, site } from "../pages/views.ts"

const categories = [
  { name: "Books & Literature", slug: "books", posts: 2 },
  { name: HOSTILE, slug: "art", posts: 1_000 }
]

const list = {
  path: "/c/books",
  title: HOSTILE,
  about: HOSTILE,
  count: 21,
  feeds: "/c/books",
  isFolded: false,
  posts: [cardView({ title: HOSTILE })],
  after: "n1",
  next: "/c/books?after=n1"
}

const many = [0, 0, 0, 0, 1, 2, 3, 4].map((author, index) =>
  cardView({
    url: `/@a${author}/${index}`,
    title: HOSTILE,
    author: { ...cardView().author, name: HOSTILE, handle: `a${author}` }
  })
)

const nothing = { q: "", category: "", access: "", language: "", author: "", sort: "" }
const filters = {
  q: HOSTILE,
  category: "art",
  access: "paid",
  language: "en",
  author: "ada_writes",
  sort: "most_reacted"
}
// An author made up the last one.
const languages = ["de", "en", "zh", "xxyyzz"]
const empty = { count: 0, authors: [], posts: [], next: null, isFurther: false }
const { author } = commentView()

const pages: Readonly<Record<string, Page>> = {
  home: homePage({ newest: [cardView()], agents: [cardView()], reacted: [cardView()], categories }, site),
  "an empty home": homePage({ newest: [], agents: [], reacted: [], categories: [] }, site),
  "a list": listPage(list, BASE),
  "a list of many authors": listPage({ ...list, isFolded: true, posts: many }, BASE),
  "an empty list": listPage({ ...list, posts: [], feeds: null, after: null, next: null }, BASE),
  categories: categoriesPage(categories, BASE),
  "a search before it begins": searchPage({ filters: nothing, categories, languages, found: null }, BASE),
  "a search": searchPage(
    {
      filters,
      categories,
      languages,
      found: {
        isFurther: true,
        count: 1,
        authors: [
          { ...author, name: HOSTILE },
          { ...author, authorKind: "agent" }
        ],
        posts: [cardView()],
        next: targetOf(filters, "n1")
      }
    },
    BASE
  ),
  "a search without results": searchPage({ filters, categories, languages, found: empty }, BASE),
  "a search behind its end": searchPage(
    { filters, categories, languages, found: { ...empty, count: null, isFurther: true } },
    BASE
  ),
  leaderboards: leaderboardsPage(
    Board.literals.map((board, index) => ({
      board,
      rows:
        index === 0
          ? []
          : [{ rank: 1, profile: { ...author, name: HOSTILE }, value: "3.123456789012345678901234567891" }]
    })),
    BASE
  ),
  feeds: feedsPage(site),
  about: aboutPage(site)
}

describe("pages with lists", () => {
  for (const [name, page] of Object.entries(pages)) {
    it(`The page of ${name} is valid, with one heading of the first rank`, () => {
      const elements = validated(documentOf(site, page), name)
      const count = (tag: string) => elements.filter((it) => it.tag === tag).length
      assert.deepStrictEqual([count("h1"), count("main")], [1, 1])
      assert.strictEqual(
        elements.filter(({ attributes }) => attributes["aria-current"] === "page").length <= 1,
        true
      )
    })
  }

  it("Rankings show counts whole, and amounts with at most four decimals and the exact value for programs", () => {
    const profile = { ...author }
    const row = (value: string) => [{ rank: 1, profile, value }]
    const text = documentOf(
      site,
      leaderboardsPage(
        [
          { board: "creator_sales", rows: row("1,234") },
          { board: "supporters", rows: row("0.500000000000000000000000123456") }
        ],
        BASE
      )
    )
    assert.match(text, /<td>\s*1,234\s*<\/td>/)
    assert.match(text, /<td>\s*<data value="0.500000000000000000000000123456">0.5<\/data>\s*<\/td>/)
  })

  it("Filters are shown at a press, and without one where a filter is set", () => {
    const details = (page: Page) =>
      validated(documentOf(site, page)).find(({ tag }) => tag === "details")?.attributes
    assert.notProperty(details(pages["a search before it begins"]!), "open")
    assert.property(details(pages["a search"]!), "open")
  })

  it("A search says what was searched, and counts up to a thousand", () => {
    const textOf = (members: Partial<typeof nothing>, count = 0) =>
      documentOf(
        site,
        searchPage(
          {
            filters: { ...nothing, ...members },
            categories,
            languages,
            found: { ...empty, count, posts: count === 0 ? [] : [cardView()] }
          },
          BASE
        )
      )
    assert.include(textOf({ q: "喫茶店" }), "No post has “喫茶店” in its title, description or public text. ")
    assert.include(textOf({ q: "tea", access: "paid" }), "No post with these filters has “tea” in its title")
    assert.include(textOf({ language: "eo" }), "No post matches these filters.")
    for (const q of ["-", "…", '""'])
      assert.include(textOf({ q }), "contain a word to search for. Enter at least one", q)
    assert.include(textOf({ q: "tea" }, 999), "999 results")
    assert.include(textOf({ q: "tea" }, 1000), "1,000+ results")
  })

  it("A page behind the end of a search says so, and leads to its beginning", () => {
    const text = documentOf(site, pages["a search behind its end"]!)
    assert.include(text, "There are no more results.")
    assert.notInclude(text, "Try fewer")
    const first = validated(text).find(({ text: name }) => name === "First page")!
    assert.deepStrictEqual(filtersOf(new URL(first.attributes["href"]!, BASE).searchParams), filters)
  })

  it("A reader chooses a language by its name, and the one in the address is among them", () => {
    const namesOf = (language: string) =>
      validated(
        documentOf(
          site,
          searchPage({ filters: { ...nothing, language }, categories, languages, found: null }, BASE)
        )
      )
        .filter(({ attributes, tag }) => tag === "option" && attributes["value"] !== undefined)
        .map(({ attributes, text }) => [attributes["value"], text])
        .filter(([value = ""]) => ["de", "en", "pt-br", "eo", "xxyyzz", "q"].includes(value))
    assert.deepStrictEqual(namesOf(""), [
      ["en", "English"],
      ["de", "German"]
    ])
    assert.deepInclude(namesOf("pt-br"), ["pt-br", "Brazilian Portuguese"])
    assert.deepInclude(namesOf("xxyyzz"), ["xxyyzz", "xxyyzz"])
  })

  it("A list names its own address, also behind a cursor", () => {
    const addressOf = (page: Page) =>
      validated(documentOf(site, page)).find(({ attributes }) => attributes["rel"] === "canonical")
        ?.attributes["href"]
    assert.strictEqual(addressOf(pages["a list"]!), `${BASE}/c/books?after=n1`)
    assert.strictEqual(addressOf(pages["an empty list"]!), `${BASE}/c/books`)
  })

  it("A search keeps its filters in the form and in the next page", () => {
    const elements = validated(documentOf(site, pages["a search"]!))
    const values = elements
      .filter(({ attributes }) => "name" in attributes && "value" in attributes)
      .map(({ attributes }) => [attributes["name"], attributes["value"]])
    assert.deepStrictEqual(values, [
      ["q", HOSTILE],
      ["author", "ada_writes"]
    ])
    assert.deepStrictEqual(
      elements
        .filter(({ attributes }) => "selected" in attributes)
        .map(({ attributes }) => attributes["value"]),
      ["art", "paid", "en", "most_reacted"]
    )
    const next = elements.find(({ attributes }) => attributes["rel"] === "next")!.attributes["href"]!
    assert.deepStrictEqual(filtersOf(new URL(next, BASE).searchParams), filters)
  })

  it("A search reads only filters that can be meant", () => {
    const read = (query: string) => filtersOf(new URLSearchParams(query))
    assert.deepStrictEqual(
      read("q=+a+&category=art&access=paid&language=pt-BR&author=@ada&sort=most_reacted"),
      {
        q: "a",
        category: "art",
        access: "paid",
        language: "pt-BR",
        author: "ada",
        sort: "most_reacted"
      }
    )
    assert.strictEqual(read("q=a&sort=newest").sort, "newest")
    for (const hostile of [
      "category=<b>&access=x&language=%00&author=%00&sort=oldest",
      "q=%00%20",
      "q=%ed%a0%80&author=" + "a".repeat(31),
      ""
    ])
      assert.deepStrictEqual({ ...read(hostile), q: "" }, nothing, hostile)
    assert.strictEqual(read(`q=${"a".repeat(300)}`).q.length, 200)
  })
})
