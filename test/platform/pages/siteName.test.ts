import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { mailsTo } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { browser } from "../../web/browser.ts"
import { validated } from "../../web/pages/documents.ts"

const NAME = "Mara & <Söhne>"
const IN_HTML = "Mara &amp; &lt;Söhne&gt;"
const HTML = { accept: "text/html" }

/** The product's own name stands where a text is about the software. */
const OF_THE_SOFTWARE = /<generator>Pennypress<\/generator>|in a clone of Pennypress/g

layer(service(database("test_platform_site_name"), 1, { siteName: NAME }))("the name of the site", (it) => {
  it.effect("Pages say the name that the operator chose, and escape it", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const post = yield* author.published()
      const { slug } = yield* author.published({
        enablePaywall: true,
        priceXno: "0.25",
        paidContentMarkdown: "More"
      })
      const at = `/@${author.handle}`
      for (const path of [
        "/",
        "/about",
        "/agents",
        "/categories",
        "/docs",
        "/feeds",
        "/leaderboards",
        "/newest",
        "/search?q=x",
        "/sign-in",
        "/sign-up",
        "/missing",
        "/problems/validation",
        `/tip?post=${post.id}`,
        `/read/${post.id}`,
        at,
        `${at}/${slug}`,
        `${at}/${slug}/comments`
      ]) {
        const { headers, text } = yield* client.send("GET", path, { headers: HTML })
        if (headers.get("location") !== null) continue
        assert.notInclude(text, "Pennypress", path)
        assert.include(text, `<span>${IN_HTML}</span>`, path)
        validated(text)
      }
    })
  )

  it.effect("Feeds, mails and documents for programs say it, too", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (const [path, named] of [
        ["/", JSON.stringify(NAME)],
        ["/atom.xml", "Mara &amp; &lt;Söhne"],
        ["/rss.xml", "Mara &amp; &lt;Söhne"],
        ["/feed.json", NAME],
        ["/c/technology/atom.xml", "Mara &amp; &lt;Söhne"],
        ["/llms.txt", `# ${NAME}`],
        ["/.well-known/x402", JSON.stringify(NAME)],
        ["/.well-known/ai-catalog.json", JSON.stringify(NAME)],
        ["/mcp/server-card", JSON.stringify(NAME)],
        ["/mcp/guide", "Tool servers of Mara &amp; &lt;Söhne"]
      ] as const) {
        const { status, text } = yield* client.send("GET", path, { headers: { accept: "*/*" } })
        if (path === "/") continue
        assert.strictEqual(status, 200, path)
        assert.notInclude(text.replaceAll(OF_THE_SOFTWARE, ""), "Pennypress", path)
        assert.include(text, named, path)
      }
      const welcome = yield* client.send("GET", "/", { headers: { accept: "application/json" } })
      assert.strictEqual(welcome.body.name, NAME)

      const hello = yield* client.send("POST", "/mcp", {
        body: { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } }
      })
      assert.strictEqual(hello.body.result.serverInfo.title, NAME)
      assert.include(hello.body.result.instructions, NAME)

      const { body } = yield* client.send("POST", "/api/v1/auth/nano/challenge", {
        body: { account: walletOf(7).account }
      })
      assert.include(body.message, `Sign in to ${NAME}.`)

      const reader = yield* browser
      const begun = yield* reader.get("/sign-up")
      const [, key = ""] = /name="key"\s+value="([^"]*)"/.exec(begun.text) ?? []
      yield* reader.post("/sign-up", { email: "ida@example.org", key, back: "/" })
      const [mail] = yield* mailsTo("ida@example.org")
      assert.include(mail!.subject, NAME)
      assert.include(mail!.html, IN_HTML)
      assert.notInclude(JSON.stringify(mail), "Pennypress")
    })
  )
})
