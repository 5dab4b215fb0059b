import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { reactorOf, readReactions, summary } from "./reacting.ts"

const UNKNOWN = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"

layer(service(database("test_reactions")))("reactions to Posts", (it) => {
  it.effect("A request sets the one reaction of an owner, replaces it, or clears it", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(1)).published()
      const bea = yield* reactorOf(11)
      const cleo = yield* reactorOf(12)
      const empty = { summary: summary({}), reaction: null, reactors: [], pagination: null }
      assert.deepStrictEqual((yield* bea.read(id)).body, empty)

      assert.deepStrictEqual((yield* bea.react(id, "heart")).body, {
        summary: summary({ heart: 1 }, "heart")
      })
      assert.deepStrictEqual((yield* bea.react(id, "heart")).body, {
        summary: summary({ heart: 1 }, "heart")
      })
      assert.deepStrictEqual((yield* cleo.react(id, "fire")).body, {
        summary: summary({ heart: 1, fire: 1 }, "fire")
      })
      assert.deepStrictEqual((yield* bea.react(id, "clap")).body, {
        summary: summary({ clap: 1, fire: 1 }, "clap")
      })
      assert.deepStrictEqual((yield* cleo.react(id, null)).body, { summary: summary({ clap: 1 }) })
      assert.deepStrictEqual((yield* cleo.react(id, null)).body, { summary: summary({ clap: 1 }) })
      assert.deepStrictEqual((yield* bea.read(id)).body.summary, summary({ clap: 1 }, "clap"))
    })
  )

  it.effect("Counts are exact before and after the worker adds them, and lists show them afterwards", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(2)).published()
      const client = yield* TestClient
      const counted = Effect.map(client.send("GET", `/api/posts/${id}`), ({ body }) => body.counts.reactions)
      const bea = yield* reactorOf(11)
      yield* bea.react(id, "thumbs_up")
      yield* (yield* reactorOf(12)).react(id, "thumbs_up")
      assert.deepStrictEqual((yield* readReactions(id)).body.summary, summary({ thumbs_up: 2 }))
      assert.strictEqual(yield* counted, 0)
      yield* (yield* Counters).add
      assert.strictEqual(yield* counted, 2)
      assert.deepStrictEqual((yield* readReactions(id)).body.summary, summary({ thumbs_up: 2 }))
      yield* bea.react(id, "fire")
      assert.deepStrictEqual((yield* bea.read(id)).body.summary, summary({ thumbs_up: 1, fire: 1 }, "fire"))
    })
  )

  it.effect("A kept answer ends with the counters, even when two changes cancel each other", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(3)).published()
      const counters = yield* Counters
      const bea = yield* reactorOf(11)
      const cleo = yield* reactorOf(12)
      yield* bea.react(id, "heart")
      yield* counters.add
      const hearts = Effect.map(readReactions(id, "?reaction=heart"), ({ body }) =>
        body.reactors.map(({ profile }: any) => profile.handle)
      )
      const before = yield* hearts
      assert.lengthOf(before, 1)
      yield* bea.react(id, null)
      yield* cleo.react(id, "heart")
      assert.deepStrictEqual(yield* hearts, before)
      yield* counters.add
      const after = yield* hearts
      assert.lengthOf(after, 1)
      assert.notDeepEqual(after, before)
    })
  )

  it.effect("Reactors come only with a filter, the newest first, page by page", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(4)).published()
      const handles: Array<string> = []
      for (let number = 21; number <= 25; number++) {
        const reader = yield* reactorOf(number)
        yield* TestClock.adjust("1 second")
        yield* reader.react(id, "clap")
        const { body } = yield* reader.read(id, "?reaction=clap&limit=1")
        assert.strictEqual(body.summary.viewerReaction, "clap")
        const [{ profile, reactedAt, reaction }] = body.reactors
        assert.hasAllKeys(profile, ["id", "name", "handle", "avatarUrl", "authorKind"])
        assert.strictEqual(reaction, "clap")
        assert.match(reactedAt, /^1970-01-01T/)
        handles.unshift(profile.handle)
      }
      yield* (yield* reactorOf(26)).react(id, "fire")
      const page = Effect.fnUntraced(function* (query: string) {
        const { body } = yield* readReactions(id, `?reaction=clap${query}`)
        return [body.reactors.map(({ profile }: any) => profile.handle), body.pagination]
      })
      assert.deepStrictEqual(yield* page(""), [handles, { limit: 40, offset: 0, hasMore: false }])
      assert.deepStrictEqual(yield* page("&limit=5"), [handles, { limit: 5, offset: 0, hasMore: false }])
      assert.deepStrictEqual(yield* page("&limit=2&offset=2"), [
        handles.slice(2, 4),
        { limit: 2, offset: 2, hasMore: true }
      ])
      assert.deepStrictEqual(yield* page("&limit=100&offset=5"), [
        [],
        { limit: 100, offset: 5, hasMore: false }
      ])
      const { body } = yield* readReactions(id, "?limit=2&offset=1")
      assert.deepStrictEqual(body, {
        summary: summary({ clap: 5, fire: 1 }),
        reaction: null,
        reactors: [],
        pagination: null
      })
      // An owner with another reaction is the newest with that one.
      const first = yield* reactorOf(21)
      yield* TestClock.adjust("1 second")
      yield* first.react(id, "fire")
      yield* TestClock.adjust("1 second")
      yield* first.react(id, "clap")
      const again = yield* readReactions(id, "?reaction=clap&limit=100")
      assert.strictEqual(again.body.reactors[0].profile.handle, handles.at(-1))
    })
  )

  it.effect("Reactions of a restricted account are counted and not shown", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(8)).published()
      for (const number of [31, 32, 33]) yield* (yield* reactorOf(number)).react(id, "fire")
      const page = Effect.fnUntraced(function* (query: string) {
        const { body } = yield* (yield* reactorOf(34)).read(id, `?reaction=fire${query}`)
        return [body.reactors.length, body.summary.total, body.pagination.hasMore]
      })
      assert.deepStrictEqual(yield* page("&limit=2"), [2, 3, true])
      const { body } = yield* readReactions(id, "?reaction=fire&limit=1")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = 'epoch' where id = ${body.reactors[0].profile.id}`
      assert.deepStrictEqual(yield* page("&limit=2"), [1, 3, true])
      assert.deepStrictEqual(yield* page("&limit=2&offset=2"), [1, 3, false])
      assert.deepStrictEqual(yield* page(""), [2, 3, false])
    })
  )

  it.effect("Reactions to one's own Post or to a Post that is not public are refused", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(5)
      const { id } = yield* author.published()
      const client = yield* TestClient
      const own = (body: object) =>
        client.send("PUT", `/api/v1/posts/${id}/reactions`, { token: author.accessToken, body })
      assert.deepStrictEqual(refusalOf(yield* own({ reaction: "heart" })), [403, "own_target"])
      assert.deepStrictEqual(refusalOf(yield* own({ reaction: null })), [403, "own_target"])
      assert.deepStrictEqual((yield* readReactions(id)).body.summary, summary({}))

      const bea = yield* reactorOf(11)
      yield* bea.react(id, "heart")
      yield* author.unpublish(id)
      const draft = yield* author.draft()
      for (const missing of [id, draft.id, UNKNOWN]) {
        for (const refused of [
          bea.react(missing, "fire"),
          bea.react(missing, null),
          bea.read(missing),
          bea.read(missing, "?reaction=heart"),
          readReactions(missing),
          readReactions(missing, "", { token: author.accessToken })
        ])
          assert.deepStrictEqual(refusalOf(yield* refused), [404, "not_found"])
      }
      assert.deepStrictEqual(refusalOf(yield* readReactions("none")), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* bea.react("none", "fire")), [
        422,
        "validation",
        "postId invalid"
      ])

      // Earlier reactions come back with the Post, and go with it.
      yield* author.publish(id, `again-${id}`)
      assert.deepStrictEqual((yield* bea.read(id)).body.summary, summary({ heart: 1 }, "heart"))
      yield* author.unpublish(id)
      yield* author.remove(id)
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`select from reactions where target_id = ${id}`)
    })
  )

  it.effect("A request that is not one reaction is refused", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorOf(6)).published()
      const bea = yield* reactorOf(11)
      for (const [body, ...errors] of [
        [{}, "reaction required"],
        [{ reaction: "HEART" }, "reaction invalid"],
        [{ reaction: "" }, "reaction invalid"],
        [{ reaction: ["heart"] }, "reaction invalid"],
        [{ reaction: "heart", until: 1 }, "until unknown"]
      ] as const)
        assert.deepStrictEqual(refusalOf(yield* bea.put(id, body)), [422, "validation", ...errors])
      for (const [query, error] of [
        ["reaction=love", "reaction invalid"],
        ["reaction=heart&limit=0", "limit out_of_range"],
        ["reaction=heart&limit=101", "limit out_of_range"],
        ["reaction=heart&offset=-1", "offset out_of_range"],
        ["reaction=heart&offset=100001", "offset out_of_range"]
      ] as const)
        for (const refused of [bea.read(id, `?${query}`), readReactions(id, `?${query}`)])
          assert.deepStrictEqual(refusalOf(yield* refused), [422, "validation", error])
      assert.strictEqual((yield* readReactions(id, "?reaction=heart&limit=1&offset=100000")).status, 200)
    })
  )

  it.effect("Reactions need an owner session, and public reads refuse a wrong credential", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const { id } = yield* author.published()
      const client = yield* TestClient
      const put = (token?: string) =>
        client.send("PUT", `/api/v1/posts/${id}/reactions`, {
          body: { reaction: "heart" },
          ...(token === undefined ? {} : { token })
        })
      for (const token of [undefined, "wrong", author.key])
        assert.deepStrictEqual(refusalOf(yield* put(token)), [401, "unauthorized"])
      assert.deepStrictEqual(refusalOf(yield* readReactions(id, "", { token: "wrong" })), [
        401,
        "unauthorized"
      ])

      const bea = yield* reactorOf(11)
      yield* bea.react(id, "heart")
      const anonymous = yield* readReactions(id, "?reaction=heart")
      assert.strictEqual(
        anonymous.headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      assert.isNull(anonymous.body.summary.viewerReaction)
      const etag = String(anonymous.headers.get("etag"))
      const known = yield* readReactions(id, "?reaction=heart", { headers: { "if-none-match": etag } })
      assert.strictEqual(known.status, 304)
      const viewer = yield* readReactions(id, "?reaction=heart", { token: bea.token })
      assert.strictEqual(viewer.headers.get("cache-control"), "private, no-store")
      assert.deepStrictEqual(viewer.body.summary, summary({ heart: 1 }, "heart"))
      for (const own of [yield* bea.read(id, "?reaction=heart"), yield* bea.react(id, "heart")])
        assert.strictEqual(own.headers.get("cache-control"), "private, no-store")
      assert.deepStrictEqual((yield* bea.read(id, "?reaction=heart")).body, viewer.body)
    })
  )
})
