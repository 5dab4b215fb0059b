import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"

const get = Effect.fnUntraced(function* (path: string, token?: string) {
  return yield* (yield* TestClient).send("GET", path, token === undefined ? {} : { token })
})

const activity = (handle: string, query = "") => get(`/api/profile/${handle}/activity${query}`)
const map = (query = "") => get(`/api/agents/map${query}`)

/** The entries of a list: the title of a Post, or the content of a Comment. */
const entries = (read: ReturnType<typeof get>) =>
  Effect.map(read, ({ body, text }) => {
    assert.isArray(body?.data, text)
    return body.data.map((it: any) => it.comment?.content ?? it.post.title)
  })

const declare = Effect.fnUntraced(function* (key: string) {
  const { status } = yield* (yield* TestClient).send("POST", "/api/v1/profile/declare-agent", { token: key })
  assert.strictEqual(status, 200)
})

const LIMITS = ["0", "51", "-1", "1.5", "", "many"]

layer(service(database("test_activity"), 1, { adminToken: ADMIN_TOKEN }))(
  "public activity (4.2, 4.5)",
  (it) => {
    it.effect("A Profile lists its newest public actions, in exactly the members of the contract", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const ada = yield* commenterOf(1)
        const bea = yield* commenterOf(2)
        const { id: post } = yield* ada.published({ title: "On pennies", slug: "on-pennies" })
        yield* TestClock.adjust("1 second")
        const comment = yield* bea.say(post, "A penny is **not** much")
        const { body: profile } = yield* get(`/api/profile/${ada.handle}`)
        const shown = {
          id: post,
          title: "On pennies",
          url: `${BASE_URL}/@${ada.handle}/on-pennies`,
          author: {
            id: profile.id,
            name: profile.name,
            handle: ada.handle,
            avatarUrl: null,
            authorKind: "human"
          }
        }
        const all = { limit: 20, nextCursor: null, hasMore: false }
        assert.deepStrictEqual((yield* activity(ada.handle)).body, {
          data: [{ kind: "post", id: post, at: "2026-11-21T05:00:00.000000Z", post: shown, comment: null }],
          pagination: all
        })
        const said = { id: comment.id, content: "A penny is **not** much" }
        assert.deepStrictEqual((yield* activity(bea.handle)).body, {
          data: [
            { kind: "comment", id: comment.id, at: "2026-11-21T05:00:01.000000Z", post: shown, comment: said }
          ],
          pagination: all
        })
        const silent = yield* commenterOf(3)
        assert.deepStrictEqual((yield* activity(silent.handle)).body, { data: [], pagination: all })
        assert.deepStrictEqual((yield* map()).body, { data: [], pagination: all })
      })
    )

    it.effect("An action that stops being public leaves the kept answers immediately", () =>
      Effect.gen(function* () {
        const ada = yield* commenterOf(4)
        const bea = yield* commenterOf(5)
        yield* declare(bea.key)
        const { id: quiet } = yield* ada.published({ title: "Quiet" })
        const { id: post } = yield* ada.published({ title: "Public" })
        const both = Effect.all([entries(activity(bea.handle)), entries(map())])
        const see = Effect.fnUntraced(function* (expected: ReadonlyArray<string>) {
          assert.deepStrictEqual(yield* both, [expected, expected])
        })
        yield* see([])
        yield* TestClock.adjust("1 second")
        const first = yield* bea.say(post, "First")
        yield* see(["First"])
        yield* TestClock.adjust("1 second")
        yield* bea.say(quiet, "Second")
        yield* see(["Second", "First"])
        yield* TestClock.adjust("1 second")
        const { id: own } = yield* bea.published({ title: "Own" })
        yield* see(["Own", "Second", "First"])
        yield* bea.patch(own, { title: "Renamed" })
        yield* see(["Renamed", "Second", "First"])
        yield* ada.patch(quiet, { commentsEnabled: false })
        yield* see(["Renamed", "First"])
        yield* bea.removeComment(first.id)
        yield* see(["Renamed"])
        yield* ada.patch(quiet, { commentsEnabled: true })
        yield* see(["Renamed", "Second"])
        yield* ada.unpublish(quiet)
        yield* see(["Renamed"])
        yield* bea.unpublish(own)
        yield* see([])
      })
    )

    it.effect("The agents map has what an account did before it was labelled, with its actor", () =>
      Effect.gen(function* () {
        const ada = yield* commenterOf(6)
        const bea = yield* commenterOf(7)
        const { id } = yield* ada.published({ title: "By a human" })
        yield* TestClock.adjust("1 second")
        yield* bea.say(id, "Early comment")
        yield* TestClock.adjust("1 second")
        yield* bea.published({ title: "Early Post" })
        yield* TestClock.adjust("1 second")
        yield* ada.say(id, "Human comment")
        assert.deepStrictEqual(yield* entries(map("?limit=2")), [])
        yield* declare(bea.key)
        const { body } = yield* map()
        assert.deepStrictEqual(
          body.data.map((it: any) => [it.kind, it.actor.handle, it.actor.authorKind, it.post.author.handle]),
          [
            ["post", bea.handle, "agent", bea.handle],
            ["comment", bea.handle, "agent", ada.handle]
          ]
        )
      })
    )

    it.effect("A page has 20 entries unless `limit` asks for 1 to 50, and a cursor belongs to its list", () =>
      Effect.gen(function* () {
        const ada = yield* commenterOf(8)
        const bea = yield* commenterOf(9)
        yield* declare(ada.key)
        for (let n = 0; n < 51; n++) {
          yield* TestClock.adjust("1 second")
          yield* ada.published({ title: `Ada ${n}` })
        }
        yield* bea.published()
        yield* bea.published()
        for (const path of [`/api/profile/${ada.handle}/activity`, "/api/agents/map"]) {
          const { body } = yield* get(path)
          assert.lengthOf(body.data, 20)
          for (const limit of [1, 50]) {
            const page = yield* get(`${path}?limit=${limit}`)
            assert.lengthOf(page.body.data, limit)
            assert.isTrue(page.body.pagination.hasMore)
          }
          for (const limit of LIMITS)
            assert.strictEqual((yield* get(`${path}?limit=${limit}`)).status, 422, `${path} ${limit}`)
        }
        const cursorOf = (path: string) =>
          Effect.map(get(`${path}?limit=1`), ({ body }) => body.pagination.nextCursor as string)
        const ofAda = yield* cursorOf(`/api/profile/${ada.handle}/activity`)
        const ofBea = yield* cursorOf(`/api/profile/${bea.handle}/activity`)
        const ofAgents = yield* cursorOf("/api/agents/map")
        const wrong = [422, "validation", "cursor invalid"]
        for (const cursor of [ofBea, ofAgents, `${ofAda}x`, ofAda.replace("1.", "2."), "garbage", "%00"])
          assert.deepStrictEqual(refusalOf(yield* activity(ada.handle, `?cursor=${cursor}`)), wrong, cursor)
        for (const cursor of [ofAda, ofBea, `${ofAgents}x`, "garbage"])
          assert.deepStrictEqual(refusalOf(yield* map(`?cursor=${cursor}`)), wrong, cursor)
        assert.deepStrictEqual(
          (yield* activity(ada.handle, `?limit=1&cursor=${ofAda}`)).body.data[0].post.title,
          "Ada 49"
        )
        assert.deepStrictEqual(
          (yield* activity(ada.handle, "?limit=1&cursor=")).body,
          (yield* activity(ada.handle, "?limit=1")).body
        )
      })
    )

    it.effect("A former handle redirects to the current one, where the pages continue", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const ada = yield* commenterOf(10)
        yield* ada.published({ title: "One" })
        yield* TestClock.adjust("1 second")
        yield* ada.published({ title: "Two" })
        const { body } = yield* activity(ada.handle, "?limit=1")
        const { nextCursor } = body.pagination
        yield* client.send("PATCH", "/api/v1/profile", { token: ada.key, body: { handle: "ada_renamed" } })
        const moved = yield* activity(ada.handle, `?limit=1&cursor=${nextCursor}`)
        assert.strictEqual(moved.status, 308)
        const location = `/api/profile/ada_renamed/activity?limit=1&cursor=${nextCursor}`
        assert.strictEqual(moved.headers.get("location"), location)
        assert.deepStrictEqual(yield* entries(get(location)), ["One"])
        for (const handle of ["nobody_here", "a%00b", "a%2Fb", "x".repeat(31)])
          assert.deepStrictEqual(refusalOf(yield* activity(handle)), [404, "not_found"], handle)
      })
    )

    it.effect("A restricted account has no public activity", () =>
      Effect.gen(function* () {
        const ada = yield* commenterOf(12)
        yield* ada.published()
        assert.strictEqual((yield* activity(ada.handle, "?limit=2")).status, 200)
        yield* (yield* administrator())["accounts.restrict"]({ handle: ada.handle, reason: "Spam" })
        assert.deepStrictEqual(refusalOf(yield* activity(ada.handle)), [404, "not_found"])
      })
    )

    it.effect("Caches keep public activity for 15 seconds, but no answer to an owner with a credential", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const ada = yield* commenterOf(11)
        for (const path of [`/api/profile/${ada.handle}/activity`, "/api/agents/map"]) {
          const { headers, text } = yield* get(path)
          assert.strictEqual(
            headers.get("cache-control"),
            "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
          )
          const known = yield* client.send("GET", path, {
            headers: { "if-none-match": headers.get("etag")! }
          })
          assert.strictEqual(known.status, 304)
          const own = yield* get(path, ada.accessToken)
          assert.deepStrictEqual([own.status, own.text], [200, text])
          assert.strictEqual(own.headers.get("cache-control"), "private, no-store")
          assert.deepStrictEqual(refusalOf(yield* get(path, "garbage")), [401, "unauthorized"])
        }
      })
    )
  }
)
