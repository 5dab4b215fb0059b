import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, sale } from "../../payments/sessions/sessionWorld.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"

const gift = Effect.gen(function* () {
  const { author, postId } = yield* sale
  const client = yield* TestClient
  const issued = yield* client.send("POST", "/api/v1/gifts", {
    token: author.accessToken,
    headers: { "idempotency-key": newKey() },
    body: { postId, maxRedemptions: 1 }
  })
  assert.strictEqual(issued.status, 201, issued.text)
  return { postId, token: issued.body.token as string, url: issued.body.url as string }
})

layer(service(database("test_reading_gift")))("a gift in a browser", (it) => {
  it.effect("is opened by a button, counts once, and stays in this browser", () =>
    Effect.gen(function* () {
      const { postId, token } = yield* gift
      const reader = yield* browser
      const page = yield* reader.get("/gift")
      assert.strictEqual(page.status, 200)
      assertPrivate(page)
      validated(page.text)
      const key = /name="key" value="([^"]+)"/.exec(page.text)![1]!
      for (const attempt of [1, 2]) {
        const opened = yield* reader.post("/gift", { key, token })
        assert.deepStrictEqual(
          [opened.status, opened.headers.get("location")],
          [303, `/read/${postId}`],
          `attempt ${attempt}: ${opened.text}`
        )
      }
      const read = yield* reader.get(`/read/${postId}`)
      assert.include(read.text, "This was given to you.")
      assert.include(read.text, "Paid")
      const late = yield* browser
      const other = yield* late.get("/gift")
      const otherKey = /name="key" value="([^"]+)"/.exec(other.text)![1]!
      assert.notStrictEqual(otherKey, key)
      const refused = yield* late.post("/gift", { key: otherKey, token: `https://press.test/gift#${token}` })
      assert.deepStrictEqual([refused.status, late.jar.size], [403, 0])
      validated(refused.text)
      assert.include(refused.text, "All uses of this gift are taken")
      assert.notInclude(refused.text, token)
      for (const wrong of ["", "x", "<script>"]) {
        const answer = yield* late.post("/gift", { key, token: wrong })
        assert.include(answer.text, "This is not the code of a gift")
      }
      assert.strictEqual((yield* late.post("/gift", { key: "1", token })).status, 400)
    })
  )
})
