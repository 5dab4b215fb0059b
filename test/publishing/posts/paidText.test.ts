import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import type { NativeDocument } from "../../../schemas/publishing/content/NativeDocument.ts"
import { now } from "../../../src/platform/time/now.ts"
import { NativeContents } from "../../../src/publishing/posts/NativeContents.ts"
import { type Author, authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { reject } from "./rejections.ts"

const url = "https://media.test/rejected.png"
const image = `![a](${url})`
const paid = { paidContentMarkdown: image, enablePaywall: true, priceXno: "1" }

/** Returns everything that anonymous readers see of a Post, as one text. */
const publicTextOf = Effect.fnUntraced(function* (id: string, author: Author) {
  const client = yield* TestClient
  const paths = [`/api/posts/${id}`, `/api/posts/${id}/public-content`, `/api/profile/${author.handle}/posts`]
  const answers = yield* Effect.forEach(paths, (path) => client.send("GET", path))
  return answers.map((answer) => answer.text).join("\n")
})

const contentOf = Effect.fnUntraced(function* (id: string) {
  const client = yield* TestClient
  const { body } = yield* client.send("GET", `/api/posts/${id}/public-content`)
  return [body.available, body.reason, body.contentMarkdown]
})

layer(service(database("test_posts_paid_text")))("text that is written as paid (3.2.6, 4.3.1)", (it) => {
  it.effect("stays behind the paywall after the only image of the section was rejected", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const { id, priceRaw } = yield* author.published(paid)
      assert.isTrue(yield* reject(id, url))
      const { body } = yield* author.read(id)
      assert.deepInclude(body, { paidContentMarkdown: null, enablePaywall: true, priceRaw })
      assert.deepStrictEqual(yield* contentOf(id), [false, "paid", null])
      const edited = yield* author.patch(id, { title: "Other" })
      assert.deepInclude(edited.body, { paidContentMarkdown: null, enablePaywall: true, priceRaw })
      const written = yield* author.patch(id, { paidContentMarkdown: "secret" })
      assert.deepInclude(written.body, { paidContentMarkdown: "secret", enablePaywall: true, priceRaw })
      assert.notInclude(yield* publicTextOf(id, author), "secret")
    })
  )

  it.effect("stays behind the paywall of a Post with files, which can be edited meanwhile", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { id, priceRaw } = yield* author.published(paid)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into post_attachments (id, post_id, file_name, byte_size, state, created_at)
        values (${id}, ${id}, 'a.zip', 1, 'ready', ${yield* now})`
      assert.isTrue(yield* reject(id, url))
      const edited = yield* author.patch(id, { title: "Other" })
      assert.strictEqual(edited.status, 200, edited.text)
      assert.deepInclude(edited.body, { enablePaywall: true, priceRaw })
      for (const patch of [{ enablePaywall: false }, { paidContentMarkdown: null }]) {
        assert.strictEqual((yield* author.patch(id, patch)).status, 422)
      }
      const written = yield* author.patch(id, { paidContentMarkdown: "secret" })
      assert.deepInclude(written.body, { enablePaywall: true, priceRaw })
    })
  )

  it.effect("needs a price again, or enablePaywall false, after the author cleared the section", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const { id } = yield* author.published({ ...paid, paidContentMarkdown: "first" })
      const cleared = yield* author.patch(id, { paidContentMarkdown: null })
      assert.deepInclude(cleared.body, { enablePaywall: false, priceRaw: null })
      const rewritten = yield* author.patch(id, { paidContentMarkdown: "secret" })
      assert.deepStrictEqual(refusalOf(rewritten), [422, "publication-incomplete", "priceRaw required"])
      assert.notInclude(yield* publicTextOf(id, author), "secret")
      const priced = yield* author.patch(id, { paidContentMarkdown: "secret", priceXno: "2" })
      assert.deepInclude(priced.body, { enablePaywall: true, priceRaw: `2${"0".repeat(30)}` })
      assert.notInclude(yield* publicTextOf(id, author), "secret")
      yield* author.patch(id, { enablePaywall: false })
      assert.include(yield* publicTextOf(id, author), "secret")
    })
  )

  it.effect("goes behind the paywall that a draft asked for before it had any", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const draft = yield* author.draft({ enablePaywall: true, priceXno: "1" })
      assert.deepInclude(draft, { enablePaywall: false, priceRaw: null })
      const written = yield* author.patch(draft.id, { paidContentMarkdown: "secret", priceXno: "1" })
      assert.strictEqual(written.body.enablePaywall, true)
    })
  )

  it.effect("cannot be published anew while the section is empty", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { id } = yield* author.published(paid)
      assert.isTrue(yield* reject(id, url))
      yield* author.unpublish(id)
      const refused = yield* author.publish(id, "again")
      assert.deepStrictEqual(refusalOf(refused), [422, "publication-incomplete", "content required"])
      yield* author.patch(id, { enablePaywall: false })
      assert.strictEqual((yield* author.publish(id, "again")).status, 200)
    })
  )

  it.effect("may be a native document that Markdown has no text for", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const contents = yield* NativeContents
      const { id, priceRaw } = yield* author.published({ ...paid, paidContentMarkdown: "words" })
      const video: NativeDocument = { type: "doc", content: [{ type: "video" }] }
      yield* author.asService((publisher, post) => contents.write(publisher, post, { paid: video }))(id)
      assert.deepInclude((yield* author.read(id)).body, { enablePaywall: true, priceRaw })
      const priced = yield* author.patch(id, { enablePaywall: true })
      assert.deepInclude(priced.body, { enablePaywall: true, priceRaw })
    })
  )
})

type Step =
  | { readonly do: "patch"; readonly patch: PaywallPatch }
  | { readonly do: "native"; readonly free?: boolean; readonly paid?: boolean | null }
  | { readonly do: "reject" | "publish" | "unpublish" }

interface PaywallPatch {
  readonly title?: string
  readonly free?: "text" | "image" | null
  readonly paid?: "text" | "image" | "both" | "blank" | null
  readonly enablePaywall?: boolean
  readonly price?: "1" | null
}

const patch: fc.Arbitrary<PaywallPatch> = fc
  .record(
    {
      title: fc.constant("Other"),
      free: fc.constantFrom("text", "image", null),
      paid: fc.constantFrom("text", "text", "image", "both", "blank", null),
      enablePaywall: fc.boolean(),
      price: fc.constantFrom("1", null)
    },
    { requiredKeys: [] }
  )
  .filter((it) => Object.keys(it).length > 0)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("patch" as const), patch }) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        do: fc.constant("native" as const),
        free: fc.boolean(),
        paid: fc.option(fc.boolean(), { nil: null })
      },
      { requiredKeys: ["do"] }
    )
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom("reject" as const, "publish" as const, "unpublish" as const) })
  }
)

/** The paid texts of a script, each with a unique word, and the author's last paywall setting. */
class PaidTexts {
  private words = 0
  private requested = false
  private readonly secret = new Set<string>()

  next() {
    return `word${++this.words}x`
  }

  /** Records a saved edit with the words that it wrote into the paid section. */
  saved(enablePaywall: boolean | undefined, words: ReadonlyArray<string>) {
    this.requested = enablePaywall ?? this.requested
    if (enablePaywall === false) this.secret.clear()
    if (this.requested) for (const word of words) this.secret.add(word)
  }

  leaksOf(text: string) {
    return [...this.secret].filter((word) => text.includes(word))
  }
}

const RUNS = 150

layer(service(database("test_posts_paid_scripts")))("paid text in random scripts", (it) => {
  it.effect(
    `never appears in public over ${RUNS} scripts of edits, native writes, rejections and publications`,
    () =>
      Effect.gen(function* () {
        const contents = yield* NativeContents
        const author = yield* authorOf(1)
        let shown = 0
        const play = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, number: number) {
          const { id } = yield* author.draft()
          const texts = new PaidTexts()
          const run = Effect.fnUntraced(function* (step: Step, place: number) {
            if (step.do !== "patch" && step.do !== "native") {
              if (step.do === "reject") return yield* reject(id, url)
              if (step.do === "publish") return yield* author.publish(id, `${number}-${place}`)
              return yield* author.unpublish(id)
            }
            const word = texts.next()
            if (step.do === "native") {
              const of = (hasText: boolean): NativeDocument => ({
                type: "doc",
                content: [
                  hasText
                    ? { type: "paragraph", content: [{ type: "text", text: word }] }
                    : { type: "image", attrs: { src: url } }
                ]
              })
              const document = step.paid === undefined || step.paid === null ? step.paid : of(step.paid)
              const patch = {
                ...(step.free === undefined ? {} : { free: of(false) }),
                ...(document === undefined ? {} : { paid: document })
              }
              const written = yield* Effect.result(
                author.asService((publisher, post) => contents.write(publisher, post, patch))(id)
              )
              if (written._tag === "Success") texts.saved(undefined, step.paid === true ? [word] : [])
              return
            }
            const { free, paid, enablePaywall, price, title } = step.patch
            const text = { text: word, image, both: `${image} ${word}`, blank: " \n" }
            const saved = yield* author.patch(id, {
              ...(title === undefined ? {} : { title }),
              ...(free === undefined ? {} : { freeContentMarkdown: free === "image" ? image : free }),
              ...(paid === undefined ? {} : { paidContentMarkdown: paid === null ? null : text[paid] }),
              ...(enablePaywall === undefined ? {} : { enablePaywall }),
              ...(price === undefined ? {} : { priceXno: price })
            })
            if (saved.status === 200) {
              texts.saved(enablePaywall, paid === "text" || paid === "both" ? [word] : [])
            }
          })
          for (const [place, step] of steps.entries()) {
            yield* run(step, place)
            const text = yield* publicTextOf(id, author)
            if (text.includes("word")) shown++
            assert.deepStrictEqual(texts.leaksOf(text), [], JSON.stringify(steps.slice(0, place + 1)))
          }
          yield* author.unpublish(id)
        })
        const scripts = fc.sample(fc.array(step, { minLength: 2, maxLength: 9 }), {
          numRuns: RUNS,
          seed: 20_261_122
        })
        yield* Effect.forEach(scripts, play, { discard: true })
        // Free texts appear; without them the scripts would prove nothing.
        assert.isAbove(shown, RUNS / 10)
      }),
    { timeout: 120_000 }
  )
})
