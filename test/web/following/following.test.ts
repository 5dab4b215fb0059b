import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"

const PATH = "/desk/following"

/** An author with their id, and the browser of another account. */
const scene = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const { body } = yield* (yield* TestClient).send("GET", `/api/profile/${author.handle}`)
  yield* authorOf(number + 1)
  const reader = yield* browser
  yield* signIn(reader, number + 1)
  const account = yield* readerOf(number + 1)
  return { author, authorId: body.id as string, reader, account }
})

layer(service(database("test_web_following")))("The page of followed authors", (it) => {
  it.effect(
    "A reader finds the new posts of followed authors, and chooses mails or ends a follow there",
    () =>
      Effect.gen(function* () {
        const { account, author, authorId, reader } = yield* scene(1)
        const empty = yield* reader.get(PATH)
        assertPrivate(empty)
        validated(empty.text)
        assert.include(empty.text, "Find authors to follow")
        for (let n = 0; n < 21; n++) {
          yield* TestClock.adjust("1 second")
          yield* author.published({ title: `News ${n} <b>` })
        }
        yield* reader.post(`/follow/${authorId}`, { handle: author.handle, following: "true" })
        const { text } = yield* reader.get(PATH)
        validated(text)
        assert.include(text, "News 20 &lt;b&gt;")
        assert.notInclude(text, "News 0 &lt;b&gt;")
        assert.include(text, `action="/follow/${authorId}/mail"`)
        assert.match(text, /value="true"[^>]*aria-pressed="false"/)
        assert.include(text, "Emails need an address")
        const [, next = ""] = /rel="next" href="([^"]+)"/.exec(text) ?? []
        const second = yield* reader.get(next)
        validated(second.text)
        assert.include(second.text, "News 0 &lt;b&gt;")
        assert.notInclude(second.text, "Authors you follow")

        const mailed = yield* reader.post(`/follow/${authorId}/mail`, { desk: "1", mail: "true" })
        assert.strictEqual(mailed.headers.get("location"), `${PATH}?done=saved`)
        const followed = () => Effect.map(account.send("GET", "/api/v1/follows"), ({ body }) => body.data)
        assert.deepInclude((yield* followed())[0], { notify_new_posts: true, notify_channel_email: true })
        const saved = yield* reader.get(`${PATH}?done=saved`)
        validated(saved.text)
        assert.include(saved.text, "Saved.")
        assert.match(saved.text, /value="none"[^>]*aria-pressed="true"/)
        yield* reader.post(`/follow/${authorId}/mail`, { desk: "1", mail: "none" })
        assert.deepInclude((yield* followed())[0], { notify_new_posts: true, notify_channel_email: false })

        yield* reader.post(`/follow/${authorId}`, { desk: "1", following: "none" })
        assert.deepStrictEqual(yield* followed(), [])
        // Without a follow there is nothing to choose, and none begins.
        const late = yield* reader.post(`/follow/${authorId}/mail`, { desk: "1", mail: "true" })
        assert.strictEqual(late.status, 303)
        assert.deepStrictEqual(yield* followed(), [])
        for (const query of ["posts=x", "authors=x", "posts=%00", `authors=${"y".repeat(1_000)}`])
          assert.strictEqual((yield* reader.get(`${PATH}?${query}`)).status, 404, query)
      })
  )

  it.effect("The page says what keeps mails from a reader who wants them", () =>
    Effect.gen(function* () {
      const { account, author, authorId, reader } = yield* scene(11)
      yield* reader.post(`/follow/${authorId}`, { handle: author.handle, following: "true" })
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        update owners set email = 'a@b.test', mailbox = 'a@b.test', email_verified_at = created_at
        where id = ${account.id}`
      for (const path of [PATH, `/follow?handle=${author.handle}`])
        assert.notMatch((yield* reader.get(path)).text, /Emails need|turned off emails/)
      for (const off of [
        { email_notifications: false },
        { email_notifications: true, notify_new_post: false }
      ]) {
        yield* account.send("PUT", "/api/v1/notification-preferences", { body: off })
        for (const path of [PATH, `/follow?handle=${author.handle}`]) {
          const { text } = yield* reader.get(path)
          validated(text)
          assert.include(text, "You turned off emails about new posts")
        }
      }
    })
  )

  it.effect("The address of the private feed is shown once, and the same form shows no other", () =>
    Effect.gen(function* () {
      const { reader } = yield* scene(21)
      const before = (yield* reader.get(PATH)).text
      const fields = { former: valueOf(before, "former") }
      assert.include(before, "Make a private feed")
      const made = yield* reader.post(`${PATH}/feed`, fields)
      assert.strictEqual(made.status, 200, made.text)
      assertPrivate(made)
      validated(made.text)
      const [, address = ""] = /data-copy="([^"]+)"/.exec(made.text) ?? []
      assert.match(address, /\/feeds\/following\/ppf_[0-9A-Za-z]{43}\.xml$/)
      const { pathname } = new URL(address)
      assert.strictEqual((yield* reader.get(pathname)).status, 200)
      const again = yield* reader.post(`${PATH}/feed`, fields)
      assert.strictEqual(again.status, 409)
      validated(again.text)
      assert.notInclude(again.text, "ppf_")
      assert.include(again.text, "which we only showed once")
      assert.strictEqual((yield* reader.get(pathname)).status, 200)

      const later = (yield* reader.get(PATH)).text
      assert.notInclude(later, "ppf_")
      const replaced = yield* reader.post(`${PATH}/feed`, { former: valueOf(later, "former") })
      assert.include(replaced.text, "ppf_")
      assert.strictEqual((yield* reader.get(pathname)).status, 404)
      const ended = yield* reader.post(`${PATH}/feed/end`)
      assert.strictEqual(ended.headers.get("location"), `${PATH}?done=ended`)
      assert.include((yield* reader.get(`${PATH}?done=ended`)).text, "Your private feed is off")
      for (const former of ["x", "%00", "00000000-0000-4000-8000-00000000000"])
        assert.strictEqual((yield* reader.post(`${PATH}/feed`, { former })).status, 400, former)
      assert.strictEqual((yield* reader.post(`${PATH}/feed`)).status, 400)
    })
  )
})
