import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { problems } from "../../schemas/platform/errors/problems.ts"
import { ServicePaths } from "../../src/platform/http/ServicePaths.ts"
import { jpegOf, jpegSegment } from "../publishing/image-formats/jpeg/makeJpeg.ts"
import { readerOf } from "../support/actors/reader.ts"
import { media, uploaderOf } from "../support/actors/uploader.ts"
import { database } from "../support/Database.ts"
import { service, type TestAnswer, TestClient } from "../support/TestClient.ts"

/** A word of the paid section, and of no other text. */
const MARKER = "zanzibarquokka"

/** A photo whose comment and file name have the word. */
const photo = Effect.promise(async () => ({
  name: "file",
  fileName: `${MARKER}.jpg`,
  mediaType: "image/jpeg",
  content: await jpegOf({ segments: [jpegSegment(0xfe, MARKER)] })
}))

/** Forms in which pages are asked for. */
const FORMS = ["text/html", "text/markdown", "text/plain", "application/json", "*/*"]

/** The tools of `/mcp`, and what they are asked. */
const TOOLS: Readonly<Record<string, object>> = {
  svc_context: {},
  svc_categories: {},
  svc_search: { query: "lighthouses" },
  svc_preview: {},
  svc_read_content: {}
}

layer(service(database("test_reading_paid_text")))("the paid section of a Post", (it) => {
  it.effect("Paid text is in no page, feed, card, sitemap, answer or tool, in any form for any reader", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* uploaderOf(1)
      const paid = {
        title: "Eleven Lighthouses",
        freeContentMarkdown: "The teaser. See[^1].\n\n[^2]: A note that is free.",
        paidContentMarkdown: `# ${MARKER}\n\n![${MARKER}](https://x.test/${MARKER}.png) ${MARKER} [${MARKER}](https://${MARKER}.test)[^1][^2]\n\n![](https://x.test "${MARKER}")\n\n[^1]: ${MARKER}`,
        enablePaywall: true,
        priceXno: "0.25",
        primaryCategoryId: 30,
        secondaryCategoryId: 29
      }
      const draft = yield* author.draft(paid)
      const { id, slug } = draft
      const image = yield* author.inline(draft, { parts: [yield* photo] })
      assert.isBelow(image.status, 300, image.text)
      const imageUrl: string = image.body.publicUrl
      const imagePath = new URL(imageUrl).pathname
      yield* author.patch(id, { paidContentMarkdown: `${paid.paidContentMarkdown}\n\n![](${imageUrl})` })
      const published = yield* author.publish(id)
      assert.strictEqual(published.status, 200, published.text)
      const other = yield* author.published({
        title: "Another",
        primaryCategoryId: 30,
        secondaryCategoryId: 29
      })
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { pinnedPostId: id } })
      yield* TestClock.adjust("1 day")

      const { id: authorId } = yield* readerOf(1)
      const reader = yield* readerOf(3)
      const followed = yield* reader.send("PUT", `/api/v1/follows/${authorId}`, {
        body: { following: true }
      })
      assert.isBelow(followed.status, 300)
      const privateFeed = yield* reader.send("POST", "/api/v1/follows/feed")
      const values: Readonly<Record<string, string>> = {
        handle: author.handle,
        postId: id,
        target: id,
        ownerId: authorId,
        userId: authorId,
        profileId: authorId,
        creatorId: authorId,
        slug
      }
      const slugOf = (path: string) =>
        path.startsWith("/c/") ? "travel" : path.startsWith("/problems/") ? "validation" : slug
      /** A path of the service. Names without a value are of things that there are not. */
      const filled = (path: string) =>
        path.replaceAll(/:(\w+)/g, (_, name: string) =>
          name === "slug" ? slugOf(path) : (values[name] ?? "00000000-0000-4000-8000-00000000000f")
        )
      const templates = [...(yield* ServicePaths).all().values()].filter(({ methods }) => methods.has("GET"))
      const paths = templates.filter(({ isPage }) => isPage).map(({ template }) => filled(template))
      assert.isAbove(paths.length, 12)
      const more = [
        ...templates.filter(({ isPage }) => !isPage).map(({ template }) => filled(template)),
        ...Object.keys(problems).map((name) => `/problems/${name}`),
        `/@${author.handle}.md`,
        `/@${author.handle}/${slug}.md`,
        `/@${author.handle}/${other.slug}`,
        `/search?q=${MARKER}`,
        "/search?q=lighthouses",
        "/search?access=paid",
        `/api/posts?q=${MARKER}`,
        `/api/posts/${other.id}/related`,
        `/media/${MARKER}.png`,
        new URL(privateFeed.body.url).pathname
      ]
      assert.isAbove(more.length, 80)

      /** Fails when an answer has the word, unless the request itself had it there. */
      const search = (path: string, { headers, text }: TestAnswer, name: string) => {
        const echoed = path.includes(MARKER)
          ? text.replaceAll(/value="[^"]*"|<title>[^<]*|“[^”]*”/g, "")
          : text
        const all = `${echoed}${JSON.stringify([...headers])}`.toLowerCase()
        assert.notInclude(all, MARKER, name)
        assert.notInclude(all, imagePath, name)
      }
      let shown = 0
      for (const path of [...paths, ...more]) {
        const forms = paths.includes(path) || path.startsWith("/@") ? FORMS : ["*/*"]
        for (const accept of forms) {
          const answer = yield* client.send("GET", path, { headers: { accept } })
          search(path, answer, `${path} ${accept}`)
          if (answer.text.includes("Eleven Lighthouses")) shown++
        }
        if (path.startsWith("/api/"))
          search(path, yield* client.send("GET", path, { token: reader.accessToken }), `${path} of a reader`)
      }
      for (const [name, input] of Object.entries(TOOLS)) {
        const body = {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name,
            arguments: name === "svc_preview" || name === "svc_read_content" ? { post_id: id } : input
          }
        }
        const answer = yield* client.send("POST", "/mcp", { body })
        assert.strictEqual(answer.status, 200, name)
        search("/mcp", answer, name)
      }
      assert.isAbove(shown, 50, "the Post itself is shown")
      // Readers of the paid section load its image without a credential. Its address is theirs alone.
      const bytes = yield* media(imageUrl)
      assert.strictEqual(bytes.status, 200)
      search("/media", bytes, "the bytes of an image")

      const page = yield* client.send("GET", `/@${author.handle}/${slug}`)
      assert.include(page.text, "Keep reading for 0.25 XNO")
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
