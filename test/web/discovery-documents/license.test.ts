import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { licenseOf } from "../../../src/web/discovery-documents/licenseDocument.ts"
import { documentOf } from "../../../src/web/feeds/xml.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database, freshDatabase } from "../../support/Database.ts"
import { BASE_URL, processOver, service, TestClient } from "../../support/TestClient.ts"

const LICENSE = `<${BASE_URL}/license.xml>; rel="license"; type="application/rsl+xml"`

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
const rsl = (content: string) => `${DECLARATION}<rsl xmlns="https://rslstandard.org/rsl">${content}</rsl>`

const free = (uses: string) => `<content url="/"><license>${uses}<payment type="free"/></license></content>`

const sold = (path: string, place: string) =>
  `<content url="${path}"><license><permits type="usage">ai-input</permits><payment type="purchase"><custom>${place}</custom></payment></license></content>`

const CATALOGUE = `${BASE_URL}/.well-known/x402/posts`
const anyPost = sold("/api/posts/*/access", CATALOGUE) + sold("/api/posts/*/attachments/", CATALOGUE)

const id = PostId.make("00000000-0000-4000-8000-000000000001")

const written = (signals: string, takesPayments = true) =>
  documentOf(licenseOf([{ id }], { base: BASE_URL, signals, takesPayments }))

/** Writes an element without content in one way. */
const compact = (xml: string) => xml.replaceAll(/<(\w+)([^>]*)><\/\1>/g, "<$1$2/>").trim()

describe("the terms of use", () => {
  const post = sold(`/api/posts/${id}/access`, `${BASE_URL}/api/posts/${id}/access`)
  const permits = (uses: string) => `<permits type="usage">${uses}</permits>`
  const prohibits = (uses: string) => `<prohibits type="usage">${uses}</prohibits>`

  const rows: ReadonlyArray<readonly [signals: string, content: string]> = [
    [
      "search=yes, ai-input=yes, ai-train=no",
      free(permits("search ai-input") + prohibits("ai-train")) + anyPost + post
    ],
    ["search=yes,ai-train=yes", free(permits("search ai-train")) + anyPost + post],
    // A site that keeps agents from reading does not offer its texts to them.
    ["ai-input=no, ai-train=no", free(prohibits("ai-input ai-train"))],
    // Without a use that RSL names, a license without uses would permit them all.
    ["other=yes", anyPost + post]
  ]
  for (const [signals, content] of rows)
    it.effect(`The terms of use follow the signals ${signals}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(compact(yield* written(signals)), rsl(content))
      })
    )

  it.effect("A service that takes no payments offers nothing for sale", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* written("search=yes", false), "purchase")
    })
  )
})

layer(service(database("test_documents_license")))("/license.xml", (it) => {
  it.effect("The terms name what is for sale with the address where it is bought, until its end", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const { id: freeId } = yield* author.published()
      const paid = yield* author.published({
        paidContentMarkdown: "More",
        enablePaywall: true,
        priceXno: "0.05"
      })
      const read = Effect.map(client.send("GET", "/license.xml"), ({ headers, text }) => {
        assert.strictEqual(headers.get("content-type"), "application/rsl+xml; charset=utf-8")
        return text
      })
      const address = `/api/posts/${paid.id}/access`
      const entry = sold(address, `${BASE_URL}${address}`)
      assert.include(yield* read, entry)
      assert.notInclude(yield* read, freeId)
      assert.strictEqual((yield* client.send("GET", address)).status, 402)
      yield* author.unpublish(paid.id)
      assert.notInclude(yield* read, paid.id)
    })
  )

  it.effect("Public pages of every kind lead to the terms, and private ones do not", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (const path of ["/", "/newest", "/about"])
        assert.include(
          (yield* client.send("GET", path, { headers: { accept: "text/html" } })).headers.get("link"),
          LICENSE
        )
      assert.isNull((yield* client.send("GET", "/sign-in")).headers.get("link"))
    })
  )

  it.effect("An operator who states no uses states no terms", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_documents_unlicensed")
      const silent = yield* processOver(url, 1, { contentSignals: "" })
      yield* Effect.gen(function* () {
        const client = yield* TestClient
        assert.strictEqual((yield* client.send("GET", "/license.xml")).status, 404)
        assert.notInclude((yield* client.send("GET", "/robots.txt")).text, "License")
        const home = yield* client.send("GET", "/", { headers: { accept: "text/html" } })
        assert.isNull(home.headers.get("link"))
      }).pipe(Effect.provide(silent))
    })
  )
})
