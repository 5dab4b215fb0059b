import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { now } from "../../../src/platform/time/now.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"

const PATH = "/desk/comments"
const ALL = `${PATH}?show=all`

/** An author with a browser, a published post, and a reader who comments. */
const scene = Effect.fnUntraced(function* (first: number) {
  const author = yield* commenterOf(first)
  const bob = yield* commenterOf(first + 1)
  const post = yield* author.published({ title: "Nine <i>degrees</i> \u05D0" })
  const ofAuthor = yield* browser
  yield* signIn(ofAuthor, first)
  return { author, bob, ofAuthor, post, path: `/@${author.handle}/${post.slug}` }
})

const open = Effect.fnUntraced(function* (reader: Browser, path: string = ALL) {
  const page = yield* reader.get(path)
  assert.strictEqual(page.status, 200, page.text)
  assertPrivate(page)
  validated(page.text)
  return page.text
})

const discussionOf = (post: string) =>
  Effect.flatMap(TestClient, (client) =>
    Effect.map(client.send("GET", `/api/posts/${post}/comments`), ({ body }) => body as ReadonlyArray<any>)
  )

const revisionIn = (text: string) => valueOf(text, "revision")

layer(service(database("test_web_received_comments")))("received comments in a browser", (it) => {
  it.effect("An author without comments is told what will appear, and a stranger signs in", () =>
    Effect.gen(function* () {
      const { ofAuthor } = yield* scene(1)
      assert.include(yield* open(ofAuthor), "Comments that readers write on your posts appear here.")
      assert.include(yield* open(ofAuthor, PATH), "Nothing to answer.")
      const stranger = yield* browser
      assert.strictEqual(
        (yield* stranger.get(PATH)).headers.get("location"),
        `/sign-in?back=${encodeURIComponent(PATH)}`
      )
      for (const wrong of ["x", "%00", "y".repeat(300)])
        assert.strictEqual((yield* ofAuthor.get(`${PATH}?after=${wrong}`)).status, 404, wrong)
      // A query that names no page begins the list.
      for (const odd of [`after=${"y".repeat(1_000)}`, "post=x", "show=some&post=%00", "show=all&show=x"])
        yield* open(ofAuthor, `${PATH}?${odd}`)
    })
  )

  it.effect("A comment is shown with its person, its post and its place, and answered from the desk", () =>
    Effect.gen(function* () {
      const { bob, ofAuthor, path, post } = yield* scene(11)
      const succeed = yield* succeeding(bob.key)
      yield* succeed(({ profile }) => profile.update({ payload: { name: `Bob "<b>" \u05D0` } }))
      const said = yield* bob.say(post.id, "</p><script>alert(1)</script>\nTwo lines \u05D0")
      const text = yield* open(ofAuthor)
      assert.include(text, "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;\nTwo lines \u05D0")
      assert.include(text, "<bdi>Nine &lt;i&gt;degrees&lt;/i&gt; \u05D0</bdi>")
      assert.include(text, `href="/@${bob.handle}" dir="auto">Bob &quot;&lt;b&gt;&quot; \u05D0</a`)
      assert.include(text, `${path}/comments?thread=${said.id}#c-${said.id}"`)
      assert.include(text, `href="/respond/${post.id}?to=${said.id}"`)

      const fields = { key: valueOf(text, "key"), to: said.id, desk: "show=all", text: "Thank you" }
      const empty = yield* ofAuthor.post(`/respond/${post.id}`, { ...fields, text: " " })
      assert.strictEqual(empty.status, 409)
      validated(empty.text)
      assert.match(empty.text, /name="desk" value="show=all"/)
      for (const _ of ["pressed", "pressed again"]) {
        const answered = yield* ofAuthor.post(`/respond/${post.id}`, fields)
        assert.deepStrictEqual(
          [answered.status, answered.headers.get("location")],
          [303, `${ALL}&done=sent`],
          answered.text
        )
      }
      assert.include(yield* open(ofAuthor, `${ALL}&done=sent`), "Your reply is public.")
      assert.deepStrictEqual(
        (yield* discussionOf(post.id)).map(({ content, parentCommentId }) => [content, parentCommentId]),
        [
          [said.content, null],
          ["Thank you", said.id]
        ]
      )
      // The author's own answer is not among the comments that the author received.
      assert.strictEqual((yield* open(ofAuthor)).split("<article>").length - 1, 1)
    })
  )

  it.effect("An answer to one's own comment, and to the deepest one, finds its place", () =>
    Effect.gen(function* () {
      const { author, bob, ofAuthor, post } = yield* scene(21)
      let parent = (yield* author.say(post.id, "Depth 0")).id as string
      for (let depth = 1; depth <= 4; depth++)
        parent = (yield* bob.say(post.id, `Depth ${depth}`, { parent })).id
      const page = (yield* ofAuthor.get(`/respond/${post.id}?to=${parent}`)).text
      const answered = yield* ofAuthor.post(`/respond/${post.id}`, {
        key: valueOf(page, "key"),
        to: parent,
        text: "Deepest"
      })
      assert.strictEqual(answered.status, 303, answered.text)
      const all = yield* discussionOf(post.id)
      const deepest = all.find(({ content }) => content === "Deepest")
      assert.strictEqual(deepest.depth, 4)
      assert.strictEqual(deepest.replyTargetCommentId, parent)
      const own = yield* ofAuthor.post(`/respond/${post.id}`, {
        key: valueOf((yield* ofAuthor.get(`/respond/${post.id}`)).text, "key"),
        to: deepest.id,
        text: "To myself"
      })
      assert.strictEqual(own.status, 303, own.text)
    })
  )

  it.effect("A comment is deleted once, only by the author of the post, and leaves the list", () =>
    Effect.gen(function* () {
      const { bob, ofAuthor, post } = yield* scene(31)
      const said = yield* bob.say(post.id, "Spam")
      const eve = yield* browser
      yield* commenterOf(33)
      yield* signIn(eve, 33)
      const fields = { comment: said.id, desk: "" }
      assert.strictEqual((yield* eve.post(`${PATH}/delete`, fields)).status, 404)
      assert.strictEqual((yield* discussionOf(post.id))[0].content, "Spam")
      for (const _ of ["pressed", "pressed again"]) {
        const deleted = yield* ofAuthor.post(`${PATH}/delete`, fields)
        assert.strictEqual(deleted.headers.get("location"), `${PATH}?done=deleted`, deleted.text)
      }
      const text = yield* open(ofAuthor, `${PATH}?done=deleted`)
      assert.include(text, "The comment was deleted.")
      assert.notInclude(text, "<article>")
      assert.strictEqual((yield* discussionOf(post.id))[0].deletedByRole, "moderator")
      assert.strictEqual((yield* ofAuthor.post(`${PATH}/delete`, { comment: "x" })).status, 400)
      const endless = yield* ofAuthor.post(`${PATH}/delete`, { ...fields, desk: "x".repeat(10_000) })
      assert.strictEqual(endless.headers.get("location"), `${PATH}?done=deleted`)
      assert.strictEqual((yield* ofAuthor.post(`${PATH}/delete`, { comment: post.id })).status, 404)
    })
  )

  it.effect("Comments on a post are closed and opened again, at the revision that the page showed", () =>
    Effect.gen(function* () {
      const { bob, ofAuthor, post, path } = yield* scene(41)
      const said = yield* bob.say(post.id, "Heard")
      const before = yield* open(ofAuthor)
      const fields = { post: post.id, revision: revisionIn(before), closed: "yes", desk: "show=all" }
      const closed = yield* ofAuthor.post(`${PATH}/close`, fields)
      assert.strictEqual(closed.headers.get("location"), `${ALL}&done=closed`, closed.text)
      assert.deepStrictEqual(yield* discussionOf(post.id), [])
      const shut = yield* open(ofAuthor, `${ALL}&done=closed`)
      assert.include(shut, "readers no longer see them")
      assert.include(shut, '<span class="tag">Comments closed</span>')
      assert.notInclude(shut, `${path}/comments`)
      assert.notInclude(shut, "Your reply")

      // A reader who was writing keeps the text.
      const ofBob = yield* browser
      yield* signIn(ofBob, 42)
      const reply = { key: crypto.randomUUID(), to: said.id, text: "Written meanwhile" }
      const late = yield* ofBob.post(`/respond/${post.id}`, reply)
      assert.strictEqual(late.status, 409)
      validated(late.text)
      assert.include(late.text, "Written meanwhile")
      assert.include(late.text, "The author has turned off comments on this post.")

      // The page was made before the post changed.
      const stale = yield* ofAuthor.post(`${PATH}/close`, { ...fields, closed: "no" })
      assert.strictEqual(stale.status, 409)
      validated(stale.text)
      assert.include(stale.text, "That post was changed elsewhere.")
      const opened = yield* ofAuthor.post(`${PATH}/close`, {
        ...fields,
        closed: "no",
        revision: revisionIn(stale.text)
      })
      assert.strictEqual(opened.headers.get("location"), `${ALL}&done=opened`, opened.text)
      assert.strictEqual((yield* discussionOf(post.id))[0].id, said.id)

      const eve = yield* browser
      yield* commenterOf(43)
      yield* signIn(eve, 43)
      assert.strictEqual((yield* eve.post(`${PATH}/close`, fields)).status, 404)
      for (const wrong of [{ post: post.id }, { ...fields, closed: "maybe" }, { ...fields, post: "x" }])
        assert.strictEqual((yield* ofAuthor.post(`${PATH}/close`, wrong)).status, 400)
    })
  )

  it.effect("A withdrawn post and a restricted commenter leave nothing to answer", () =>
    Effect.gen(function* () {
      const { author, bob, ofAuthor, post, path } = yield* scene(51)
      yield* bob.say(post.id, "Once public")
      yield* author.unpublish(post.id)
      const draft = yield* open(ofAuthor)
      assert.include(draft, "Once public")
      assert.include(draft, `<a href="/write/${post.id}">`)
      assert.include(draft, '<span class="tag">Draft</span>')
      assert.notInclude(draft, path)
      assert.notInclude(draft, "Your reply")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = ${yield* now} where handle = ${bob.handle}`
      yield* sql`update comments set hidden_with_author_at = ${yield* now} where post_id = ${post.id}`
      assert.notInclude(yield* open(ofAuthor), "Once public")
    })
  )

  it.effect("A long list is read page by page, and a form leads back to its page", () =>
    Effect.gen(function* () {
      const { bob, ofAuthor, post } = yield* scene(61)
      const sql = yield* SqlClient.SqlClient
      const first = yield* bob.say(post.id, "Number 0")
      yield* sql`
        insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent,
          by_agent)
        select md5('c' || n)::uuid, post_id, author_id, 'Number ' || n, md5('c' || n)::uuid, 0,
          created_at + n * interval '1 second', 'made-' || n, '', false
        from comments, generate_series(1, 24) n where id = ${first.id}`
      const newest = yield* open(ofAuthor)
      assert.strictEqual(newest.split("<article>").length - 1, 20)
      const next = (/rel="next" href="([^"]+)"/.exec(newest)?.[1] ?? "").replaceAll("&amp;", "&")
      const last = yield* open(ofAuthor, next)
      assert.strictEqual(last.split("<article>").length - 1, 5)
      assert.include(last, "Number 0")
      const desk = valueOf(last, "desk").replaceAll("&amp;", "&")
      const deleted = yield* ofAuthor.post(`${PATH}/delete`, { comment: first.id, desk })
      assert.strictEqual(deleted.headers.get("location"), `${next}&done=deleted`)
      assert.strictEqual((yield* open(ofAuthor, `${next}&done=deleted`)).split("<article>").length - 1, 4)
    })
  )

  it.effect("Comments wait for an answer until the author replies or reacts, and a form leads back", () =>
    Effect.gen(function* () {
      const { author, bob, ofAuthor, post } = yield* scene(71)
      const second = yield* author.published({ title: "Second" })
      const [one, two] = [yield* bob.say(post.id, "First one"), yield* bob.say(post.id, "Second one")]
      const three = yield* bob.say(second.id, "Third one")
      const waiting = Effect.map(open(ofAuthor, PATH), (text) =>
        ["First", "Second", "Third"].filter((word) => text.includes(`${word} one`))
      )
      assert.deepStrictEqual(yield* waiting, ["First", "Second", "Third"])
      const onSecond = yield* open(ofAuthor, `${PATH}?post=${second.id}`)
      assert.include(onSecond, "Third one")
      assert.notInclude(onSecond, "First one")
      assert.match(onSecond, /name="desk" value="post=[0-9a-f-]{36}"/)

      const place = `post=${second.id}`
      const hearted = yield* ofAuthor.post(`/react/${second.id}`, {
        reaction: "heart",
        to: three.id,
        desk: place
      })
      assert.strictEqual(hearted.headers.get("location"), `${PATH}?${place}&done=saved`, hearted.text)
      assert.include(yield* open(ofAuthor, `${PATH}?${place}&done=saved`), "Your reaction is saved.")
      assert.deepStrictEqual(yield* waiting, ["First", "Second"])
      const all = yield* open(ofAuthor, `${ALL}&post=${second.id}`)
      assert.match(all, /value="none"\s+data-state="heart"\s+aria-pressed="true"/)
      // The reaction of another reader answers nothing, and neither does one's own comment.
      const eve = yield* browser
      yield* commenterOf(73)
      yield* signIn(eve, 73)
      yield* eve.post(`/react/${post.id}`, { reaction: "heart", to: one.id })
      yield* author.say(post.id, "By the way")
      assert.deepStrictEqual(yield* waiting, ["First", "Second"])
      yield* author.say(post.id, "Thanks", { parent: two.id })
      assert.deepStrictEqual(yield* waiting, ["First"])
      // A place that names another site leads to the list.
      const away = yield* ofAuthor.post(`/react/${post.id}`, {
        reaction: "clap",
        to: one.id,
        desk: "https://evil.test/&after=//evil.test"
      })
      assert.match(away.headers.get("location") ?? "", /^\/desk\/comments\?/)
      assert.deepStrictEqual(yield* waiting, [])
      // Another author sees none of them, with any post.
      assert.notInclude(yield* open(eve, `${ALL}&post=${post.id}`), "First one")
    })
  )
})
