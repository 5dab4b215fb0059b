import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

const SCRIPT = { accept: "application/json" }

/** An author with a Post, and the browser of another author. */
const scene = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const post = yield* author.published()
  yield* authorOf(number + 50)
  const reader = yield* browser
  yield* signIn(reader, number + 50)
  const client = yield* TestClient
  const { id: authorId } = (yield* client.send("GET", `/api/posts/${post.id}`)).body.author
  return { author, authorId: authorId as string, id: post.id as string, slug: post.slug as string, reader }
})

layer(service(database("test_reading_react")))("the forms that set a state", (it) => {
  it.effect("The script of a page learns the state, and that a reader has to sign in", () =>
    Effect.gen(function* () {
      const { authorId, id, reader } = yield* scene(1)
      const reacted = yield* reader.post(`/react/${id}`, { reaction: "heart" }, SCRIPT)
      assertPrivate(reacted)
      assert.deepStrictEqual(reacted.body, {
        pressed: "heart",
        counts: { thumbs_up: 0, heart: 1, fire: 0, clap: 0 }
      })
      const taken = yield* reader.post(`/react/${id}`, { reaction: "none" }, SCRIPT)
      assert.deepStrictEqual([taken.body.pressed, taken.body.counts.heart], [null, 0])
      const followed = yield* reader.post(`/follow/${authorId}`, { following: "true" }, SCRIPT)
      assert.deepStrictEqual(followed.body, { pressed: "true" })
      const ended = yield* reader.post(`/follow/${authorId}`, { following: "none" }, SCRIPT)
      assert.deepStrictEqual(ended.body, { pressed: null })

      const stranger = yield* browser
      const asked = yield* stranger.post(`/react/${id}`, { reaction: "heart" }, SCRIPT)
      assert.strictEqual(asked.status, 401)
      validated(asked.text)
    })
  )

  it.effect("An answer that a script cannot show is a page", () =>
    Effect.gen(function* () {
      const { id, reader } = yield* scene(2)
      const wrong = yield* reader.post(`/react/${id}`, { reaction: "x" }, SCRIPT)
      assert.match(wrong.headers.get("content-type")!, /^text\/html/)
      const own = yield* browser
      yield* signIn(own, 2)
      const refused = yield* own.post(`/react/${id}`, { reaction: "heart" }, SCRIPT)
      assert.strictEqual(refused.status, 409)
      assert.match(refused.headers.get("content-type")!, /^text\/html/)
      const forged = yield* reader.post(
        `/react/${id}`,
        { reaction: "heart" },
        { ...SCRIPT, "sec-fetch-site": "cross-site" }
      )
      assert.strictEqual(forged.status, 403)
    })
  )

  it.effect("Public pages have the same forms for every reader, and no state of one", () =>
    Effect.gen(function* () {
      const { author, authorId, id, reader, slug } = yield* scene(3)
      yield* reader.post(`/react/${id}`, { reaction: "heart" })
      for (const path of [`/@${author.handle}/${slug}`, `/@${author.handle}`]) {
        const { text } = yield* reader.get(path)
        validated(text)
        assert.include(text, `action="/follow/${authorId}"`)
        assert.match(text, /<span data-when="on" hidden>Following &#x2713;<\/span>/)
        assert.match(text, /<a data-when="on" href="\/follow\?handle=\w+" hidden>Email me new posts<\/a>/)
        assert.notInclude(text, "aria-pressed")
        const client = yield* TestClient
        const anonymous = yield* client.send("GET", path, { headers: { accept: "text/html" } })
        assert.strictEqual(text, anonymous.text)
      }
    })
  )

  it.effect("A page without a script says whether the reader follows an author", () =>
    Effect.gen(function* () {
      const { author, authorId, reader } = yield* scene(4)
      const path = `/follow?handle=${author.handle}`
      const sent = yield* reader.post(`/follow/${authorId}`, { handle: author.handle, following: "true" })
      assert.strictEqual(sent.headers.get("location"), path)
      const page = yield* reader.get(path)
      assertPrivate(page)
      validated(page.text)
      assert.include(page.text, "Following &#x2713;")
      assert.include(page.text, 'href="/desk/following"')
      assert.notInclude(page.text, "data-when")
      const mail = yield* reader.post(`/follow/${authorId}/mail`, { handle: author.handle, mail: "true" })
      assert.strictEqual(mail.headers.get("location"), path)
      assert.match((yield* reader.get(path)).text, /aria-pressed="true"\s*>\s*Email me new posts/)
      yield* reader.post(`/follow/${authorId}`, { handle: author.handle, following: "none" })
      assert.include((yield* reader.get(path)).text, "You&#39;re not following")
      for (const wrong of ["x", "00000000-0000-4000-8000-00000000000f"])
        assert.strictEqual((yield* reader.post(`/follow/${wrong}/mail`, { mail: "true" })).status, 404, wrong)
      const stranger = yield* browser
      assert.strictEqual(
        (yield* stranger.get(path)).headers.get("location"),
        `/sign-in?back=${encodeURIComponent(path)}`
      )
      assert.strictEqual((yield* reader.get("/follow?handle=nobody_here")).status, 404)
      // A handle leads to no other site.
      const odd = yield* reader.post(`/follow/${authorId}`, { handle: "//evil.test/\r\nx: y" })
      assert.match(odd.headers.get("location")!, /^\/follow\?handle=%2F%2Fevil/)
    })
  )

  it.effect("Private pages about oneself lead to the desk, where others follow", () =>
    Effect.gen(function* () {
      const { author, authorId, id, reader } = yield* scene(5)
      const self = yield* browser
      yield* signIn(self, 5)
      const path = `/follow?handle=${author.handle}`
      for (const answer of [
        yield* self.get(path),
        yield* self.post(`/follow/${authorId}`, { following: "true" })
      ]) {
        validated(answer.text)
        assert.include(answer.text, "This is you")
        assert.include(answer.text, 'href="/desk"')
        assert.notInclude(answer.text, 'name="following"')
      }
      const own = yield* self.get(`/respond/${id}`)
      validated(own.text)
      assert.include(own.text, "This is you, the author.")
      assert.notInclude(own.text, 'name="following"')

      assert.match((yield* reader.get(`/respond/${id}`)).text, /name="following"\s+value="true"/)
      yield* reader.post(`/follow/${authorId}`, { post: id, following: "true" })
      const others = yield* reader.get(`/respond/${id}`)
      validated(others.text)
      assert.include(others.text, "Following &#x2713;")
      assert.include(others.text, "Email me new posts")
      const mail = yield* reader.post(`/follow/${authorId}/mail`, { post: id, mail: "true" }, SCRIPT)
      assert.deepStrictEqual(mail.body, { pressed: "true" })
    })
  )
})
