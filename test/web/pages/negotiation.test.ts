import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Author, authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const HTML = "text/html; charset=utf-8"
const MARKDOWN = "text/markdown; charset=utf-8"
const PLAIN = "text/plain; charset=utf-8"
const LICENSE = `<${BASE_URL}/license.xml>; rel="license"; type="application/rsl+xml"`
const PROBLEM = "application/problem+json"

/** Matches the addresses of pages that caches keep for a moment when they are not there. */
const KEPT = /^\/(@\w+(\/[\w.]+(\/comments)?)?|c\/\w+)$/

const get = Effect.fnUntraced(function* (path: string, headers: Readonly<Record<string, string>> = {}) {
  return yield* (yield* TestClient).send("GET", path, { headers })
})

const postAt = Effect.fnUntraced(function* (author: Author, body: object = {}) {
  const post = yield* author.published(body)
  return `/@${author.handle}/${post.slug}`
})

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

/** Accept headers of clients, and the form that each gets at the address of a page. */
const rows: ReadonlyArray<readonly [accept: string | undefined, type: string]> = [
  [undefined, HTML],
  [BROWSER, HTML],
  ["*/*", HTML],
  ["text/*", HTML],
  ["application/json", HTML],
  ["", HTML],
  ["nonsense", HTML],
  ["text/markdown", MARKDOWN],
  ["TEXT/Markdown;q=0.1", MARKDOWN],
  ["text/plain", PLAIN],
  ["text/markdown, text/plain", MARKDOWN],
  ["text/markdown;q=0.5, text/plain", PLAIN],
  ["text/markdown, text/html;q=0.9", MARKDOWN],
  ["text/markdown, */*;q=0.8", MARKDOWN],
  ["text/markdown, text/html, */*", HTML],
  ["text/markdown, */*", HTML],
  ["text/markdown;q=0.8, text/html", HTML],
  ["text/markdown;q=0", HTML],
  ["text/markdown;q=0, text/html;q=0", HTML],
  ["text/html;q=0, text/markdown;q=0.5, */*;q=0.8", MARKDOWN],
  ["text/html;q=0.2, text/markdown;q=0.3, */*;q=0.8", MARKDOWN],
  ["text/html;q=0.5, */*", HTML],
  ["text/html;q=0.5, text/*", HTML],
  ["text/*;q=0.5, text/markdown;q=0.5", HTML],
  ["text/markdown;q=0.5;q=1, text/html;q=x", MARKDOWN],
  [";;;,,,=", HTML],
  [`${"a/b,".repeat(2_000)}text/markdown`, HTML]
]

layer(service(database("test_reading_negotiation")))("the forms of a page", (it) => {
  it.effect("HTML is the default, and a client that prefers Markdown gets it from no cache", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const path = yield* postAt(author)
      // Twice: the second time the page is kept.
      for (const address of [path, path, `/@${author.handle}`, `/@${author.handle}`]) {
        for (const [accept, type] of rows) {
          const { headers, status } = yield* get(address, accept === undefined ? {} : { accept })
          const name = `${address} ${accept}`
          assert.deepStrictEqual([status, headers.get("content-type")], [200, type], name)
          assert.strictEqual(headers.get("vary"), "Accept, Accept-Encoding", name)
          assert.strictEqual(
            headers.get("cache-control"),
            type === HTML
              ? "public, max-age=15, stale-while-revalidate=60, stale-if-error=300"
              : "private, no-store",
            name
          )
        }
      }
    })
  )

  it.effect("A suffix wins, its text has front matter, and caches keep it", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const path = yield* postAt(author, {
        title: 'On "pennies" [1]',
        language: "en",
        creationMethod: "ai_assisted_editing"
      })
      const page = yield* get(path)
      assert.strictEqual(page.headers.get("content-language"), "en")
      assert.strictEqual(
        page.headers.get("link"),
        `<${BASE_URL}${path}.md>; rel="alternate"; type="text/markdown", ${LICENSE}`
      )
      const { headers, text } = yield* get(`${path}.md`, { accept: BROWSER })
      assert.strictEqual(headers.get("content-type"), MARKDOWN)
      assert.strictEqual(headers.get("link"), LICENSE)
      assert.strictEqual(headers.get("vary"), "Accept-Encoding")
      assert.match(headers.get("cache-control") ?? "", /^public/)
      for (const line of [
        'title: "On \\"pennies\\" [1]"',
        `author: "Author 2 (@${author.handle})"`,
        `url: "${BASE_URL}${path}"`,
        'published: "1970-01-01T00:00:00Z"',
        'updated: "1970-01-01T00:00:00Z"',
        'language: "en"',
        'creation_method: "ai_assisted_editing"',
        '# On "pennies" \\[1\\]'
      ])
        assert.include(text.split("\n"), line)
      assert.notInclude(text, "price_xno")
      const list = yield* get(`/@${author.handle}.md`)
      assert.strictEqual(list.headers.get("content-type"), MARKDOWN)
      assert.include(list.text, `](${BASE_URL}${path}.md)`)
    })
  )

  it.effect("A page is not made for a client that has it, and HEAD has only the headers", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(3)
      const path = yield* postAt(author)
      for (const address of [path, `/@${author.handle}`, `${path}.md`]) {
        const { headers } = yield* get(address)
        const etag = headers.get("etag")!
        assert.match(etag, /^W\/"[\w-]+"$/)
        for (const coding of ["", "gzip", "br"]) {
          const coded = yield* get(address, { "accept-encoding": coding })
          assert.strictEqual(coded.headers.get("etag"), etag, "one ETag for all codings")
          const known = yield* get(address, { "accept-encoding": coding, "if-none-match": etag })
          assert.deepStrictEqual([known.status, known.text, known.headers.get("etag")], [304, "", etag])
          assert.isNull(known.headers.get("content-encoding"))
        }
        const head = yield* client.send("HEAD", address)
        assert.deepStrictEqual([head.status, head.text, head.headers.get("etag")], [200, "", etag])
        assert.strictEqual(head.headers.get("content-type"), headers.get("content-type"))
      }
      for (const query of ["?ref=mail", "?after=", "?utm_source=a&utm_source=b"]) {
        const tagged = yield* get(`${path}${query}`)
        assert.deepStrictEqual(
          [tagged.status, tagged.headers.get("etag")],
          [200, (yield* get(path)).headers.get("etag")]
        )
      }
      const before = (yield* get(path)).headers.get("etag")
      const { body } = yield* client.send("GET", "/api/posts")
      yield* author.patch(body.data[0].id, { title: "Changed" })
      assert.notStrictEqual((yield* get(path)).headers.get("etag"), before)
    })
  )

  it.effect("Negotiated Markdown is made once, and known by its ETag", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(7)
      const path = yield* postAt(author, { freeContentMarkdown: "[a](b)" })
      for (const [address, twin] of [
        [path, `${path}.md`],
        [`/@${author.handle}`, `/@${author.handle}.md`]
      ] as const) {
        const { headers, text } = yield* get(twin)
        const etag = headers.get("etag")!
        const asking = Effect.fnUntraced(function* (
          method: string,
          query: string,
          headers: Readonly<Record<string, string>>
        ) {
          const { answer, statements } = yield* statementsOf(
            client.send(method, `${address}${query}`, { headers })
          )
          assert.lengthOf(statements, 0, "it is not made again")
          return answer
        })
        for (const accept of ["text/markdown", "text/plain"])
          for (const query of ["", "?ref=mail", "?after=x"]) {
            const asked = yield* asking("GET", query, { accept })
            assert.deepStrictEqual([asked.text, asked.headers.get("etag")], [text, etag])
            const head = yield* asking("HEAD", query, { accept })
            assert.deepStrictEqual([head.status, head.text, head.headers.get("etag")], [200, "", etag])
            const known = yield* asking("GET", query, { accept, "if-none-match": etag })
            assert.deepStrictEqual([known.status, known.text, known.headers.get("etag")], [304, "", etag])
            for (const each of [asked, head, known])
              assert.deepStrictEqual(
                [each.headers.get("cache-control"), each.headers.get("vary")],
                ["private, no-store", "Accept, Accept-Encoding"]
              )
          }
        assert.strictEqual((yield* get(address)).headers.get("content-type"), HTML)
        assert.strictEqual((yield* get(address)).headers.get("content-type"), HTML)
      }
    })
  )

  it.effect("Every page has the policy that keeps foreign code out, and takes no credential", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const path = yield* postAt(author)
      for (const address of [
        path,
        `/@${author.handle}`,
        `${path}-none`,
        "/@nobody_here",
        "/problems/not-found"
      ]) {
        const { headers } = yield* get(address, { cookie: "session=1" })
        const policy = headers.get("content-security-policy") ?? ""
        for (const directive of [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "base-uri 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'"
        ])
          assert.include(policy.split("; "), directive, address)
        assert.notInclude(policy, "unsafe")
        assert.strictEqual(headers.get("cross-origin-opener-policy"), "same-origin", address)
        assert.include(headers.get("permissions-policy") ?? "", "camera=()", address)
        assert.match(headers.get("strict-transport-security") ?? "", /^max-age=\d{8}/, address)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.isNull(headers.get("set-cookie"))
      }
      const own = yield* get(path, { authorization: `Bearer ${author.accessToken}` })
      assert.strictEqual(own.text, (yield* get(path)).text)
    })
  )

  it.effect("A missing page is a page, too, and other paths answer programs", () =>
    Effect.gen(function* () {
      for (const [path, accept, type] of [
        ["/@nobody_here", "*/*", HTML],
        ["/@nobody_here/x", "application/json", HTML],
        ["/@nobody_here/x.md", "*/*", HTML],
        ["/@nobody_here", undefined, HTML],
        ["/@nobody_here/x/comments", undefined, HTML],
        ["/@nobody_here/a/b/c", BROWSER, HTML],
        ["/c/none", undefined, HTML],
        ["/c/none", "application/json", HTML],
        ["/read/x", "*/*", HTML],
        ["/problems/nowhere", "*/*", PROBLEM],
        ["/problems/nowhere", BROWSER, HTML],
        ["/c/none/atom.xml", "*/*", PROBLEM],
        ["/c/none/atom.xml", BROWSER, HTML],
        ["/nowhere", BROWSER, HTML],
        ["/nowhere", "*/*", PROBLEM],
        ["/nowhere", undefined, PROBLEM],
        ["/api/nowhere", "*/*", PROBLEM],
        ["/api/nowhere", BROWSER, HTML],
        ["/mcp/nowhere", undefined, PROBLEM],
        ["/.well-known/nowhere", "*/*", PROBLEM],
        ["/health/nowhere", "*/*", PROBLEM],
        ["/api/posts/nowhere", BROWSER, "application/json"]
      ] as const) {
        const { headers, status, text } = yield* get(path, accept === undefined ? {} : { accept })
        assert.deepStrictEqual([status, headers.get("content-type")], [404, type], `${path} ${accept}`)
        if (type === HTML) assert.include(text, "We can&#39;t find that page")
        const isKept = KEPT.test(path)
        assert.strictEqual(
          headers.get("cache-control"),
          isKept ? "public, max-age=15" : "private, no-store",
          `${path} ${accept}`
        )
      }
    })
  )

  it.effect("A former handle redirects with its suffix", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(5)
      const path = yield* postAt(author)
      const slug = path.split("/").at(-1)!
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { handle: "renamed_five" } })
      for (const [rest, query] of [
        ["", ""],
        [".md", ""],
        [`/${slug}`, "?ref=mail"],
        [`/${slug}.md`, ""]
      ]) {
        const { headers, status } = yield* get(`/@${author.handle}${rest}${query}`)
        assert.deepStrictEqual([status, headers.get("location")], [308, `/@renamed_five${rest}${query}`])
      }
    })
  )

  it.effect("A withdrawn Post is 404 immediately, in every form", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const { id, slug } = yield* author.published()
      const paths = [`/@${author.handle}/${slug}`, `/@${author.handle}/${slug}.md`]
      for (const path of paths) assert.strictEqual((yield* get(path)).status, 200)
      yield* author.unpublish(id)
      for (const path of paths) assert.strictEqual((yield* get(path)).status, 404)
      assert.notInclude((yield* get(`/@${author.handle}`)).text, slug)
    })
  )

  it.effect("The files of the pages are cached for a year, and named by their content", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/@nobody_here", { accept: BROWSER })
      const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
      assert.strictEqual(files.length, 3)
      for (const path of files) {
        const { headers, status } = yield* get(path, { "accept-encoding": "br" })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.match(path, /^\/assets\/\w+\.[\w-]{10}\.(css|js|svg)$/)
      }
      assert.strictEqual((yield* get("/assets/reader.0000000000.css")).status, 404)
    })
  )
})
