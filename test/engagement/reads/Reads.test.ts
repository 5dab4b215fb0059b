import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { vi } from "vitest"
import { Reads } from "../../../src/engagement/reads/Reads.ts"
import { HASHES_MAX } from "../../../src/engagement/reads/Tallies.ts"
import { makeKeptAnswers } from "../../../src/platform/http/keptAnswers.ts"
import { call } from "../../mcp/toolServer.ts"
import { newKey } from "../../payments/sessions/sessionWorld.ts"
import { ownerIdOf, sellerOf } from "../../payments/settlement/paying.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, buyerOf } from "../../support/actors/buyer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"
import { browser } from "../../web/browser.ts"
import { signIn } from "../../web/signIn.ts"
import { followsOf } from "../follows/follower.ts"
import { atNoon, CHROME, GOOGLE, onlyPostOf, pageOf, statsOf, visit } from "./reading.ts"

const NOTHING = { people: 0, agents: 0, crawlers: 0, feeds: 0 }

layer(service(database("test_reads")))("reads", (it) => {
  it.effect("A page, a twin, the API, a tool, a crawler and feeds count by their kinds", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(1)
      const post = yield* author.published()
      const page = pageOf(author, post)
      yield* visit(page)
      yield* visit(page, { headers: { "user-agent": GOOGLE } })
      yield* visit(`${page}.md`)
      yield* visit(page, { headers: { accept: "text/markdown" } })
      yield* visit(`/api/posts/${post.id}`)
      yield* visit(`/api/posts/${post.id}/public-content`, { headers: { "user-agent": "curl/8.5.0" } })
      yield* visit(`/api/posts/${post.id}`, { token: author.key })
      yield* call("svc_preview", { post_id: post.id })
      yield* call("svc_read_content", { post_id: post.id })
      yield* visit(`/api/posts/${post.id}/access`)
      for (const name of ["atom.xml", "rss.xml", "feed.json"]) yield* visit(`/@${author.handle}/${name}`)
      const { reads, visitors, walls } = yield* onlyPostOf(author)
      assert.deepStrictEqual(reads, { people: 3, agents: 6, crawlers: 1, feeds: 3 })
      assert.strictEqual(walls, 0)
      assert.isAbove(visitors, 0)
    })
  )

  it.effect("A 304 counts, and a HEAD, an error, a list and a discussion do not", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(2)
      const post = yield* author.published()
      const page = pageOf(author, post)
      const { headers } = yield* visit(page)
      const again = yield* visit(page, { headers: { "if-none-match": headers.get("etag") ?? "" } })
      assert.strictEqual(again.status, 304)
      yield* visit(page, { method: "HEAD" })
      yield* visit(`${page}-gone`)
      yield* visit(`/@${author.handle}`)
      yield* visit(`${page}/comments`)
      yield* visit(`/api/posts?handle=${author.handle}`)
      assert.deepStrictEqual((yield* onlyPostOf(author)).reads, { ...NOTHING, people: 2 })
    })
  )

  it.effect("A kept answer counts before it is routed", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(3)
      const post = yield* author.published()
      const url = pageOf(author, post)
      yield* visit(url)
      const find = yield* makeKeptAnswers
      const asked = (method: string) =>
        Effect.suspend(
          () =>
            find({
              method,
              url,
              headers: { "user-agent": CHROME, referer: "https://news.example/" },
              peerAddress: Option.some("192.0.2.2")
            }) ?? Effect.die(new Error("The answer is not kept"))
        )
      yield* asked("GET")
      yield* asked("HEAD")
      const { reads, sources, visitors } = yield* onlyPostOf(author)
      assert.deepStrictEqual(reads, { ...NOTHING, people: 2 })
      assert.deepStrictEqual(sources, [{ host: "news.example", count: 1 }])
      assert.strictEqual(visitors, 2)
    })
  )

  it.effect(
    "The author's own reads do not count while they are signed in, and those of other accounts do",
    () =>
      Effect.gen(function* () {
        yield* atNoon
        const author = yield* authorOf(4)
        const other = yield* authorOf(5)
        const post = yield* author.published()
        const own = yield* browser
        own.comesFrom({ headers: { "user-agent": CHROME } })
        yield* signIn(own, 4)
        const stranger = yield* browser
        stranger.comesFrom({ headers: { "user-agent": CHROME } })
        yield* signIn(stranger, 5)
        yield* own.get(pageOf(author, post))
        yield* visit(`/api/posts/${post.id}`, { token: author.accessToken })
        yield* visit(`/api/posts/${post.id}/access`, { token: author.accessToken })
        yield* stranger.get(pageOf(author, post))
        yield* visit(`/api/posts/${post.id}`, { token: other.accessToken })
        assert.deepStrictEqual((yield* onlyPostOf(author)).reads, { ...NOTHING, people: 1, agents: 1 })
      })
  )

  it.effect("The same visitor counts once, and one who asks for privacy without visitor and source", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(6)
      const page = pageOf(author, yield* author.published())
      const referer = "https://news.example/item?id=1"
      yield* visit(page, { headers: { referer } })
      yield* visit(page, { headers: { referer } })
      yield* visit(page, { from: "192.0.2.7", headers: { referer: "https://blog.example" } })
      yield* visit(page, { from: "192.0.2.8", headers: { referer, dnt: "1" } })
      yield* visit(page, { from: "192.0.2.9", headers: { referer, "sec-gpc": "1" } })
      const { reads, sources, visitors } = yield* onlyPostOf(author)
      assert.deepStrictEqual(reads, { ...NOTHING, people: 5 })
      assert.strictEqual(visitors, 2)
      assert.deepStrictEqual(sources, [
        { host: "news.example", count: 2 },
        { host: "blog.example", count: 1 }
      ])
    })
  )

  it.effect("Visitors are exact below 1,000, and within a tenth far above it", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(7)
      const page = pageOf(author, yield* author.published())
      yield* visit(page)
      const find = yield* makeKeptAnswers
      let count = 1
      const visitUntil = Effect.fnUntraced(function* (end: number) {
        while (count < end) {
          const peerAddress = Option.some(`198.${51 + (count >> 16)}.${(count >> 8) & 255}.${count & 255}`)
          count++
          yield* (
            find({ method: "GET", url: page, headers: { "user-agent": CHROME }, peerAddress }) ??
              visit(page, { from: Option.getOrThrow(peerAddress) })
          )
        }
        return (yield* onlyPostOf(author)).visitors
      })
      assert.strictEqual(yield* visitUntil(700), 700)
      assert.strictEqual(yield* visitUntil(HASHES_MAX - 1), HASHES_MAX - 1)
      assert.closeTo(yield* visitUntil(5_000), 5_000, 500)
    })
  )

  it.effect("A Post and day has 50 sources, those with the most reads, and adds up the rest", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(8)
      const page = pageOf(author, yield* author.published())
      const from = (host: string) => visit(page, { headers: { referer: `https://${host}/` } })
      for (let n = 0; n < 49; n++) yield* from(`${n}.example`)
      yield* onlyPostOf(author)
      for (let n = 0; n < 3; n++) yield* from("late.example")
      for (let n = 50; n < 55; n++) yield* from(`${n}.example`)
      const { sources } = yield* onlyPostOf(author)
      assert.lengthOf(sources, 51)
      assert.deepStrictEqual(
        sources.filter(({ count }) => count > 1),
        [
          { host: "other", count: 5 },
          { host: "late.example", count: 3 }
        ]
      )
    })
  )

  it.effect("A paid Post counts its walls, checkouts and sales, and no paid word is stored", () =>
    Effect.gen(function* () {
      yield* atNoon
      const { author, postId } = yield* sellerOf(9)
      const buyer = yield* buyerOf(10)
      yield* visit(pageOf(author, yield* Effect.map(author.read(postId), ({ body }) => body)))
      yield* visit(`/api/posts/${postId}/access`, { method: "HEAD" })
      const agent = { headers: { "user-agent": "agent/1.0" } }
      const { answer } = yield* buyer.buy(postId, agent)
      assert.strictEqual(answer.status, 200)

      const create = (key: string) =>
        visit("/api/payment-sessions", {
          method: "POST",
          headers: { "idempotency-key": key },
          body: { kind: "purchase", postId }
        })
      const key = newKey()
      assert.strictEqual((yield* create(key)).status, 201)
      assert.strictEqual((yield* create(key)).status, 200)
      const reader = yield* browser
      reader.comesFrom({ headers: { "user-agent": CHROME } })
      assert.strictEqual((yield* reader.post(`/read/${postId}/buy`)).status, 303)

      const { checkouts, reads, sales, walls } = yield* onlyPostOf(author)
      assert.deepStrictEqual(reads, { ...NOTHING, people: 1, agents: 1 })
      assert.deepStrictEqual({ walls, checkouts, sales }, { walls: 2, checkouts: 2, sales: 1 })

      const sql = yield* SqlClient.SqlClient
      const stored = yield* sql`
        select row_to_json(r)::text as line from post_reads r
        union all select row_to_json(v)::text from post_visitors v`
      assert.notMatch(JSON.stringify(stored), /secret|192\.0\.2|Chrome|agent\/1/)
    })
  )

  it.effect("A gift and a receipt read without a wall", () =>
    Effect.gen(function* () {
      yield* atNoon
      const { author, postId } = yield* sellerOf(11)
      const buyer = yield* buyerOf(12)
      const { answer } = yield* buyer.buy(postId)
      const receipt = answer.body.receipt.token
      const before = yield* onlyPostOf(author)
      assert.strictEqual((yield* access(postId, { receipt, from: "192.0.2.1" })).status, 200)
      const after = yield* onlyPostOf(author)
      assert.strictEqual(after.reads.agents, before.reads.agents + 1)
      assert.strictEqual(after.walls, before.walls)
    })
  )

  it.effect("A flush is one statement, and an idle one none", () =>
    Effect.gen(function* () {
      yield* atNoon
      const { flush } = yield* Reads
      const author = yield* authorOf(13)
      const posts = [yield* author.published(), yield* author.published({ title: "On shillings" })]
      yield* flush
      for (const post of posts) yield* visit(pageOf(author, post))
      assert.lengthOf((yield* statementsOf(flush)).statements, 1)
      assert.lengthOf((yield* statementsOf(flush)).statements, 0)
    })
  )

  it.effect("The reads of a deleted Post are dropped, and keep no others from being saved", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(14)
      const gone = yield* author.published({ title: "Gone" })
      const post = yield* author.published()
      yield* visit(pageOf(author, gone))
      yield* visit(pageOf(author, post))
      yield* author.unpublish(gone.id)
      assert.strictEqual((yield* author.remove(gone.id)).status, 204)
      const { postId, reads } = yield* onlyPostOf(author)
      assert.strictEqual(postId, post.id)
      assert.strictEqual(reads.people, 1)
    })
  )

  it.effect("A private feed counts for the Posts of the followed authors", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(15)
      yield* author.published()
      const follower = yield* readerOf(16)
      yield* followsOf(follower).follow(yield* ownerIdOf(author.accessToken))
      const { body } = yield* follower.send("POST", "/api/v1/follows/feed")
      const { status } = yield* visit(new URL(body.url).pathname)
      assert.strictEqual(status, 200)
      assert.deepStrictEqual((yield* onlyPostOf(author)).reads, { ...NOTHING, feeds: 1 })
    })
  )

  it.effect("A flush hashes each browser once, and no browser of a feed or with another cookie", () =>
    Effect.gen(function* () {
      yield* atNoon
      const { flush } = yield* Reads
      const author = yield* authorOf(17)
      const posts = [yield* author.published(), yield* author.published({ title: "On shillings" })]
      yield* flush
      /** Reads a path with a cookie of this value. */
      const as = (value: string) => (path: string) => visit(path, { headers: { cookie: `pp=${value}` } })
      const [one, other] = ["a", "b"].map((letter) => as(`ppb_${letter.repeat(43)}`))
      for (const post of posts) {
        yield* one!(pageOf(author, post))
        yield* other!(pageOf(author, post))
        yield* as(`ppb_${"c".repeat(15_000)}`)(pageOf(author, post))
      }
      yield* as(`ppb_${"d".repeat(43)}`)(`/@${author.handle}/atom.xml`)
      const encode = vi.spyOn(TextEncoder.prototype, "encode")
      yield* flush
      const hashed = encode.mock.calls.flatMap(([text = ""]) => (text.startsWith("ppb_") ? [text] : []))
      encode.mockRestore()
      assert.deepStrictEqual(
        hashed.toSorted(),
        ["a", "b"].map((letter) => `ppb_${letter.repeat(43)}`)
      )
      const { data } = yield* statsOf(author)
      assert.deepStrictEqual(
        data.map(({ reads }) => [reads.people, reads.feeds]),
        posts.map(() => [3, 1])
      )
    })
  )
})
