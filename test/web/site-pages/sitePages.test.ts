import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { SiteLogo, SitePage } from "../../../src/platform/ports/Settings.ts"
import { caching } from "../../../src/platform/public-answers/caching.ts"
import { readPng } from "../../../src/publishing/image-formats/png/readPng.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { validated } from "../pages/documents.ts"
import { HOSTILE } from "../pages/views.ts"

const HTML = { accept: "text/html" }

const pages: ReadonlyArray<SitePage> = [
  { name: "imprint", title: "Imprint", markdown: "**Mara Lindqvist**, Visby. See [terms](terms)." },
  {
    name: "terms",
    title: HOSTILE,
    markdown: ["A", "B", "C", "D"].map((it) => `## Part ${it}\n\nText.`).join("\n\n")
  },
  { name: "privacy", title: "خصوصية", markdown: "نحن لا نتتبعك" }
]

const logo: SiteLogo = {
  type: "image/svg+xml",
  bytes: new TextEncoder().encode(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32" onload="alert(1)"><script>alert(1)</script></svg>'
  )
}

const get = Effect.fnUntraced(function* (path: string, headers: Record<string, string> = HTML) {
  return yield* (yield* TestClient).send("GET", path, { headers })
})

const looks = {
  siteAccent: { light: "#1d4ed8", dark: "#9db7ff" },
  siteLogo: logo,
  siteNotice: `We move on Sunday ${HOSTILE}`,
  sitePages: pages
}

layer(service(database("test_site_pages"), 1, looks))("the site of an operator", (it) => {
  it.effect("Every page begins with the notice, and links the operator's pages at its end", () =>
    Effect.gen(function* () {
      for (const path of [
        "/",
        "/about",
        "/docs",
        "/newest",
        "/missing",
        "/sign-in",
        "/pages/imprint",
        "/problems/validation"
      ]) {
        const { text } = yield* get(path)
        const tree = validated(text)
        const notice = tree.find(({ attributes }) => attributes["class"] === "notice")
        assert.strictEqual(notice?.text, looks.siteNotice, path)
        const links = tree.filter(({ attributes }) => attributes["href"]?.startsWith("/pages/") === true)
        assert.includeDeepMembers(
          links.map(({ attributes, text }) => [attributes["href"], text]),
          pages.map(({ name, title }) => [`/pages/${name}`, title]),
          path
        )
      }
      const { text: guide } = yield* get("/mcp/guide")
      assert.include(guide, "<p>We move on Sunday ")
      assert.notInclude(guide, "<script")
    })
  )

  it.effect("A page has the operator's text by our renderer, for every cache", () =>
    Effect.gen(function* () {
      const imprint = yield* get("/pages/imprint")
      assert.strictEqual(imprint.status, 200)
      assert.match(imprint.headers.get("cache-control") ?? "", /^public/)
      assert.match(imprint.headers.get("content-security-policy") ?? "", /default-src 'none'/)
      assert.include(imprint.text, '<h1 dir="auto">Imprint</h1>')
      assert.include(imprint.text, "<strong>Mara Lindqvist</strong>")
      assert.include(imprint.text, 'href="https://press.test/pages/terms"')
      assert.include(imprint.text, '<link rel="canonical" href="https://press.test/pages/imprint"')
      const etag = imprint.headers.get("etag") ?? ""
      assert.strictEqual((yield* get("/pages/imprint", { ...HTML, "if-none-match": etag })).status, 304)

      const terms = yield* get("/pages/terms")
      const tree = validated(terms.text)
      assert.deepStrictEqual(
        tree.filter(({ tag }) => tag === "h1").map(({ text }) => text),
        [HOSTILE]
      )
      assert.include(terms.text, "Contents")
      validated((yield* get("/pages/privacy")).text)
    })
  )

  it.effect("A page that the operator did not write is missing", () =>
    Effect.gen(function* () {
      for (const path of [
        "/pages/none",
        "/pages/about",
        "/pages/imprint.md",
        "/pages/__proto__",
        "/pages",
        "/imprint"
      ]) {
        const { status, text } = yield* get(path)
        assert.strictEqual(status, 404, path)
        validated(text)
      }
      const program = yield* get("/pages/none", { accept: "application/json" })
      assert.strictEqual(program.status, 404)
      const posted = yield* (yield* TestClient).send("POST", "/pages/imprint")
      assert.strictEqual(posted.status, 405)
    })
  )

  it.effect("The page about the site names the imprint, the terms and the privacy", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/about")
      const main = text.slice(text.indexOf("<main"), text.indexOf("</main>"))
      assert.include(main, "Who runs this site")
      for (const { name } of pages) assert.include(main, `href="/pages/${name}"`)
    })
  )

  it.effect("The logo stands before the name, and is the icon", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/")
      const [, path = ""] = /<img src="([^"]+)" alt="" height="28"/.exec(text.replaceAll(/\s+/g, " ")) ?? []
      assert.match(path, /^\/assets\/logo\.[0-9A-Za-z_-]+\.svg$/)
      assert.include(text, `<link rel="icon" type="image/svg+xml" href="${path}"`)
      for (const [at, type, control] of [
        [path, "image/svg+xml", caching.unchanging],
        ["/favicon.ico", "image/png", caching.icon],
        ["/apple-touch-icon.png", "image/png", caching.icon]
      ] as const) {
        const { bytes, headers, status, text } = yield* get(at)
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("content-type"), type)
        assert.strictEqual(headers.get("cache-control"), control)
        assert.strictEqual(
          headers.get("content-security-policy"),
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
        )
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        if (type === "image/svg+xml") assert.strictEqual(text, new TextDecoder().decode(logo.bytes))
        else
          assert.deepInclude(Result.getOrThrow(readPng(bytes ?? new Uint8Array())), {
            width: 180,
            height: 180
          })
      }
      assert.strictEqual((yield* get("/assets/logo.0000000000.svg")).status, 404)
    })
  )

  it.effect("The accent is the last rule of the colours, under another address", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/")
      const [, path = ""] = /href="(\/assets\/reader\.[^"]+\.css)"/.exec(text) ?? []
      const css = yield* get(path)
      assert.match(css.text, /@layer tokens\{:root\{--accent:light-dark\(#1d4ed8,#9db7ff\)\}\}\n$/)
    })
  )
})

const own: SitePage = { name: "about", title: "About the sea", markdown: "We write about the sea." }

layer(service(database("test_site_about"), 1, { sitePages: [own] }))(
  "a site with a page about itself",
  (it) => {
    it.effect("The operator's page replaces ours, and is linked once", () =>
      Effect.gen(function* () {
        const { text } = yield* get("/about")
        assert.include(text, '<h1 dir="auto">About the sea</h1>')
        assert.include(text, "We write about the sea.")
        assert.notInclude(text, "How to buy a post")
        assert.include(text, '<link rel="canonical" href="https://press.test/about"')
        assert.notInclude(text, "/pages/")
      })
    )
  }
)
