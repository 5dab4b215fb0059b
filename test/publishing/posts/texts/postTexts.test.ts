import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { NativeDocument } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { DependencyUnavailable } from "../../../../src/platform/ports/DependencyUnavailable.ts"
import { Offload, TaskTooExpensive } from "../../../../src/platform/ports/Offload.ts"
import type { Task } from "../../../../src/platform/ports/tasks.ts"
import { RENDERER } from "../../../../src/publishing/content/html/pageText.ts"
import { NativeContents } from "../../../../src/publishing/posts/NativeContents.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { buyerOf } from "../../../support/actors/buyer.ts"
import { database } from "../../../support/Database.ts"
import { eventually } from "../../../support/eventually.ts"
import { BASE_URL, service, TestClient } from "../../../support/TestClient.ts"
import { browser } from "../../../web/browser.ts"
import { reject } from "../rejections.ts"

/** Renderings so far, by the keys of their turns, and what becomes of them. */
const rendered: Array<string> = []
let outcome: "rendered" | "too expensive" | "unavailable" = "rendered"

const offload = Layer.succeed(
  Offload,
  Offload.of({
    run: <Input, Output>(
      task: Task<Input, Output>,
      input: Input,
      key: string
    ): Effect.Effect<Output, TaskTooExpensive> => {
      if (task.name === "pageText") {
        rendered.push(key)
        if (outcome === "too expensive")
          return Effect.fail(new TaskTooExpensive({ exceeded: "processor time" }))
        if (outcome === "unavailable")
          return Effect.die(new DependencyUnavailable({ dependency: "section reader" }))
      }
      return Effect.promise(async () => task.run(input))
    }
  })
)

/** Runs an effect, and returns its result with the keys of the texts that it rendered. */
const rendering = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  rendered.length = 0
  const result = yield* effect
  return [result, [...rendered]] as const
})

/** A short text is rendered in place, unless it has code in colours. */
const code = "\n\n```js\n1\n```"

const pageOf = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* TestClient).send("GET", path)
})

const savedHtml = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly renderer: number | null
    readonly public_html: string | null
    readonly whole_html: string | null
  }>`select renderer, public_html, whole_html from posts where id = ${id}`
  return row!
})

const paid = {
  freeContentMarkdown: `# Free${code}`,
  paidContentMarkdown: "The secret",
  enablePaywall: true,
  priceXno: "0.25"
}

layer(service(database("test_post_texts"), 1, { changePorts: (ports) => Layer.merge(ports, offload) }))(
  "the HTML of Posts",
  (it) => {
    it.effect("A text is rendered when it is published, and by no read", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const draft = yield* author.draft({ freeContentMarkdown: `# One\n\nTwo [three](four)${code}` })
        assert.isNull((yield* savedHtml(draft.id)).public_html)
        const [, onPublish] = yield* rendering(author.publish(draft.id))
        assert.lengthOf(onPublish, 1)
        const path = `/@${author.handle}/${draft.slug}`
        for (const address of [path, `/@${author.handle}/atom.xml`, "/feed.json", `${path}?again`]) {
          const [answer, onRead] = yield* rendering(pageOf(address))
          assert.strictEqual(answer.status, 200)
          assert.deepStrictEqual(onRead, [], address)
        }
        assert.include((yield* pageOf(path)).text, '<a href="four" rel=')
        assert.include(
          (yield* pageOf(`/@${author.handle}/atom.xml`)).text,
          `${BASE_URL}/@${author.handle}/four`
        )
      })
    )

    it.effect("A public text is rendered when it changes, and no other member renders it", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(2)
        const { id, slug } = yield* author.published({ freeContentMarkdown: `Before${code}` })
        const path = `/@${author.handle}/${slug}`
        const [, onTitle] = yield* rendering(author.patch(id, { title: "Another" }))
        assert.deepStrictEqual(onTitle, [])
        const [, onText] = yield* rendering(author.patch(id, { freeContentMarkdown: `After${code}` }))
        assert.lengthOf(onText, 1)
        const [page, onRead] = yield* rendering(pageOf(path))
        assert.deepStrictEqual(onRead, [])
        assert.include(page.text, "<p>After</p>")
        yield* author.unpublish(id)
        yield* author.patch(id, { freeContentMarkdown: `As a draft${code}` })
        assert.isNull((yield* savedHtml(id)).public_html)
        yield* author.publish(id, "again")
        const [again, onReadAgain] = yield* rendering(pageOf(path))
        assert.deepStrictEqual(onReadAgain, [])
        assert.include(again.text, "<p>As a draft</p>")
      })
    )

    it.effect("A native document is rendered like Markdown", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(3)
        const { id, slug } = yield* author.published({ freeContentMarkdown: `Before${code}` })
        const contents = yield* NativeContents
        const document: NativeDocument = {
          type: "doc",
          content: [
            { type: "paragraph", content: [{ type: "text", text: "Native" }] },
            { type: "codeBlock", attrs: { language: "js" }, content: [{ type: "text", text: "1" }] }
          ]
        }
        const write = author.asService((publisher, post) =>
          contents.write(publisher, post, { free: document })
        )
        const [, onWrite] = yield* rendering(write(id))
        assert.lengthOf(onWrite, 1)
        const [page, onRead] = yield* rendering(pageOf(`/@${author.handle}/${slug}`))
        assert.deepStrictEqual(onRead, [])
        assert.include(page.text, "<p>Native</p>")
      })
    )

    it.effect(
      "A paid section is in the HTML of its readers alone, before and after each change of the paywall",
      () =>
        Effect.gen(function* () {
          const author = yield* authorOf(4)
          const { id, slug } = yield* author.published(paid)
          const path = `/@${author.handle}/${slug}`
          const texts = [path, `/@${author.handle}/atom.xml`]
          const shows = (isShown: boolean) =>
            Effect.gen(function* () {
              const { public_html } = yield* savedHtml(id)
              assert.strictEqual(public_html!.includes("secret"), isShown)
              for (const address of texts)
                assert.strictEqual((yield* pageOf(address)).text.includes("secret"), isShown, address)
            })
          yield* shows(false)
          yield* author.patch(id, { enablePaywall: false })
          yield* shows(true)
          assert.isNull((yield* savedHtml(id)).whole_html)
          outcome = "unavailable"
          yield* author.patch(id, { enablePaywall: true, priceXno: "0.25" })
          outcome = "rendered"
          assert.isNull((yield* savedHtml(id)).public_html, "old HTML is forgotten")
          for (const address of texts) assert.notInclude((yield* pageOf(address)).text, "secret")
          yield* eventually(
            "it is saved",
            Effect.map(savedHtml(id), ({ public_html }) => public_html !== null)
          )
          yield* shows(false)
          // No writer leaves HTML behind, the next one neither.
          const sql = yield* SqlClient.SqlClient
          yield* author.patch(id, { enablePaywall: false })
          yield* sql`update posts set enable_paywall = true, price_raw = 1 where id = ${id}`
          assert.isNull((yield* savedHtml(id)).public_html)
        })
    )

    it.effect("A bought text is rendered once, and a reader who needs more has a turn of their own", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(5)
        const { id } = yield* author.published(paid)
        const read = Effect.fnUntraced(function* (receipt: string) {
          const reader = yield* browser
          yield* reader.post(`/read/${id}`, { receipt })
          const answer = yield* reader.get(`/read/${id}`)
          assert.strictEqual(answer.status, 200)
          assert.include(answer.text, "<p>The secret</p>")
        })
        const receipts = yield* Effect.forEach([5_001, 5_002], (n) =>
          Effect.gen(function* () {
            const bought = yield* (yield* buyerOf(n)).buy(id)
            return bought.answer.body.receipt.token as string
          })
        )
        for (const receipt of receipts) assert.deepStrictEqual((yield* rendering(read(receipt)))[1], [])
        const sql = yield* SqlClient.SqlClient
        const keys = new Set<string>()
        for (const receipt of receipts) {
          yield* sql`update posts set renderer = 0 where id = ${id}`
          const [, turns] = yield* rendering(read(receipt))
          assert.lengthOf(turns, 1)
          keys.add(turns[0]!)
          yield* eventually(
            "it is saved",
            Effect.map(savedHtml(id), ({ renderer }) => renderer === RENDERER)
          )
          assert.deepStrictEqual((yield* rendering(read(receipt)))[1], [])
        }
        assert.strictEqual(keys.size, receipts.length)
        // The version that was sold, once the author has removed it.
        yield* author.patch(id, { enablePaywall: false, paidContentMarkdown: null })
        yield* author.unpublish(id)
        assert.lengthOf((yield* rendering(read(receipts[0]!)))[1], 1)
        yield* eventually(
          "it is saved",
          Effect.map(
            sql<{
              readonly html: string
            }>`select html from sold_versions where post_id = ${id} and html is not null`,
            (rows) => rows.length > 0
          )
        )
        for (const receipt of receipts) assert.deepStrictEqual((yield* rendering(read(receipt)))[1], [])
        for (const receipt of receipts) assert.notInclude([...keys].join(" "), receipt)
      })
    )

    it.effect("HTML of another renderer is made again by a read, and saved", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(6)
        const { id, slug } = yield* author.published({ freeContentMarkdown: `Same${code}` })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update posts set renderer = 0, public_html = '<p>Old</p>' where id = ${id}`
        const [page, onRead] = yield* rendering(pageOf(`/@${author.handle}/${slug}`))
        assert.lengthOf(onRead, 1)
        assert.include(page.text, "<p>Same</p>")
        yield* eventually(
          "it is saved",
          Effect.map(savedHtml(id), ({ renderer }) => renderer === RENDERER)
        )
        assert.match((yield* savedHtml(id)).public_html!, /^<p>Same<\/p>/)
        assert.deepStrictEqual((yield* rendering(pageOf(`/@${author.handle}/atom.xml`)))[1], [])
      })
    )

    it.effect("A text that takes too long is plain, and is not tried again", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(7)
        const draft = yield* author.draft({ freeContentMarkdown: `*Too* <long>${code}` })
        outcome = "too expensive"
        assert.strictEqual((yield* author.publish(draft.id)).status, 200)
        outcome = "rendered"
        const [page, onRead] = yield* rendering(pageOf(`/@${author.handle}/${draft.slug}`))
        assert.include(page.text, "<p>*Too* &#x3C;long>")
        assert.deepStrictEqual(onRead, [])
      })
    )

    it.effect("A Post is published while nothing can be rendered, and read later", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(8)
        const draft = yield* author.draft({ freeContentMarkdown: `*Later*${code}` })
        outcome = "unavailable"
        assert.strictEqual((yield* author.publish(draft.id)).status, 200)
        outcome = "rendered"
        const page = yield* pageOf(`/@${author.handle}/${draft.slug}`)
        assert.include(page.text, "<em>Later</em>")
      })
    )

    it.effect("A short text without code in colours is rendered in place", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(10)
        const draft = yield* author.draft({ freeContentMarkdown: "# Short\n\n    plain code" })
        const [, onPublish] = yield* rendering(author.publish(draft.id))
        assert.deepStrictEqual(onPublish, [])
        assert.include((yield* savedHtml(draft.id)).public_html, '<pre tabindex="0"><code>plain code')
        const [, onLong] = yield* rendering(
          author.patch(draft.id, { freeContentMarkdown: "- item\n".repeat(100) })
        )
        assert.lengthOf(onLong, 1)
      })
    )

    it.effect("A rejected image leaves the HTML", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(9)
        const url = "https://media.test/rejected.png"
        const { id, slug } = yield* author.published({ freeContentMarkdown: `A ![b](${url}) c` })
        const path = `/@${author.handle}/${slug}`
        assert.include((yield* savedHtml(id)).public_html, url)
        yield* reject(id, url)
        assert.notInclude(JSON.stringify(yield* savedHtml(id)), url)
        assert.notInclude((yield* pageOf(path)).text, url)
      })
    )
  }
)
