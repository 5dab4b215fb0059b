import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { NativeContents } from "../../../src/publishing/posts/NativeContents.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const MEBIBYTE = 1024 * 1024
/** The driver ends a connection that others share over a longer message. */
const MESSAGE_BYTES_MAX = 16 * MEBIBYTE

/** 200,000 characters that the answer escapes with six bytes each. */
const escaped = "\u0001".repeat(200_000)
/** 200,000 characters of four bytes each. */
const wide = "😀".repeat(200_000)

layer(service(database("test_posts_large_lists")))("lists of large Posts", (it) => {
  it.effect("Lists of large Posts shorten all pages alike, so that each Post is on one page", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const sql = yield* SqlClient.SqlClient
      const drafts = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => n),
        (n) => author.draft({ title: `Draft ${n}` })
      )
      const bytesOf = (n: number) => (n === 4 ? 1_500_000 : n % 2 === 0 ? 400_000 : 1_000)
      for (const [n, { id }] of drafts.entries()) {
        yield* sql`update posts set free_content_markdown = repeat('x', ${bytesOf(n)}) where id = ${id}`
      }
      const first = yield* author.send("GET", "?per_page=50")
      assert.strictEqual(first.status, 200)
      const { perPage } = first.body
      assert.isBelow(perPage, 12)
      const seen: Array<string> = []
      for (let page = 1; seen.length < 12; page++) {
        const { body, text } = yield* author.send("GET", `?per_page=50&page=${page}`)
        assert.deepInclude(body, { total: 12, page, perPage })
        assert.isBelow(text.length, 3 * MEBIBYTE)
        assert.isAbove(body.data.length, 0)
        seen.push(...body.data.map((it: { readonly id: string }) => it.id))
      }
      assert.deepStrictEqual(seen.toSorted(), drafts.map(({ id }) => id).toSorted())
      const continued = yield* author.send("GET", `?per_page=${perPage}&page=2`)
      assert.strictEqual(continued.body.perPage, perPage)
      const small = yield* author.send("GET", "?per_page=1&page=8")
      assert.deepInclude(small.body, { perPage: 1, total: 12 })
      assert.lengthOf(small.body.data[0].freeContentMarkdown, 1_500_000)
    })
  )

  it.effect("Lists keep the requested page while the Posts are of ordinary size", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      yield* Effect.forEach([1, 2, 3], () => author.draft({ freeContentMarkdown: "words ".repeat(1_000) }))
      const { body } = yield* author.send("GET", "?per_page=50&status=draft")
      assert.deepInclude(body, { total: 3, page: 1, perPage: 50 })
      assert.lengthOf(body.data, 3)
      const empty = yield* author.send("GET", "?per_page=50&page=9")
      assert.deepInclude(empty.body, { data: [], total: 3, page: 9, perPage: 50 })
      const none = yield* author.send("GET", "?status=published")
      assert.deepInclude(none.body, { data: [], total: 0, page: 1, perPage: 20 })
    })
  )

  it.effect("Lists stay far below the longest message of the driver, and others are served meanwhile", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const other = yield* authorOf(4)
      const client = yield* TestClient
      const body = { freeContentMarkdown: escaped, paidContentMarkdown: escaped }
      const drafts = yield* Effect.forEach(
        Array.from({ length: soak(6, 12) }, (_, n) => n),
        (n) => author.create(n % 2 === 0 ? body : { freeContentMarkdown: wide, paidContentMarkdown: wide })
      )
      for (const { status, text } of drafts) assert.strictEqual(status, 201, text.slice(0, 200))
      const answers = yield* Effect.all(
        [
          ...Array.from({ length: 4 }, () => author.send("GET", "?per_page=50")),
          ...Array.from({ length: 8 }, () => client.send("GET", "/api/v1/posts", { token: other.key })),
          ...Array.from({ length: 8 }, () => client.send("GET", "/api/posts"))
        ],
        { concurrency: "unbounded" }
      )
      for (const { status, text } of answers) {
        assert.strictEqual(status, 200)
        assert.isBelow(Buffer.byteLength(text), MESSAGE_BYTES_MAX / 2)
      }
      assert.isAbove(answers[0]?.body.data.length, 0)
    })
  )
})

layer(service(database("test_posts_largest")))("the largest Post", (it) => {
  it.effect("The largest Post can be written and read in both forms", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const contents = yield* NativeContents
      const { id } = yield* author.draft()
      const text = (characters: number): NativeDocument => ({
        type: "doc",
        content: [{ type: "video", attrs: { data: "\u0001".repeat(characters) } }]
      })
      const write = (patch: { free?: NativeDocument; paid?: NativeDocument }) =>
        author.asService((publisher, post) => contents.write(publisher, post, patch))(id)
      yield* write({ free: text(400_000), paid: text(400_000) })
      const written = yield* author.read(id)
      assert.strictEqual(written.status, 200)
      const refused = yield* Effect.flip(write({ free: text(800_000) }))
      assert.strictEqual(refused._tag, "Validation")
      const native = yield* author.asService((publisher, post) => contents.read(publisher, post))(id)
      assert.isBelow(JSON.stringify(native).length, MESSAGE_BYTES_MAX / 2)
    })
  )

  it.effect("A Post names at most 100 features that Markdown cannot express", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const contents = yield* NativeContents
      const { id } = yield* author.draft()
      const free: NativeDocument = {
        type: "doc",
        content: Array.from({ length: 5_000 }, (_, n) => ({ type: `node${n}` }))
      }
      yield* author.asService((publisher, post) => contents.write(publisher, post, { free }))(id)
      const { body } = yield* author.read(id)
      assert.isFalse(body.contentEditability.free.editable)
      assert.lengthOf(body.contentEditability.free.unsupportedFeatures, 100)
    })
  )
})
