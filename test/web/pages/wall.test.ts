import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { lookSoon, sale } from "../../payments/sessions/sessionWorld.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { begin, termsOf } from "../checkout/checkouts.ts"
import { validated } from "./documents.ts"

const image = (name: string) => `![${name}](https://pictures.example/${name}.png)`

/** Returns the wall on the page of a Post. */
const wallOf = Effect.fnUntraced(function* (handle: string, slug: string) {
  const client = yield* TestClient
  const { text } = yield* client.send("GET", `/@${handle}/${slug}`, { headers: { accept: "text/html" } })
  validated(text)
  const [wall = ""] = /<section class="wall"[^]*?<\/section>/.exec(text) ?? []
  return { text, wall }
})

layer(service(database("test_reading_wall")))("the wall of a paid Post", (it) => {
  it.effect("A wall counts the pictures and sections that follow, and says none of their words", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const draft = { enablePaywall: true, priceXno: "0.25" }
      for (const [paidContentMarkdown, said] of [
        [
          `## Secretone\n\n${image("secrettwo")} ${image("secretthree")}\n\n### Secretfour\n\nSecretfive.`,
          "Fewer than 50 more words, 2 pictures, 2 sections."
        ],
        [`# Secretone\n\n${image("secrettwo")}`, "Fewer than 50 more words, 1 picture, 1 section."],
        ["Secretone `<img src=x>` and `# Secrettwo`.", "Fewer than 50 more words."]
      ] as const) {
        const { id, slug } = yield* author.published({
          ...draft,
          freeContentMarkdown: `## Open\n\n${image("open")}\n\nText.`,
          paidContentMarkdown
        })
        const { text, wall } = yield* wallOf(author.handle, slug)
        assert.include(wall, said)
        assert.notMatch(text, /secret/i)
        // The line for programs is in the head.
        assert.notInclude(wall, "/api/")
        assert.match(
          text,
          new RegExp(`<link\\s+rel="payment"[^>]*href="[^"]*/api/posts/${id}/access"[^>]*>[^]*</head>`)
        )
      }
      const free = yield* author.published({ freeContentMarkdown: "Text." })
      const { text, wall } = yield* wallOf(author.handle, free.slug)
      assert.deepStrictEqual([wall, text.includes('rel="payment"')], ["", false])
    })
  )

  it.effect("A wall follows a change of the text behind it", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { id, slug } = yield* author.published({
        enablePaywall: true,
        priceXno: "0.25",
        paidContentMarkdown: image("one")
      })
      assert.include((yield* wallOf(author.handle, slug)).wall, "words, 1 picture.")
      yield* author.patch(id, { paidContentMarkdown: `${image("one")} ${image("two")}\n\n## More\n\nWords.` })
      assert.include((yield* wallOf(author.handle, slug)).wall, "words, 2 pictures, 1 section.")
    })
  )

  it.effect("A wall says how many people bought the Post, from three on", () =>
    Effect.gen(function* () {
      const { author, payer, postId } = yield* sale
      const client = yield* TestClient
      const { body } = yield* client.send("GET", `/api/posts/${postId}`)
      for (const sold of [1, 2, 3]) {
        const reader = yield* browser
        const { amount, payTo } = termsOf((yield* reader.get(yield* begin(reader, postId))).text)
        yield* payer.pay(payTo, amount)
        yield* lookSoon
        yield* (yield* Counters).add
        const { wall } = yield* wallOf(author.handle, body.slug)
        assert.strictEqual(wall.includes("people bought this"), sold === 3, `${sold}`)
      }
      assert.include((yield* wallOf(author.handle, body.slug)).wall, "3 people bought this.")
    })
  )
})
