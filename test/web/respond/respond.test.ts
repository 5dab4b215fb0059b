import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { now } from "../../../src/platform/time/now.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"

/** An author with a Post, and a browser in which another author is signed in. */
const scene = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const post = yield* author.published()
  const reader = yield* browser
  yield* authorOf(number + 50)
  yield* signIn(reader, number + 50)
  const { id: authorId } = (yield* (yield* TestClient).send("GET", `/api/posts/${post.id}`)).body.author
  return { author, authorId: authorId as string, id: post.id as string, slug: post.slug as string, reader }
})

const open = Effect.fnUntraced(function* (reader: Browser, id: string) {
  const page = yield* reader.get(`/respond/${id}`)
  assert.strictEqual(page.status, 200, page.text)
  validated(page.text)
  return page.text
})

const MARK = `Lovely </textarea><script>alert(1)</script> & "so" it is`

layer(service(database("test_reading_respond")))("the forms of a reader", (it) => {
  it.effect("A comment counts once, and a refused one is given back", () =>
    Effect.gen(function* () {
      const { author, id, reader, slug } = yield* scene(1)
      const client = yield* TestClient
      const text = yield* open(reader, id)
      const key = valueOf(text, "key")
      for (const _ of [1, 2]) {
        const sent = yield* reader.post(`/respond/${id}`, { key, text: "First\r\nline" })
        assert.strictEqual(sent.status, 303, sent.text)
        assertPrivate(sent)
        assert.match(
          sent.headers.get("location")!,
          new RegExp(`^/respond/${id}\\?to=[0-9a-f-]{36}&done=sent$`)
        )
        const told = yield* reader.get(sent.headers.get("location")!)
        validated(told.text)
        assert.include(told.text, "Your comment is public.")
        assert.include(told.text, `/@${author.handle}/${slug}/comments?thread=`)
      }
      const { body } = yield* client.send("GET", `/api/posts/${id}/comments`)
      assert.deepStrictEqual(
        (body.data ?? body.comments ?? body).map((it: any) => it.content),
        ["First\nline"]
      )
      const conflict = yield* reader.post(`/respond/${id}`, { key, text: MARK })
      assert.strictEqual(conflict.status, 409)
      const area = validated(conflict.text).find(({ tag }) => tag === "textarea")
      assert.strictEqual(area!.text, MARK)
      assert.notStrictEqual(valueOf(conflict.text, "key"), key)
      const empty = yield* reader.post(`/respond/${id}`, { key, text: " " })
      assert.deepStrictEqual([empty.status, empty.text.includes("Write 1 to 2000 characters")], [409, true])
    })
  )

  it.effect("A comment from the page of a Post counts once for two presses, and again a minute later", () =>
    Effect.gen(function* () {
      const { id, reader } = yield* scene(8)
      const send = reader.post(`/respond/${id}`, { text: MARK })
      const first = yield* send
      assert.strictEqual(first.status, 303, first.text)
      const second = yield* send
      assert.deepStrictEqual(
        [second.status, second.headers.get("location")],
        [303, first.headers.get("location")]
      )
      yield* TestClock.adjust("1 minute")
      const third = yield* send
      assert.notStrictEqual(third.headers.get("location"), first.headers.get("location"))
      const client = yield* TestClient
      const { body } = yield* client.send("GET", `/api/posts/${id}/comments`)
      assert.deepStrictEqual(
        body.map((it: { readonly content: string }) => it.content),
        [MARK, MARK]
      )
      // Signed out, the text waits for the sign-in. A report still needs its page.
      yield* TestClock.adjust("1 minute")
      const stranger = yield* browser
      const kept = yield* stranger.post(`/respond/${id}`, { text: "Kept" })
      assert.deepStrictEqual([kept.status, kept.text.includes("Kept")], [401, true])
      assert.strictEqual((yield* reader.post(`/report/${id}`, { text: "Spam" })).status, 400)
    })
  )

  it.effect("Two presses over the turn of a minute count once, and a deleted comment is written again", () =>
    Effect.gen(function* () {
      const { id, reader } = yield* scene(9)
      const client = yield* TestClient
      const said = Effect.map(
        client.send("GET", `/api/posts/${id}/comments`),
        ({ body }): ReadonlyArray<string | null> =>
          body.map((it: { readonly content: string | null }) => it.content)
      )
      const send = (fields: Record<string, string>) =>
        Effect.map(reader.post(`/respond/${id}`, fields), ({ headers, status, text }) => {
          assert.strictEqual(status, 303, text)
          return /to=([0-9a-f-]+)/.exec(headers.get("location") ?? "")?.[1] ?? ""
        })
      const at = (yield* now).getTime()
      yield* TestClock.setTime(at - (at % 60_000) + 119_999)
      const first = yield* send({ text: MARK })
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* send({ text: MARK }), first)
      // Another text, another target, and the first text again.
      const second = yield* send({ text: "Something else" })
      assert.notStrictEqual(second, first)
      const reply = yield* send({ text: MARK, to: second })
      assert.strictEqual(yield* send({ text: MARK, to: second }), reply)
      assert.strictEqual(yield* send({ text: MARK }), first)
      assert.deepStrictEqual(yield* said, [MARK, "Something else", MARK])

      const deleted = yield* reader.post(`/respond/${id}/delete`, { to: first })
      assert.strictEqual(deleted.status, 303, deleted.text)
      const again = yield* send({ text: MARK })
      assert.notInclude([first, second, reply], again)
      assert.strictEqual(yield* send({ text: MARK }), again)
      assert.include(yield* open(reader, `${id}?to=${again}`), "Lovely")
      assert.deepStrictEqual((yield* said).filter((it) => it === MARK).length, 2)

      // Two presses at the same time.
      const both = yield* Effect.all([send({ text: "Twice" }), send({ text: "Twice" })], { concurrency: 2 })
      assert.strictEqual(both[0], both[1])
    })
  )

  it.effect("A text outlives the end of the session, and waits for the sign-in", () =>
    Effect.gen(function* () {
      const { id, reader } = yield* scene(2)
      const key = valueOf(yield* open(reader, id), "key")
      yield* reader.post("/sign-out")
      const refused = yield* reader.post(`/respond/${id}`, { key, text: MARK })
      assert.strictEqual(refused.status, 401)
      const area = validated(refused.text).find(({ tag }) => tag === "textarea")
      assert.strictEqual(area!.text, MARK)
      const { answer } = yield* signIn(reader, 52, `/respond/${id}`, valueOf(refused.text, "kept"))
      assert.strictEqual(answer.status, 303, answer.text)
      const told = yield* reader.get(answer.headers.get("location")!)
      assert.include(told.text, "Your comment is public.")
      const client = yield* TestClient
      const { body } = yield* client.send("GET", `/api/posts/${id}/comments`)
      assert.strictEqual(body[0].content, MARK)
    })
  )

  it.effect("A reaction and a follow are states", () =>
    Effect.gen(function* () {
      const { authorId, id, reader } = yield* scene(3)
      const client = yield* TestClient
      const hearts = Effect.map(
        client.send("GET", `/api/posts/${id}/reactions`),
        ({ body }) => body.summary.counts.heart
      )
      for (const _ of [1, 2])
        assert.strictEqual((yield* reader.post(`/react/${id}`, { reaction: "heart" })).status, 303)
      assert.strictEqual(yield* hearts, 1)
      assert.include(yield* open(reader, id), 'aria-pressed="true"')
      yield* reader.post(`/react/${id}`, { reaction: "none" })
      assert.notInclude(yield* open(reader, id), 'aria-pressed="true"')
      assert.strictEqual((yield* reader.post(`/react/${id}`, { reaction: "x" })).status, 400)
      const followed = yield* reader.post(`/follow/${authorId}`, { post: id, following: "true" })
      assert.strictEqual(followed.headers.get("location"), `/respond/${id}?done=saved`)
      assert.include(yield* open(reader, id), "Following &#x2713;</h2>")
      yield* reader.post(`/follow/${authorId}`, { post: id, following: "none" })
      assert.notInclude(yield* open(reader, id), "Following &#x2713;</h2>")
    })
  )

  it.effect("A report counts once, even if it is sent twice", () =>
    Effect.gen(function* () {
      const { id, reader } = yield* scene(4)
      const text = yield* open(reader, id)
      const key = [...text.matchAll(/name="key"\s+value="([^"]+)"/g)][1]![1]!
      assert.strictEqual((yield* reader.post(`/report/${id}`, { key, text: "Spam" })).status, 303)
      assert.strictEqual((yield* reader.post(`/report/${id}`, { key, text: "Spam" })).status, 303)
      const other = valueOf(yield* open(reader, id), "key")
      const again = yield* reader.post(`/report/${id}`, { key: other, text: "Spam" })
      assert.include(again.text, "already reported this post")
      validated(again.text)
    })
  )

  it.effect("Forms of other sites, readers without an account and missing targets are refused", () =>
    Effect.gen(function* () {
      const { author, authorId, id, reader } = yield* scene(5)
      const targets = [`/respond/${id}`, `/react/${id}`, `/follow/${authorId}`, `/report/${id}`]
      for (const target of targets) {
        const { status } = yield* reader.post(
          target,
          { reaction: "heart" },
          { "sec-fetch-site": "cross-site" }
        )
        assert.strictEqual(status, 403, target)
      }
      const stranger = yield* browser
      assert.match(
        (yield* stranger.get(`/respond/${id}`)).headers.get("location")!,
        /^\/sign-in\?back=%2Frespond/
      )
      for (const target of [`/react/${id}`, `/follow/${authorId}`]) {
        const sent = yield* stranger.post(target, { reaction: "heart", post: id })
        assert.strictEqual(sent.status, 200)
        assert.strictEqual(valueOf(sent.text, "back"), `/respond/${id}`)
      }
      for (const target of ["/respond/x", "/react/x", "/follow/x", "/report/x"])
        assert.strictEqual((yield* reader.post(target, { key: "x", text: "y" })).status, 404)
      assert.strictEqual((yield* reader.get(`/respond/${authorId}`)).status, 404)
      // Authors do not react to what they wrote, and do not follow themselves.
      const own = yield* browser
      yield* signIn(own, 5)
      assert.strictEqual((yield* own.post(`/react/${id}`, { reaction: "heart" })).status, 409)
      assert.strictEqual((yield* own.post(`/follow/${authorId}`, { post: id })).status, 409)
      yield* author.unpublish(id)
      assert.strictEqual((yield* reader.get(`/respond/${id}`)).status, 404)
    })
  )
})
