import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

/** A link whose text is two words, and whose address is as long as thirty. */
const LINK = `[two words](https://example.org/${"long/".repeat(36)})`

layer(service(database("test_reading_minutes")))("the minutes that a Post takes to read", (it) => {
  it.effect("The minutes follow the words that its readers see, at 230 a minute", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(1)
      for (const [words, minutes] of [
        [2, 1],
        [460, 2],
        [1_150, 5]
      ] as const) {
        const freeContentMarkdown = `${LINK}\n\n`.repeat(words / 2)
        const { slug } = yield* author.published({ freeContentMarkdown })
        const { text } = yield* client.send("GET", `/@${author.handle}/${slug}`)
        assert.include(text, `>${minutes} min</span`, `${words} words`)
      }
    })
  )

  it.effect("The minutes of a paid Post are those of the free words and, roughly, of the paid bytes", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(2)
      const { slug } = yield* author.published({
        enablePaywall: true,
        priceXno: "0.25",
        freeContentMarkdown: "free ".repeat(460),
        paidContentMarkdown: "money ".repeat(690)
      })
      const { text } = yield* client.send("GET", `/@${author.handle}/${slug}`)
      assert.include(text, ">5 min</span")
      assert.include(text, "700 more words, 3 minutes")
    })
  )

  it.effect("A short rest is said to have fewer words than the smallest number that is shown", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(3)
      for (const [language, paidContentMarkdown, size] of [
        ["en", "Five words are not fifty.", "Fewer than 50 more words."],
        ["en", "words ".repeat(49), "Fewer than 50 more words."],
        ["en", "words ".repeat(50), "50 more words, 1 minute."],
        ["ja", "短い文章です。", "残り1分未満。"],
        ["th", "ข้อความสั้น", "Less than a minute more."]
      ] as const) {
        const draft = { enablePaywall: true, priceXno: "0.25", language, paidContentMarkdown }
        const { slug } = yield* author.published(draft)
        const { text } = yield* client.send("GET", `/@${author.handle}/${slug}`)
        assert.include(text, size)
      }
    })
  )
})
