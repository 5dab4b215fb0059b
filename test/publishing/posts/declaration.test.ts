import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const undeclared = { creationMethod: null, creationAttested: false }
const free = { freeContentMarkdown: "free", paidContentMarkdown: null }
const paid = { paidContentMarkdown: "paid", enablePaywall: true, priceXno: "1" }

layer(service(database("test_posts_declaration")))("the declaration of creation (4.3.3, 4.3.4)", (it) => {
  for (const [number, [kind, content]] of Object.entries({ free, paid }).entries()) {
    it.effect(`A ${kind} draft can be saved without creation details, but not published (4.3.3)`, () =>
      Effect.gen(function* () {
        const author = yield* authorOf(number)
        const draft = yield* author.draft({ ...content, ...undeclared })
        assert.deepInclude(draft, { creationMethod: null, creationDetails: null, creationAttested: false })
        const publish = (key: string) => Effect.map(author.publish(draft.id, key), refusalOf)
        const [method, attested] = ["creationMethod required", "creationAttested required"]
        const refused = [422, "publication-incomplete"]
        assert.deepStrictEqual(yield* publish("1"), [...refused, method, attested])
        yield* author.patch(draft.id, { creationMethod: "human_written" })
        assert.deepStrictEqual(yield* publish("2"), [...refused, attested])
        yield* author.patch(draft.id, { creationMethod: null, creationAttested: true })
        assert.deepStrictEqual(yield* publish("3"), [...refused, method])
        yield* author.patch(draft.id, { creationMethod: "human_written" })
        assert.strictEqual((yield* author.publish(draft.id, "4")).status, 200)
      })
    )
  }

  const methods = [
    "human_written",
    "ai_assisted_editing",
    "ai_assisted_research",
    "ai_assisted_drafting",
    "primarily_ai_generated",
    "autonomous_agent"
  ] as const
  for (const [number, creationMethod] of methods.entries()) {
    const label = creationMethod === "autonomous_agent" ? "agent" : "human"
    it.effect(`A publication with ${creationMethod} leaves the account labelled ${label} (4.3.4)`, () =>
      Effect.gen(function* () {
        const author = yield* authorOf(10 + number)
        const client = yield* TestClient
        const details = { creationMethod, creationDetails: "How it was made" }
        const draft = yield* author.draft(details)
        const kind = Effect.map(
          client.send("GET", "/api/v1/profile", { token: author.key }),
          (profile) => profile.body.authorKind as string
        )
        // A draft declares nothing yet.
        assert.strictEqual(yield* kind, "human")
        yield* author.publish(draft.id)
        assert.strictEqual(yield* kind, label)
        const { body } = yield* client.send("GET", `/api/posts/${draft.id}`)
        assert.deepInclude(body, details)
        assert.strictEqual(body.author.authorKind, label)
      })
    )
  }

  it.effect("Every public edit requires the attestation again (4.3.4, 3.1)", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(20)
      for (const creationAttested of [null, "true", 1]) {
        const refused = yield* author.create({ ...free, creationAttested })
        assert.deepStrictEqual(refusalOf(refused), [422, "validation", "creationAttested invalid"])
      }
      const { id } = yield* author.published()
      assert.deepStrictEqual(refusalOf(yield* author.patch(id, { creationAttested: false })), [
        422,
        "publication-incomplete",
        "creationAttested required"
      ])
    })
  )
})

layer(service(database("test_posts_media")))("images in content (4.3.10)", (it) => {
  it.effect("An image in paid Markdown is public, and every reader gets the same URLs", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const client = yield* TestClient
      const image = "https://a.test/picture.png"
      const section = `![a picture](${image})`
      const { id } = yield* author.published({
        ...paid,
        freeContentMarkdown: section,
        paidContentMarkdown: section
      })
      const own = yield* author.read(id)
      assert.strictEqual(own.body.paidContentMarkdown, section)
      const reader = yield* client.send("GET", `/api/posts/${id}`)
      assert.deepInclude(reader.body, { freeContentMarkdown: section, ogImageEffective: image })
      assert.notProperty(reader.body, "paidContentMarkdown")
    })
  )
})

layer(service(database("test_posts_no_etag")))("reading an own Post (4.3.9)", (it) => {
  it.effect("An own Post has no ETag, and no cache stores it", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const draft = yield* author.draft()
      for (const answer of [yield* author.read(draft.id), yield* author.send("GET", "")]) {
        assert.isNull(answer.headers.get("etag"))
        assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      }
    })
  )
})
