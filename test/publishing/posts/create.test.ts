import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const everyMember = {
  title: "A penny saved",
  description: "Thrift in two words",
  paidContentMarkdown: "The *rest* of it.",
  freeContentMarkdown: "The teaser. ![A penny](https://img.test/penny.png)",
  enablePaywall: true,
  priceXno: "0.25",
  priceRaw: "250000000000000000000000000000",
  primaryCategoryId: 3,
  secondaryCategoryId: 30,
  slug: "saved",
  canonicalUrl: "https://elsewhere.test/saved",
  language: "pt-BR",
  commentsEnabled: false,
  mailReaders: false,
  ogTitle: "Saved",
  ogDescription: "Is a penny earned",
  ogImage: "https://img.test/og.png",
  creationMethod: "ai_assisted_research",
  creationDetails: "Looked up the proverb",
  creationAttested: true
}

const text = (length: number) => "é".repeat(length - 1) + "𝒫"
const url = (length: number) => `https://a.test/${"p".repeat(length - "https://a.test/".length)}`

layer(service(database("test_posts_create")))("creating Posts (4.3)", (it) => {
  it.effect("A created Post has every sent member and the members of the service", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5, 0, 0, 123))
      const author = yield* authorOf(1)
      const { body: post, headers, status } = yield* author.create(everyMember)
      assert.strictEqual(status, 201)
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      assert.isNull(headers.get("x-idempotency-replay"))
      const { priceXno: _, ...sent } = everyMember
      const editable = { editable: true, unsupportedFeatures: [] }
      assert.deepStrictEqual(post, {
        ...sent,
        id: post.id,
        status: "draft",
        url: null,
        ogImageEffective: "https://img.test/og.png",
        contentEditability: { free: editable, paid: editable },
        attachments: [],
        createdAt: "2026-11-21T05:00:00.123000Z",
        updatedAt: "2026-11-21T05:00:00.123000Z",
        publishedAt: null,
        datedAt: null,
        schedule: null
      })
      assert.deepStrictEqual((yield* author.read(post.id)).body, post)
    })
  )

  it.effect("One section is enough, and everything else has a default", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { body: post, status } = yield* author.create({ paidContentMarkdown: "Text" })
      assert.strictEqual(status, 201)
      assert.deepInclude(post, {
        title: "",
        description: "",
        paidContentMarkdown: "Text",
        freeContentMarkdown: null,
        enablePaywall: false,
        priceRaw: null,
        primaryCategoryId: null,
        secondaryCategoryId: null,
        slug: "post",
        canonicalUrl: null,
        language: "en",
        commentsEnabled: true,
        mailReaders: true,
        ogTitle: null,
        ogDescription: null,
        ogImage: null,
        ogImageEffective: null,
        creationMethod: null,
        creationDetails: null,
        creationAttested: false
      })
    })
  )

  it.effect("A Post needs at least one section", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const required = [422, "validation", "freeContentMarkdown required"]
      for (const body of [
        {},
        { title: "No text" },
        { freeContentMarkdown: null },
        { freeContentMarkdown: null, paidContentMarkdown: null }
      ]) {
        assert.deepStrictEqual(refusalOf(yield* author.create(body)), required, JSON.stringify(body))
      }
      assert.strictEqual((yield* author.send("GET", "")).body.total, 0)
    })
  )

  it.effect("Empty sections return null", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(4)
      const { body } = yield* author.create({ freeContentMarkdown: " \n\t", paidContentMarkdown: "" })
      assert.isNull(body.freeContentMarkdown)
      assert.isNull(body.paidContentMarkdown)
    })
  )

  it.effect("Every bound holds at its edge, in characters instead of bytes", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const bounds: ReadonlyArray<readonly [string, number, (length: number) => string]> = [
        ["title", 200, text],
        ["description", 500, text],
        ["freeContentMarkdown", 200_000, text],
        ["paidContentMarkdown", 200_000, text],
        ["canonicalUrl", 2048, url],
        ["ogTitle", 200, text],
        ["ogDescription", 500, text],
        ["ogImage", 2048, url],
        ["creationDetails", 280, text],
        ["slug", 120, (length) => "s".repeat(length)]
      ]
      for (const [member, limit, make] of bounds) {
        const fits = yield* author.create({ freeContentMarkdown: "x", [member]: make(limit) })
        assert.strictEqual(fits.status, 201, member)
        assert.strictEqual(fits.body[member], make(limit), member)
        const exceeds = yield* author.create({ freeContentMarkdown: "x", [member]: make(limit + 1) })
        assert.deepStrictEqual(refusalOf(exceeds), [422, "validation", `${member} too_long`], member)
      }
    })
  )

  it.effect("Both sections may have 200,000 characters each", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const section = "word ".repeat(40_000)
      const { body, status } = yield* author.create({
        freeContentMarkdown: section,
        paidContentMarkdown: section,
        enablePaywall: true,
        priceXno: "1"
      })
      assert.strictEqual(status, 201)
      assert.strictEqual(body.paidContentMarkdown, section)
    })
  )

  it.effect("A section of the longest distinct words can still be searched", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const letter = (n: number) => String.fromCodePoint(0x20000 + (n % 40_000))
      const words = Array.from(
        { length: 22_000 },
        (_, n) => `${letter(n)}${letter(n * 7)}-${letter(n * 3)}${letter(n * 5)}-${letter(n * 11)}x`
      )
      const { status } = yield* author.create({ freeContentMarkdown: words.join(" ") })
      assert.strictEqual(status, 201)
    })
  )
})
