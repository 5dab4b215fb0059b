import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { servicePaths } from "../../src/platform/http/paths.ts"
import { authorOf } from "../support/actors/author.ts"
import { database } from "../support/Database.ts"
import { service, TestClient } from "../support/TestClient.ts"

/** A word of the paid section, and of no other text. */
const MARKER = "zanzibarquokka"

layer(service(database("test_reading_paid_text")))("the paid section of a Post", (it) => {
  it.effect("is in no page, feed, card, sitemap or text, whoever asks for it in whatever form", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const paid = {
        title: "Eleven Lighthouses",
        freeContentMarkdown: "The teaser.",
        paidContentMarkdown: `# ${MARKER}\n\n![${MARKER}](https://x.test/${MARKER}.png) ${MARKER} [${MARKER}](https://${MARKER}.test)`,
        enablePaywall: true,
        priceXno: "0.25",
        primaryCategoryId: 30,
        secondaryCategoryId: 29
      }
      const { id, slug } = yield* author.published(paid)
      const other = yield* author.published({
        title: "Another",
        primaryCategoryId: 30,
        secondaryCategoryId: 29
      })
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { pinnedPostId: id } })
      yield* TestClock.adjust("1 day")

      const filled = (path: string) =>
        path.replace(":handle", author.handle).replace(":slug", path.startsWith("/c/") ? "travel" : slug)
      const isReader = (path: string) =>
        !/^\/(api|auth|media|mcp|problems|assets|\.well-known\/(?!x402)|unsubscribe|dev)\b/.test(path)
      const paths = [...servicePaths.keys()].filter(isReader).map(filled)
      assert.isAbove(paths.length, 20)
      const more = [
        `/@${author.handle}.md`,
        `/@${author.handle}/${slug}.md`,
        `/@${author.handle}/${other.slug}`,
        `/search?q=${MARKER}`,
        "/search?q=lighthouses",
        "/search?access=paid",
        "/.well-known/x402/posts",
        "/api/posts",
        `/api/posts?q=${MARKER}`,
        `/api/posts/${id}`,
        `/api/posts/${id}/access`,
        `/api/posts/${id}/public-content`,
        `/api/posts/${id}/related`,
        `/api/posts/${other.id}/related`
      ]
      let shown = 0
      for (const path of [...paths, ...more]) {
        for (const accept of ["text/html", "text/markdown", "text/plain", "application/json", "*/*"]) {
          const answer = yield* client.send("GET", path, { headers: { accept } })
          const headers = JSON.stringify([...answer.headers])
          const text = path.includes(MARKER)
            ? answer.text.replaceAll(/value="[^"]*"|<title>[^<]*/g, "")
            : answer.text
          assert.notInclude(`${text}${headers}`.toLowerCase(), MARKER, `${path} ${accept}`)
          if (answer.text.includes("Eleven Lighthouses")) shown++
        }
      }
      assert.isAbove(shown, 50, "the Post itself is shown")

      const page = yield* client.send("GET", `/@${author.handle}/${slug}`)
      assert.include(page.text, "The rest costs 0.25 XNO")
      assert.include(page.text, "The teaser.")
      const text = yield* client.send("GET", `/@${author.handle}/${slug}.md`)
      assert.include(text.text, 'price_xno: "0.25"')
      assert.include(text.text, `access_url: "https://press.test/api/posts/${id}/access"`)

      // Shown before, it is gone from every page with the edit that makes it paid.
      yield* author.patch(id, { enablePaywall: false })
      for (const path of [`/@${author.handle}/${slug}`, `/@${author.handle}/atom.xml`])
        assert.include((yield* client.send("GET", path)).text.toLowerCase(), MARKER)
      yield* author.patch(id, { enablePaywall: true, priceXno: "0.5" })
      for (const path of [...paths, `/@${author.handle}/${slug}.md`])
        assert.notInclude((yield* client.send("GET", path)).text.toLowerCase(), MARKER, path)
    })
  )
})
