import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import type { PublicComments } from "../../../schemas/engagement/comments/page.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { commenterOf, discussion } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { insertComments } from "./insertComments.ts"
import { walk } from "./walking.ts"

const nowhere = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"
const invalid = (error: string) => [422, "validation", error]

let owners = 0
/** An owner of their own for each use. */
const someone = Effect.suspend(() => commenterOf(++owners))

layer(service(database("test_comments_reading")))("reading Comments", (it) => {
  it.effect("An answer is an array without a paging query, and a page with one", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id: postId } = yield* ada.published()
      const { id } = yield* ada.say(postId, "x")
      assert.strictEqual((yield* discussion(postId)).body[0].id, id)
      assert.strictEqual((yield* discussion(postId, "?utm_source=x")).body[0].id, id)
      const pagination = { limit: 50, nextCursor: null, hasMore: false }
      for (const [query, limit] of [
        ["?limit=1", 1],
        ["?limit=100", 100],
        ["?cursor=", 50],
        [`?threadRootId=${id}`, 50]
      ] as const) {
        const { body } = yield* discussion(postId, query)
        assert.deepStrictEqual(body.pagination, { ...pagination, limit }, query)
        assert.strictEqual(body.comments[0].id, id, query)
      }
      const own = yield* ada.comments(postId)
      assert.deepStrictEqual(own.body.pagination, pagination)
      assert.strictEqual(own.headers.get("cache-control"), "private, no-store")
    })
  )

  it.effect("A page has 1 to 100 Comments, and threadRootId is a UUID", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id } = yield* ada.published()
      for (const [query, error] of [
        ["?limit=0", "limit out_of_range"],
        ["?limit=101", "limit out_of_range"],
        ["?limit=-1", "limit out_of_range"],
        ["?limit=1.5", "limit invalid"],
        ["?limit=", "limit invalid"],
        ["?threadRootId=x", "threadRootId invalid"]
      ] as const) {
        assert.deepStrictEqual(refusalOf(yield* discussion(id, query)), invalid(error), query)
        assert.deepStrictEqual(refusalOf(yield* ada.comments(id, query)), invalid(error), query)
      }
    })
  )

  it.effect("A hidden, disabled or missing discussion is empty", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const isEmpty = Effect.fnUntraced(function* (id: string) {
        const page = { comments: [], pagination: { limit: 50, nextCursor: null, hasMore: false } }
        const array = yield* discussion(id)
        assert.deepStrictEqual([array.status, array.body], [200, []])
        assert.deepStrictEqual((yield* discussion(id, "?limit=50")).body, page)
        assert.deepStrictEqual((yield* ada.comments(id)).body, page)
      })
      const { id } = yield* ada.published()
      const said = yield* ada.say(id, "x")
      yield* isEmpty(nowhere)
      yield* isEmpty((yield* ada.draft()).id)
      yield* ada.unpublish(id)
      yield* isEmpty(id)
      yield* ada.publish(id, "again")
      assert.strictEqual((yield* discussion(id)).body[0].id, said.id)
      const { updatedAt } = (yield* ada.read(id)).body
      const closed = yield* ada.patch(id, { commentsEnabled: false }, { "x-post-revision": updatedAt })
      assert.strictEqual(closed.status, 200, closed.text)
      yield* isEmpty(id)
      assert.deepStrictEqual(refusalOf(yield* ada.comment(said.id)), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* discussion("x")), [404, "not_found"])
      const empty = (yield* discussion(id, `?threadRootId=${nowhere}`)).body.comments
      assert.deepStrictEqual(empty, [])
    })
  )

  it.effect("A cursor is bound to its Post and thread, and any other text is malformed", () =>
    Effect.gen(function* () {
      const ada = yield* someone
      const { id: postId } = yield* ada.published()
      const { id: otherId } = yield* ada.published()
      const roots = [yield* ada.say(postId, "1"), yield* ada.say(postId, "2")] as const
      for (const { id } of roots) yield* ada.say(postId, "reply", { parent: id })
      yield* ada.say(otherId, "1")
      const cursorOf = (query: string) =>
        Effect.map(discussion(postId, `?limit=1${query}`), ({ body }) => body.pagination.nextCursor as string)
      const whole = yield* cursorOf("")
      const thread = `&threadRootId=${roots[0].id}`
      const ofThread = yield* cursorOf(thread)
      const malformed = invalid("cursor invalid")
      const isMalformed = Effect.fnUntraced(function* (id: string, query: string) {
        assert.deepStrictEqual(refusalOf(yield* discussion(id, `?limit=1${query}`)), malformed, query)
        assert.deepStrictEqual(refusalOf(yield* ada.comments(id, `?limit=1${query}`)), malformed, query)
      })
      assert.strictEqual((yield* ada.comments(postId, `?limit=1&cursor=${whole}`)).status, 200)
      assert.strictEqual((yield* discussion(postId, `?limit=100&cursor=${whole}`)).status, 200)
      yield* isMalformed(otherId, `&cursor=${whole}`)
      yield* isMalformed(nowhere, `&cursor=${whole}`)
      yield* isMalformed(postId, `${thread}&cursor=${whole}`)
      yield* isMalformed(postId, `&cursor=${ofThread}`)
      yield* isMalformed(postId, `&threadRootId=${roots[1].id}&cursor=${ofThread}`)
      const [, key, mac] = whole.split(".")
      const [, later] = (yield* cursorOf(`&cursor=${whole}`)).split(".")
      for (const text of ["x", "1", "0", `0.${key}.${mac}`, `1.${key}`, `1.${later}.${mac}`, "%00", "é"])
        yield* isMalformed(postId, `&cursor=${text}`)
      const tooLong = yield* discussion(postId, `?cursor=${"x".repeat(401)}`)
      assert.deepStrictEqual(refusalOf(tooLong), invalid("cursor too_long"))
    })
  )

  it.effect("Pages of any size show each Comment of a discussion or thread once and in order", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      const ada = yield* someone
      const context = yield* Effect.context<SecureRandom.SecureRandom | SqlClient.SqlClient | TestClient>()
      const run = Effect.runPromiseWith(context)
      const read = (postId: string) => (query: string) =>
        client.send("GET", `/api/posts/${postId}/comments?${query}`)

      const check = Effect.fnUntraced(function* (
        said: ReadonlyArray<{ readonly tick: number; readonly parent: number; readonly hidden: boolean }>,
        limit: number
      ) {
        const { id: postId } = yield* ada.published()
        const rows = yield* insertComments(postId, said)
        const inOrder = (ids: ReadonlyArray<{ readonly id: string }>) => ids.map(({ id }) => id)
        const visible = rows.filter(({ hidden }) => !hidden)
        const met = yield* walk(read(postId), `limit=${limit}`)
        assert.deepStrictEqual(met, inOrder(visible))
        const array = (yield* discussion(postId)).body
        assert.deepStrictEqual(inOrder(array), inOrder(visible))
        for (const root of new Set(rows.map(({ root }) => root)))
          assert.deepStrictEqual(
            yield* walk(read(postId), `limit=${limit}&threadRootId=${root}`),
            inOrder(visible.filter((row) => row.root === root))
          )
        yield* sql`delete from comments where post_id = ${postId}`
      })

      // Few ticks, so that most times are shared and the id decides.
      const comments = fc.array(
        fc.record({ tick: fc.nat(3), parent: fc.integer({ min: -1, max: 30 }), hidden: fc.boolean() }),
        { maxLength: 30 }
      )
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(comments, fc.integer({ min: 1, max: 7 }), (said, limit) =>
            run(check(said, limit))
          ),
          { numRuns: 15 }
        )
      )
    })
  )

  it.effect("The array has the newest 1,000 Comments in ascending order, and at most 4 MiB of them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ada = yield* someone
      const { id: postId } = yield* ada.published()
      const rows = yield* insertComments(
        postId,
        Array.from({ length: 1003 }, (_, tick) => ({ tick, parent: -1, hidden: false }))
      )
      const ids = rows.map(({ id }) => id)
      const idsOf = Effect.map(discussion(postId), ({ body }) =>
        body.map(({ id }: { readonly id: string }) => id)
      )
      assert.deepStrictEqual(yield* idsOf, ids.slice(3))
      yield* sql`update comments set content = repeat('é', 16000) where post_id = ${postId}`
      yield* ada.say(postId, "the last")
      const [first] = yield* idsOf
      // 32,000 bytes each.
      assert.strictEqual(ids.length - ids.indexOf(first), Math.floor((4 * 1024 * 1024 - 8) / 32_000))
    })
  )

  it.effect("Kept answers immediately show every write and every change of an author", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const { id } = yield* bea.say(postId, "x")
      const first = yield* discussion(postId)
      assert.strictEqual(
        first.headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      const etag = first.headers.get("etag") ?? ""
      const again = yield* client.send("GET", `/api/posts/${postId}/comments`, {
        headers: { "if-none-match": etag }
      })
      assert.strictEqual(again.status, 304)
      yield* client.send("PATCH", "/api/v1/profile", { token: bea.key, body: { name: "Beatrice" } })
      assert.strictEqual((yield* discussion(postId)).body[0].author.name, "Beatrice")
      yield* ada.say(postId, "reply", { parent: id })
      assert.strictEqual((yield* discussion(postId)).body.length, 2)
      yield* bea.removeComment(id)
      assert.isNull((yield* discussion(postId)).body[0].content)
    })
  )

  it.effect("A viewer sees their own reaction in a private answer", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      const [ada, bea] = [yield* someone, yield* someone]
      const { id: postId } = yield* ada.published()
      const { id } = yield* ada.say(postId, "x")
      yield* sql`
        insert into reactions (owner_id, comment_id, reaction, created_at, changed_at)
        select id, ${id}, 'fire', now(), now() from owners where handle = ${bea.handle}`
      const reactionsOf = (body: typeof PublicComments.Type) =>
        ("comments" in body ? body.comments : body)[0]?.reactions.viewerReaction
      assert.isNull(reactionsOf((yield* discussion(postId)).body))
      assert.isNull(reactionsOf((yield* ada.comments(postId)).body))
      for (const query of ["", "?limit=5"]) {
        const path = `/api/posts/${postId}/comments${query}`
        const seen = yield* client.send("GET", path, { token: bea.accessToken })
        assert.strictEqual(reactionsOf(seen.body), "fire")
        assert.strictEqual(seen.headers.get("cache-control"), "private, no-store")
        assert.strictEqual((yield* client.send("GET", path, { token: "x" })).status, 401)
      }
      assert.strictEqual(reactionsOf((yield* bea.comments(postId)).body), "fire")
      assert.strictEqual((yield* bea.comment(id)).body.reactions.viewerReaction, "fire")
    })
  )
})
