import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Api } from "../../../schemas/Api.ts"
import { problems } from "../../../schemas/platform/errors/problems.ts"
import { tagsOf, slugOfTag } from "../../../schemas/platform/openapiTags.ts"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { authorOf } from "../../support/actors/author.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database, freshDatabase } from "../../support/Database.ts"
import { mailsTo } from "../../support/mailbox.ts"
import { processOver, service, TestClient } from "../../support/TestClient.ts"
import { browser } from "../../web/browser.ts"
import { validated } from "../../web/pages/documents.ts"
import { signIn } from "../../web/signIn.ts"

/** Texts that break out of HTML, XML, JSON and headers where they are not escaped, in two directions. */
const NAME = `Mara & <Söhne> "مارا" '</title>`
const CLAIM = `Essays "of" <the> sea & 'shore' ]]> البحر`
const NOTICE = `We move <b>on</b> "Sunday" & back` + " 'x'".repeat(100)

const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

const HTML = { accept: "text/html" }

/**
 * Places that say the name of the software on purpose: the program that wrote a feed, the source from which the local tool server is
 * built, and the examples of the API, which a service of that name recorded.
 */
const OF_THE_SOFTWARE = [
  "<generator>Pennypress</generator>",
  "in a clone of Pennypress",
  "Sign in to Pennypress. This sends",
  "Link this wallet to the Pennypress account",
  '"kind":"resource-server","name":"Pennypress"'
]

const withoutSoftware = (text: string) => OF_THE_SOFTWARE.reduce((rest, it) => rest.replaceAll(it, ""), text)

const site = { siteName: NAME, siteClaim: CLAIM, siteNotice: NOTICE }

layer(service(database("test_platform_site_name"), 1, site))("the name of the site", (it) => {
  it.effect("Every public path says the name that the operator chose, and no other", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const post = yield* author.published()
      const paid = yield* author.published({
        enablePaywall: true,
        priceXno: "0.25",
        paidContentMarkdown: "More"
      })
      const followed = yield* (yield* readerOf(2)).send("POST", "/api/v1/follows/feed")
      const [, feedFile = ""] = /following\/(.+)$/.exec(followed.body.url) ?? []
      // The whole document has what those of the other tags say.
      const tags = tagsOf(Api).map(slugOfTag).slice(0, 3)
      const home = (yield* client.send("GET", "/", { headers: HTML })).text
      const assets = [...home.matchAll(/\/assets\/([^"]+)"/g)].map(([, file = ""]) => file)
      /** Values of the parameters of a path. A path with others is read with the id of a Post. */
      const values: Readonly<Record<string, ReadonlyArray<string>>> = {
        "/docs/:file": tags.flatMap((tag) => [tag, `${tag}.md`]),
        "/openapi/:file": tags.map((tag) => `${tag}.json`),
        "/problems/:slug": Object.keys(problems).slice(0, 3),
        "/assets/:file": assets,
        "/feeds/following/:file": [feedFile],
        "/@:handle/:slug": [post.slug, paid.slug, `${post.slug}.md`, `${paid.slug}.md`],
        "/@:handle/:slug/comments": [post.slug, paid.slug]
      }
      const read = [...(yield* ServicePaths).all().values()].filter(({ methods }) => methods.has("GET"))
      const paths = read.flatMap(({ template }) =>
        (values[template] ?? [template.startsWith("/c/") ? "technology" : post.id]).map((value) =>
          template.replace(":handle", author.handle).replace(/:[A-Za-z]+/, value)
        )
      )
      assert.isAbove(paths.length, 100)
      let pages = 0
      for (const path of [...paths, "/missing"]) {
        const { headers, status, text } = yield* client.send("GET", path, { headers: HTML })
        const said = `${path}: ${[...headers.values()].join("\n")}\n${text}`
        assert.notInclude(withoutSoftware(said), "Pennypress")
        assert.isBelow(status, 500, path)
        if (!text.startsWith("<!doctype html>") || path === "/mcp/guide") continue
        pages++
        assert.include(text, `<span dir="auto">${escaped(NAME)}</span>`, path)
        assert.include(text, `<p class="notice" dir="auto">${escaped(NOTICE)}</p>`, path)
        assert.include(text, `<p dir="auto">${escaped(CLAIM)}</p>`, path)
        if (status === 200) validated(text, path)
      }
      assert.isAbove(pages, 30)
    })
  )

  it.effect("Every page of an account says it", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      yield* signIn(reader, 3)
      const own = [...(yield* ServicePaths).all().values()].filter(
        ({ isPrivate, methods }) => isPrivate && methods.has("GET")
      )
      for (const { template } of own.filter((it) => !it.template.includes(":"))) {
        const { status, text } = yield* reader.get(template)
        assert.isBelow(status, 500, template)
        assert.notInclude(text, "Pennypress", template)
        if (text.startsWith("<!doctype html>")) assert.include(text, escaped(NAME), template)
      }
    })
  )

  it.effect("Feeds, mails, messages of wallets and documents for programs say it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const inXml = NAME.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      for (const [path, named] of [
        ["/atom.xml", inXml],
        ["/rss.xml", inXml],
        ["/feed.json", JSON.stringify(NAME)],
        ["/feed.json", JSON.stringify(CLAIM)],
        ["/c/technology/atom.xml", inXml],
        ["/llms.txt", `# ${NAME}\n\n> ${CLAIM}\n`],
        ["/openapi.json", `"title":${JSON.stringify(NAME)}`],
        ["/.well-known/x402", JSON.stringify(NAME)],
        ["/.well-known/ai-catalog.json", JSON.stringify(NAME)],
        ["/mcp/server-card", JSON.stringify(NAME)],
        ["/mcp/guide", "Tool servers of Mara &amp; &lt;Söhne>"]
      ] as const) {
        const { status, text } = yield* client.send("GET", path, { headers: { accept: "*/*" } })
        assert.strictEqual(status, 200, path)
        assert.include(text.replaceAll("&quot;", '"').replaceAll("&apos;", "'"), named, path)
      }
      const welcome = yield* client.send("GET", "/", { headers: { accept: "application/json" } })
      assert.strictEqual(welcome.body.name, NAME)

      const say = (method: string, params: unknown) =>
        client.send("POST", "/mcp", { body: { jsonrpc: "2.0", id: 1, method, params } })
      const hello = yield* say("initialize", { protocolVersion: "2025-06-18" })
      assert.strictEqual(hello.body.result.serverInfo.title, NAME)
      assert.include(hello.body.result.instructions, NAME)
      const context = yield* say("tools/call", { name: "svc_context", arguments: {} })
      assert.include(context.text, "Mara & <Söhne>")
      for (const answer of [hello, context, yield* say("tools/list", {})])
        assert.notInclude(answer.text, "Pennypress")

      const { body } = yield* client.send("POST", "/api/v1/auth/nano/challenge", {
        body: { account: walletOf(7).account }
      })
      assert.include(body.message, `Sign in to ${NAME}.`)

      const reader = yield* browser
      yield* reader.post("/sign-in", { email: "ida@example.org", back: "/" })
      const [mail] = yield* mailsTo("ida@example.org")
      assert.include(mail!.subject, NAME)
      assert.include(mail!.html, escaped(NAME))
      assert.notInclude(JSON.stringify(mail), "Pennypress")
    })
  )

  it.effect("Another name is another ETag, so that no cache keeps the former one", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_platform_site_renamed")
      const read = Effect.fnUntraced(function* (siteName: string, known: ReadonlyMap<string, string>) {
        const client = yield* TestClient
        const etags = new Map<string, string>()
        for (const path of [
          "/",
          "/about",
          "/newest",
          "/docs",
          "/atom.xml",
          "/feed.json",
          "/llms.txt",
          "/openapi.json",
          "/.well-known/x402"
        ]) {
          const etag = known.get(path)
          const headers = { accept: "*/*", ...(etag === undefined ? {} : { "if-none-match": etag }) }
          const answer = yield* client.send("GET", path, { headers })
          assert.strictEqual(answer.status, 200, path)
          assert.include(answer.text, siteName, path)
          etags.set(path, answer.headers.get("etag") ?? "")
        }
        return etags
      })
      const first = yield* processOver(url, 1, { siteName: "First" })
      const known = yield* Effect.provide(read("First", new Map()), first)
      const second = yield* processOver(url, 2, { siteName: "Second" })
      const others = yield* Effect.provide(read("Second", known), second)
      for (const [path, etag] of others) assert.notStrictEqual(etag, known.get(path), path)
    })
  )
})
