import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, sale } from "../../../payments/sessions/sessionWorld.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../../browser.ts"
import { validated } from "../../pages/documents.ts"
import { signIn, valueOf } from "../../signIn.ts"

const giftOf = Effect.fnUntraced(function* (maxRedemptions: number) {
  const { author, postId } = yield* sale
  const client = yield* TestClient
  const issued = yield* client.send("POST", "/api/v1/gifts", {
    token: author.accessToken,
    headers: { "idempotency-key": newKey() },
    body: { postId, maxRedemptions }
  })
  assert.strictEqual(issued.status, 201, issued.text)
  const path = `/api/v1/gifts/${issued.body.gift.id}`
  return {
    author,
    postId,
    token: issued.body.token as string,
    url: issued.body.url as string,
    /** The number of its redemptions. */
    redemptions: Effect.map(
      client.send("GET", `/api/v1/gifts?postId=${postId}`, { token: author.accessToken }),
      ({ body }) => body.data[0].redemptions as number
    ),
    revoke: client.send("DELETE", `${path}?redeemed=revoke`, { token: author.accessToken })
  }
})

const gift = giftOf(1)

layer(service(database("test_reading_gift")))("a gift in a browser", (it) => {
  it.effect("A button opens a gift, which counts once and stays in this browser", () =>
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
      assert.include(read.text, "This was a gift to you.")
      assert.include(read.text, "Paid")
      const late = yield* browser
      const other = yield* late.get("/gift")
      const otherKey = /name="key" value="([^"]+)"/.exec(other.text)![1]!
      assert.notStrictEqual(otherKey, key)
      const refused = yield* late.post("/gift", { key: otherKey, token: `https://press.test/gift#${token}` })
      assert.deepStrictEqual([refused.status, late.jar.size], [303, 0])
      const locked = yield* late.get(refused.headers.get("location")!)
      assert.strictEqual(locked.status, 403)
      assertPrivate(locked)
      validated(locked.text)
      assert.include(locked.text, "This gift has been used up")
      assert.notInclude(`${refused.headers.get("location")}${locked.text}`, token)
      for (const wrong of ["", "x", "<script>"]) {
        const answer = yield* late.post("/gift", { key, token: wrong })
        assert.include(answer.text, "That isn&#39;t a gift code")
      }
      assert.strictEqual((yield* late.post("/gift", { key: "1", token })).status, 400)
    })
  )

  it.effect("A gift names its post and its giver to the script of the page, and uses nothing up", () =>
    Effect.gen(function* () {
      const { author, postId, redemptions, revoke, token } = yield* giftOf(1)
      yield* author.patch(postId, { title: `Nine <i>"degrees"</i> \u05D0` })
      const client = yield* TestClient
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { name: "Ann $& <b>" } })
      const reader = yield* browser
      const offered = (sent: string, headers: Readonly<Record<string, string>> = {}) =>
        reader.post("/gift/offer", { token: sent }, headers)
      for (const text of [token, `https://press.test/@ann/nine#gift=${token}`, token]) {
        const answer = yield* offered(text)
        assert.strictEqual(answer.status, 200, answer.text)
        assertPrivate(answer)
        assert.deepStrictEqual(answer.body, { title: `Nine <i>"degrees"</i> \u05D0`, author: "Ann $& <b>" })
        assert.deepStrictEqual(answer.headers.getSetCookie(), [])
      }
      assert.strictEqual(yield* redemptions, 0)
      for (const wrong of ["", "x", `${token.slice(0, -2)}aa`]) {
        const answer = yield* offered(wrong)
        assert.deepStrictEqual([answer.status, answer.text], [200, "null"])
      }
      const foreign = yield* offered(token, { "sec-fetch-site": "cross-site", origin: "https://evil.test" })
      assert.strictEqual(foreign.status, 403)
      assert.notInclude(foreign.text, "degrees")

      // Without the script, the text names both.
      const key = valueOf((yield* reader.get("/gift")).text, "key")
      const read = yield* reader.get((yield* reader.post("/gift", { key, token })).headers.get("location")!)
      validated(read.text)
      assert.include(read.text, "This is a gift to you from <bdi>Ann $&amp; &lt;b&gt;</bdi>.")

      // A gift that opens nothing is not named: used up, withdrawn, taken back.
      const silent = Effect.fnUntraced(function* (sent: string, what: string) {
        const answer = yield* offered(sent)
        assert.deepStrictEqual([answer.status, answer.body], [200, null], what)
      })
      yield* silent(token, "used up")
      const other = yield* giftOf(2)
      yield* other.author.unpublish(other.postId)
      yield* silent(other.token, "withdrawn")
      yield* revoke
      yield* silent(token, "taken back")
    })
  )

  it.effect("A used gift still leads the browser that opened it to the text, even once it is signed in", () =>
    Effect.gen(function* () {
      const { postId, token } = yield* gift
      const reader = yield* browser
      const open = Effect.gen(function* () {
        const key = valueOf((yield* reader.get("/gift")).text, "key")
        const opened = yield* reader.post("/gift", { key, token })
        assert.strictEqual(opened.status, 303, opened.text)
        return yield* reader.get(opened.headers.get("location")!)
      })
      yield* open
      const again = yield* open
      assert.deepStrictEqual([again.status, again.text.includes("used up")], [200, false])
      yield* signIn(reader, 7_001)
      const signedIn = yield* open
      assert.strictEqual(signedIn.status, 200)
      assert.include(signedIn.text, "Add to my account")
      assert.strictEqual((yield* reader.post(`/read/${postId}/account`)).status, 303)
      const kept = yield* open
      assert.include(kept.text, "This was a gift to you. It&#39;s in your account.")
    })
  )

  it.effect("A browser that has the text takes no further use of a gift", () =>
    Effect.gen(function* () {
      const { author, postId, redemptions, revoke, token } = yield* giftOf(3)
      const open = Effect.fnUntraced(function* (reader: Browser) {
        const key = valueOf((yield* reader.get("/gift")).text, "key")
        return yield* reader.post("/gift", { key, token })
      })
      const reader = yield* browser
      for (const _ of [1, 2, 3]) {
        const opened = yield* open(reader)
        assert.deepStrictEqual([opened.status, opened.headers.get("location")], [303, `/read/${postId}`])
        assertPrivate(opened)
      }
      assert.strictEqual(yield* redemptions, 1)
      // The same browser, signed in, and the author.
      yield* signIn(reader, 7_010)
      yield* open(reader)
      assert.strictEqual(yield* redemptions, 1)
      // Other browsers take a use each.
      const other = yield* browser
      yield* open(other)
      assert.strictEqual(yield* redemptions, 2)
      // The receipt of another Post does not count as that of this one.
      const second = yield* gift
      const third = yield* browser
      const key = valueOf((yield* third.get("/gift")).text, "key")
      yield* third.post("/gift", { key, token: second.token })
      yield* open(third)
      assert.strictEqual(yield* redemptions, 3)
      // A form of one Post opens no gift of another.
      const mixed = yield* other.post(`/read/${second.postId}/gift`, { key, token })
      assert.strictEqual(mixed.status, 403)
      assert.include(mixed.text, "a gift code")
      for (const wrong of [`/read/x/gift`, `/read/${author.handle}/gift`])
        assert.strictEqual((yield* other.post(wrong, { key, token })).status, 404, wrong)
      // A receipt that the giver took back is none.
      yield* revoke
      const ended = yield* open(other)
      assert.strictEqual(ended.headers.get("location"), `/read/${postId}?gift=revoked`)
    })
  )

  it.effect("A gift for a Post that has become free leads to the Post", () =>
    Effect.gen(function* () {
      const { author, postId, token } = yield* gift
      yield* author.patch(postId, { enablePaywall: false })
      const reader = yield* browser
      const key = valueOf((yield* reader.get("/gift")).text, "key")
      const opened = yield* reader.post("/gift", { key, token })
      const location = opened.headers.get("location")!
      assert.isTrue(location.startsWith(`/read/${postId}`), location)
      const read = yield* reader.get(location)
      assert.strictEqual(read.status, 303)
      assert.match(read.headers.get("location")!, /\/@/)
    })
  )

  it.effect("The page of the text says why a gift opens nothing", () =>
    Effect.gen(function* () {
      const { postId } = yield* gift
      const reader = yield* browser
      for (const [reason, words] of [
        ["expired", "This gift has expired."],
        ["revoked", "The sender took this gift back."],
        ["withdrawn", "The author has withdrawn this post."],
        ["__proto__", "No receipt in this browser"],
        ["<script>", "No receipt in this browser"]
      ] as const) {
        const { status, text } = yield* reader.get(`/read/${postId}?gift=${encodeURIComponent(reason)}`)
        assert.strictEqual(status, 403)
        assert.include(text, words)
        validated(text)
      }
    })
  )
})

layer(service(database("test_reading_gift_limits"), 1, { rateLimitFactor: 1 }))("codes of no gift", (it) => {
  it.effect("A code is sent on to the text of its gift in no address, and wrong ones are counted", () =>
    Effect.gen(function* () {
      const { postId, token } = yield* gift
      const client = yield* TestClient
      const reader = yield* browser
      const key = valueOf((yield* reader.get("/gift")).text, "key")
      const form = {
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
        body: new URLSearchParams({ key, token }).toString()
      }
      const on = yield* client.send("POST", "/gift", form)
      assert.deepStrictEqual([on.status, on.headers.get("location")], [307, `/read/${postId}/gift`])
      assertPrivate(on)
      const wrong = { key, token: `${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}` }
      const statuses: Array<number> = []
      for (let tries = 0; tries < 40; tries++) statuses.push((yield* reader.post("/gift", wrong)).status)
      assert.deepStrictEqual([...new Set(statuses)], [403, 429])
      const guess = yield* reader.post("/gift/offer", { token: wrong.token })
      assert.strictEqual(guess.status, 429, "a guess counts wherever it is made")
    })
  )
})
