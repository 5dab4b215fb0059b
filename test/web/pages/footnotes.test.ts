import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { inOneColour, pageText } from "../../../src/publishing/content/html/pageText.ts"
import { withMark } from "../../../src/publishing/content/html/restMark.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { validated } from "./documents.ts"

const FREE = "It leans[^lean] and stays[^2].\n\n[^lean]: FREENOTE, see https://x.test/lean."
const PAID = "More[^lean] and more[^2].\n\n[^2]: PAIDNOTE\n\n[^lean]: OTHERNOTE"

layer(service(database("test_web_footnotes")))("the footnotes of a Post", (it) => {
  it.effect("Footnotes are on its page, in its twin and in feeds of many Posts, and paid ones are not", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const sold = {
        freeContentMarkdown: FREE,
        paidContentMarkdown: PAID,
        enablePaywall: true,
        priceXno: "0.25"
      }
      const { slug } = yield* author.published({ title: "Leaning", ...sold })
      yield* author.published({ title: "Standing", ...sold })

      const page = yield* client.send("GET", `/@${author.handle}/${slug}`)
      const elements = validated(page.text)
      assert.deepStrictEqual(
        elements
          .flatMap(({ attributes: { id, role } }) => (role === undefined ? [] : [[role, id]]))
          .filter(([role]) => role?.startsWith("doc-")),
        [
          ["doc-noteref", "fnref-1"],
          ["doc-endnotes", undefined],
          ["doc-backlink", undefined]
        ]
      )
      assert.match(page.text, /stays\[\^2\]/)

      const twin = yield* client.send("GET", `/@${author.handle}/${slug}.md`)
      assert.include(twin.text, FREE)

      const feed = yield* client.send("GET", `/@${author.handle}/feed.json`)
      const html: string = JSON.parse(feed.text)
        .items.map((item: any) => item.content_html)
        .join("")
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.lengthOf(ids, 4)
      for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) assert.include(ids, target)

      for (const { text } of [page, twin, feed, yield* client.send("GET", `/@${author.handle}/atom.xml`)]) {
        assert.include(text, "FREENOTE")
        assert.notMatch(text, /PAIDNOTE|OTHERNOTE/)
      }
    })
  )

  it.effect(
    "Both sections of a post without a paywall have their footnotes, also in HTML that a read makes",
    () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* authorOf(2)
        const { id, slug } = yield* author.published({
          title: "Free",
          freeContentMarkdown: FREE,
          paidContentMarkdown: PAID
        })
        const sql = yield* SqlClient.SqlClient
        const shown = Effect.map(client.send("GET", `/@${author.handle}/${slug}`), ({ text }) => text)
        const saved = yield* shown
        validated(saved)
        assert.match(saved, /FREENOTE[^]*PAIDNOTE/)
        assert.match(saved, /stays\[\^2\]/)
        assert.include(saved, "OTHERNOTE")
        assert.notInclude(saved, 'id="rest"')
        yield* sql`update posts set renderer = null where id = ${id}`
        assert.strictEqual(yield* shown, saved)
      })
  )

  it("The whole text is a valid document, whose lists of footnotes have names of their own", () => {
    const { html } = pageText(
      withMark(`## A[^lean]\n\n[b[^lean]](https://x.test)\n\n${FREE}`, PAID),
      inOneColour
    )
    const elements = validated(
      `<!doctype html><html lang="en"><head><title>Text</title></head><body><main><h1>Text</h1>${html}</main></body></html>`
    )
    const lists = elements.filter(({ attributes }) => attributes["role"] === "doc-endnotes")
    assert.deepStrictEqual(
      lists.map(({ attributes }) => attributes["aria-label"]),
      ["Notes 1 to 1", "Notes 2 to 3"]
    )
  })
})
