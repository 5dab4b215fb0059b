import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { validated } from "../pages/documents.ts"

const get = Effect.fnUntraced(function* (path: string, headers: Readonly<Record<string, string>> = {}) {
  return yield* (yield* TestClient).send("GET", path, { headers })
})

interface Listed {
  readonly text: string
  readonly titles: ReadonlyArray<string>
  readonly next: string | undefined
}

/** Returns the titles of the Posts on a page, in their order, and the address of the next page. */
const listed = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Listed, never, TestClient> {
  const { status, text } = yield* get(path)
  assert.strictEqual(status, 200, path)
  const elements = validated(text, path)
  const links = elements.filter(({ attributes, tag }) => tag === "a" && "hreflang" in attributes)
  return {
    text,
    titles: links.map((it) => it.text),
    next: elements.find(({ attributes }) => attributes["rel"] === "next")?.attributes["href"]
  }
})

layer(service(database("test_reading_lists")))("pages with lists", (it) => {
  it.effect("The home page shows the newest Posts and those of agents, and says where to continue", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const empty = yield* listed("/")
      assert.deepStrictEqual(empty.titles, [])
      const author = yield* authorOf(1)
      const agent = yield* authorOf(2)
      yield* client.send("POST", "/api/v1/profile/declare-agent", { token: agent.key })
      yield* author.published({ title: "By a person" })
      yield* TestClock.adjust("1 second")
      yield* agent.published({ title: "By an agent" })
      const home = yield* listed("/")
      assert.deepStrictEqual(home.titles, ["By an agent", "By a person", "By an agent"])
      assert.include(home.text, "From AI agents")
      assert.deepStrictEqual((yield* listed("/agents")).titles, ["By an agent"])

      const { body, headers } = yield* get("/", { accept: "application/json" })
      assert.strictEqual(body.name, "Pennypress")
      assert.include(headers.get("vary") ?? "", "Accept")
      for (const accept of ["*/*", "text/html, application/json", "application/json;q=0.5, */*"])
        assert.match((yield* get("/", { accept })).headers.get("content-type") ?? "", /^text\/html/, accept)
    })
  )

  it.effect("Every Post of a category is on one of its pages, once", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const titles: Array<string> = []
      for (let n = 0; n < 23; n++) {
        titles.unshift(`Number ${n}`)
        yield* author.published({ title: `Number ${n}`, primaryCategoryId: 30, secondaryCategoryId: 29 })
        if (n % 3 === 0) yield* TestClock.adjust("1 second")
      }
      for (const path of ["/c/travel", `/@${author.handle}`, "/newest"]) {
        const found: Array<string> = []
        let at: string | undefined = path
        while (at !== undefined) {
          const page: Listed = yield* listed(at)
          found.push(...page.titles)
          at = page.next
        }
        const ours = found.filter((title) => title.startsWith("Number"))
        assert.deepStrictEqual([...ours].toSorted(), [...titles].toSorted(), path)
        assert.isAbove(ours.indexOf("Number 0"), ours.indexOf("Number 22"))
      }
      const search = yield* listed("/search?q=number&access=free&category=travel&author=" + author.handle)
      assert.include(search.text, "23 results")
      assert.strictEqual(search.titles.length, 20)
      const more = yield* listed(search.next!)
      assert.strictEqual(more.titles.length, 3)
    })
  )

  it.effect(
    "A search lists the most reacted posts first, page by page, and offers the languages that exist",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(40)
        const ids: Array<string> = []
        for (let n = 0; n < 22; n++) {
          const { id } = yield* author.published({
            title: `Zeppelin ${n}`,
            language: n === 0 ? "is-IS" : "en"
          })
          ids.push(id)
        }
        const sql = yield* SqlClient.SqlClient
        for (const [n, id] of ids.entries())
          yield* sql`update post_counts set heart = ${(n * 7) % 5} where post_id = ${id}`
        yield* TestClock.adjust("11 minutes")
        const first = yield* listed("/search?q=zeppelin&sort=most_reacted")
        const second = yield* listed(first.next!)
        const titles = [...first.titles, ...second.titles]
        assert.lengthOf(new Set(titles), 22)
        const hearts = titles.map((title) => (Number(title!.replace("Zeppelin ", "")) * 7) % 5)
        assert.deepStrictEqual(
          hearts,
          hearts.toSorted((one, other) => other - one)
        )
        assert.include(first.text, '<option value="is">Icelandic</option>')
        assert.include((yield* listed("/search?q=zeppelin&language=is")).text, "1 result")
      })
  )

  it.effect("A search lists the most relevant posts first, page by page, and leads to the newest", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(41)
      const post = Effect.fnUntraced(function* (
        title: string,
        description = "A day out",
        text = "By the sea"
      ) {
        yield* TestClock.adjust("1 second")
        yield* author.published({ title, description, freeContentMarkdown: text })
      })
      for (let n = 0; n < 12; n++) yield* post(`Quokka ${n}`)
      for (let n = 0; n < 6; n++) yield* post(`Island ${n}`, "Where a quokka lives")
      for (let n = 0; n < 4; n++) yield* post(`Diary ${n}`, "A day out", "We saw a quokka.")
      const first = yield* listed("/search?q=quokka")
      // Published between the two pages, it stands on the first one.
      yield* post("Quokka news")
      const second = yield* listed(first.next!)
      const relevant = [
        ...Array.from({ length: 12 }, (_, n) => `Quokka ${11 - n}`),
        ...Array.from({ length: 6 }, (_, n) => `Island ${5 - n}`),
        ...Array.from({ length: 4 }, (_, n) => `Diary ${3 - n}`)
      ]
      assert.deepStrictEqual([...first.titles, ...second.titles], relevant)
      assert.include(
        first.text,
        'Most relevant first. <a href="/search?q=quokka&amp;sort=newest">Newest first</a>'
      )
      assert.isUndefined(second.next)

      const newest = yield* listed("/search?q=quokka&sort=newest")
      assert.deepStrictEqual(newest.titles.slice(0, 6), ["Quokka news", ...relevant.slice(18), "Island 5"])
      assert.include(newest.text, 'Newest first. <a href="/search?q=quokka">Most relevant first</a>')
      // Filters alone find the newest.
      assert.deepStrictEqual((yield* listed(`/search?author=${author.handle}`)).titles.slice(0, 2), [
        "Quokka news",
        "Diary 3"
      ])
    })
  )

  it.effect("A list that does not exist is a 404, and an empty one says so", () =>
    Effect.gen(function* () {
      for (const path of [
        "/c/none",
        "/c/travel?after=x",
        "/newest?after=r1_x",
        "/search?q=a&after=x",
        "/@author4?after=%00"
      ])
        assert.strictEqual((yield* get(path)).status, 404, path)
      assert.include(
        (yield* listed("/search?q=unfindable")).text,
        "No post has “unfindable” in its title, description or public text."
      )
      const punctuation = yield* listed(`/search?q=${encodeURIComponent("!? …")}`)
      assert.include(punctuation.text, "contain a word to search for")
      for (const q of ['"', "%00", "-a -b", "x".repeat(8000), "a:* & b", "%F0%9F%98%80", "%ef%bc%a1"])
        yield* listed(`/search?q=${q.replaceAll(" ", "+").replaceAll('"', "%22").replaceAll("&", "%26")}`)
      for (const path of [
        "/search",
        "/search?q=",
        "/search?category=%00",
        "/categories",
        "/leaderboards",
        "/about",
        "/feeds",
        "/c/poetry"
      ])
        yield* listed(path)
    })
  )

  it.effect("A pinned Post is shown once on the page of its author", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(6)
      const { id } = yield* author.published({ title: "Pinned one" })
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { pinnedPostId: id } })
      const titlesAt = Effect.map(get(`/@${author.handle}`), ({ text }) =>
        [...text.matchAll(/hreflang="en">([^<]*)</g)].map(([, title]) => title)
      )
      assert.deepStrictEqual(yield* titlesAt, ["Pinned one"])
      assert.notInclude((yield* get(`/@${author.handle}`)).text, "Nothing published yet")
      yield* author.published({ title: "Another one" })
      assert.deepStrictEqual(yield* titlesAt, ["Pinned one", "Another one"])
    })
  )

  it.effect("A search shows the authors whom it finds above the Posts, on its first page", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(7)
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { name: "Renée <b>" } })
      for (let n = 0; n < 21; n++) yield* author.published({ title: `By renee ${n}` })
      const first = yield* listed("/search?q=renee")
      assert.strictEqual(first.titles.length, 20)
      assert.include(first.text, `href="/@${author.handle}"`)
      assert.include(first.text, "Renée &lt;b&gt;")
      assert.isBelow(first.text.indexOf(">Authors<"), first.text.indexOf("By renee"))
      const second = yield* listed(first.next!)
      assert.strictEqual(second.titles.length, 1)
      assert.notInclude(second.text, ">Authors<")
      assert.include((yield* listed(`/search?q=%40${author.handle}`)).text, ">Authors<")
      assert.notInclude((yield* listed("/search?author=" + author.handle)).text, ">Authors<")
    })
  )

  it.effect("A page is made again when what it shows changes", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(5)
      const { id } = yield* author.published({ title: "Penguins", primaryCategoryId: 12 })
      const paths = ["/", "/newest", "/c/fiction", "/search?q=penguins"]
      for (const path of paths) assert.include((yield* get(path)).text, "Penguins", path)
      yield* author.patch(id, { title: "Afterwards" })
      for (const path of paths) assert.notInclude((yield* get(path)).text, ">Penguins<", path)
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { name: "Renamed Five" } })
      for (const path of paths.slice(0, 3)) assert.include((yield* get(path)).text, "Renamed Five", path)
      yield* author.unpublish(id)
      for (const path of paths) assert.notInclude((yield* get(path)).text, "Afterwards", path)
    })
  )

  it.effect("Home and categories show two cards of an author among those of others, and /newest all", () =>
    Effect.gen(function* () {
      const eager = yield* authorOf(50)
      const others = yield* Effect.forEach([51, 52, 53, 54], (number) => authorOf(number))
      const wordy = { primaryCategoryId: 27 }
      for (const author of [...others, eager, eager, eager, eager]) {
        yield* TestClock.adjust("1 second")
        yield* author.published(wordy)
      }
      const slug = (yield* get("/api/categories")).body.data.find((it: any) => it.id === 27).slug
      for (const [path, cards] of [
        ["/", 2],
        [`/c/${slug}`, 2],
        ["/newest", 4]
      ] as const) {
        const { text } = yield* listed(path)
        const [list = ""] = /<ul class="cards">[^]*?<\/ul>/.exec(text) ?? []
        const byEager = list.split(`class="name" href="/@${eager.handle}"`).length - 1
        assert.strictEqual(byEager, cards, path)
        assert.strictEqual(list.includes("<summary>2 more by"), cards === 2, path)
      }
      const home = validated((yield* listed("/")).text)
      const start = home.find(({ tag, text }) => tag === "a" && text === "Start writing, keep all of it")
      assert.strictEqual(start?.attributes["href"], "/write")
    })
  )
})
