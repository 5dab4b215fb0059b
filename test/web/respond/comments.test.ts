import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"

/** A Post with a Comment of its author, one of a reader, and the browsers of both and of another reader. */
const scene = Effect.fnUntraced(function* (first: number) {
  const author = yield* commenterOf(first)
  const bob = yield* commenterOf(first + 1)
  yield* commenterOf(first + 2)
  const post = yield* author.published()
  const said = yield* bob.say(post.id, "First & <b>foremost</b>")
  const [ofAuthor, ofBob, ofEve] = [yield* browser, yield* browser, yield* browser]
  yield* signIn(ofAuthor, first)
  yield* signIn(ofBob, first + 1)
  yield* signIn(ofEve, first + 2)
  return { author, bob, post: post as { id: string; slug: string }, said, ofAuthor, ofBob, ofEve }
})

const open = Effect.fnUntraced(function* (reader: Browser, post: string, to: string) {
  const page = yield* reader.get(`/respond/${post}?to=${to}`)
  assert.strictEqual(page.status, 200, page.text)
  validated(page.text)
  return page.text
})

const commentsOf = (post: string) =>
  Effect.flatMap(TestClient, (client) =>
    Effect.map(client.send("GET", `/api/posts/${post}/comments`), ({ body }) => body as ReadonlyArray<any>)
  )

layer(service(database("test_reading_respond_comments")))("the forms about a comment", (it) => {
  it.effect("The page of a Post leads from each comment to its forms", () =>
    Effect.gen(function* () {
      const { author, ofEve, post, said } = yield* scene(1)
      const client = yield* TestClient
      for (const path of [`/@${author.handle}/${post.slug}`, `/@${author.handle}/${post.slug}/comments`]) {
        const { text } = yield* client.send("GET", path, { headers: { accept: "text/html" } })
        validated(text)
        assert.include(text, `href="/respond/${post.id}?to=${said.id}"`)
      }
      const text = yield* open(ofEve, post.id, said.id)
      assert.include(text, "First &amp; &lt;b&gt;foremost&lt;/b&gt;")
      const answered = yield* ofEve.post(`/respond/${post.id}`, {
        key: valueOf(text, "key"),
        to: said.id,
        text: "I agree"
      })
      assert.strictEqual(answered.status, 303, answered.text)
      const reply = (yield* commentsOf(post.id)).find(({ content }) => content === "I agree")
      assert.strictEqual(reply.parentCommentId, said.id)
    })
  )

  it.effect("A reaction and a report belong to the comment, and never to one's own", () =>
    Effect.gen(function* () {
      const { ofBob, ofEve, post, said } = yield* scene(11)
      const reacted = yield* ofEve.post(`/react/${post.id}`, { to: said.id, reaction: "clap" })
      assert.strictEqual(reacted.headers.get("location"), `/respond/${post.id}?to=${said.id}&done=saved`)
      const client = yield* TestClient
      const { body } = yield* client.send("GET", `/api/posts/${post.id}/comments/${said.id}/reactions`)
      assert.strictEqual(body.summary.counts.clap, 1)
      const text = yield* open(ofEve, post.id, said.id)
      assert.include(text, 'aria-pressed="true"')
      const [, key] = [...text.matchAll(/name="key"\s+value="([^"]+)"/g)].map(([, it]) => it!)
      const reported = yield* ofEve.post(`/report/${post.id}`, { key: key!, to: said.id, text: "Spam" })
      assert.include(
        (yield* ofEve.get(reported.headers.get("location")!)).text,
        "Our moderators will look into it"
      )

      const own = yield* open(ofBob, post.id, said.id)
      assert.notInclude(own, "Report this")
      assert.notInclude(own, 'name="reaction"')
      assert.strictEqual(
        (yield* ofBob.post(`/react/${post.id}`, { to: said.id, reaction: "clap" })).status,
        409
      )
    })
  )

  it.effect("A comment is tipped from its page, and a deleted one is not", () =>
    Effect.gen(function* () {
      const { bob, ofBob, ofEve, post, said } = yield* scene(41)
      const client = yield* TestClient
      const { body } = yield* client.send("GET", `/api/posts/${post.id}`)
      const { pathname } = new URL(body.url)
      const path = `/tip?comment=${said.id}`
      assert.include((yield* ofEve.get(pathname)).text, `href="${path}"`)
      const choice = yield* ofEve.get(path)
      assertPrivate(choice)
      validated(choice.text)
      assert.include(choice.text, `/comments?thread=${said.id}#c-${said.id}`)
      assert.include(choice.text, bob.handle)
      const fields = { kind: "tip", commentId: said.id, amountXno: "0.5" }
      const begun = yield* ofEve.post("/pay", fields)
      assert.match(begun.headers.get("location") ?? "", /^\/pay\//, begun.text)
      assert.strictEqual((yield* ofBob.post("/pay", fields)).status, 409)
      yield* ofBob.post(`/respond/${post.id}/delete`, { to: said.id })
      assert.strictEqual((yield* ofEve.get(path)).status, 404)
      assert.notInclude((yield* ofEve.get(pathname)).text, `href="${path}"`)
      for (const wrong of ["x", "%00", "00000000-0000-4000-8000-00000000000f"])
        assert.strictEqual((yield* ofEve.get(`/tip?comment=${wrong}`)).status, 404, wrong)
    })
  )

  it.effect("A comment is deleted only by its author and by the author of the Post", () =>
    Effect.gen(function* () {
      const { bob, ofAuthor, ofBob, ofEve, post, said } = yield* scene(21)
      const remove = (reader: Browser, to: string) => reader.post(`/respond/${post.id}/delete`, { to })
      assert.notInclude(yield* open(ofEve, post.id, said.id), "Delete")
      assert.strictEqual((yield* remove(ofEve, said.id)).status, 404)
      assert.strictEqual((yield* commentsOf(post.id))[0].content, "First & <b>foremost</b>")
      assert.include(yield* open(ofBob, post.id, said.id), "Delete this comment")
      const gone = yield* remove(ofBob, said.id)
      assert.strictEqual(gone.headers.get("location"), `/respond/${post.id}?to=${said.id}&done=deleted`)
      const told = yield* ofBob.get(gone.headers.get("location")!)
      validated(told.text)
      assert.include(told.text, "This comment was deleted.")
      assert.notInclude(told.text, "textarea")
      assert.strictEqual((yield* commentsOf(post.id))[0].deletedByRole, "author")

      const second = yield* bob.say(post.id, "Again")
      assert.strictEqual((yield* remove(ofAuthor, second.id)).status, 303)
      assert.strictEqual((yield* commentsOf(post.id))[1].deletedByRole, "moderator")
    })
  )

  it.effect("A comment is found only under its own Post", () =>
    Effect.gen(function* () {
      const { author, ofBob, ofEve, post, said } = yield* scene(31)
      const other = yield* author.published()
      assert.strictEqual((yield* ofEve.get(`/respond/${other.id}?to=${said.id}`)).status, 404)
      assert.strictEqual(
        (yield* ofEve.post(`/react/${other.id}`, { to: said.id, reaction: "clap" })).status,
        404
      )
      assert.strictEqual((yield* ofBob.post(`/respond/${other.id}/delete`, { to: said.id })).status, 404)
      assert.strictEqual((yield* ofBob.post(`/respond/${post.id}/delete`, { to: "x" })).status, 400)
      assert.isNotNull((yield* commentsOf(post.id))[0].content)
      // A word of the address chooses a sentence of ours alone.
      const text = (yield* ofEve.get(`/respond/${post.id}?done=%3Cb%3E`)).text
      assert.notInclude(text, 'id="outcome"')
    })
  )
})
