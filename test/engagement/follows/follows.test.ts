import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../support/actors/author.ts"
import { publisher } from "../../support/actors/owner.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { followerAndCreator, followsOf } from "./follower.ts"

const UNKNOWN = "00000000-0000-4000-8000-00000000ffff"

layer(service(database("test_follows")))("follows (4.6)", (it) => {
  it.effect("PUT sets the desired state of a follow, and GET returns it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const { creator, follower } = yield* followerAndCreator(1)
      const none = { following: false, follow: null }
      assert.deepStrictEqual((yield* follower.read(creator.id)).body, none)
      yield* follower.unfollow(creator.id)

      const { body, headers, status } = yield* follower.put(creator.id, { following: true })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      const follow = {
        id: body.follow.id,
        creator_id: creator.id,
        created_at: "2026-11-21T05:00:00.000000Z",
        notify_new_posts: true,
        notify_channel_email: false,
        notify_channel_inapp: true
      }
      assert.deepStrictEqual(body, { following: true, follow })
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual((yield* follower.put(creator.id, { following: true })).body, body)
      assert.deepStrictEqual((yield* follower.read(creator.id)).body, body)
      yield* follower.unfollow(creator.id)
      yield* follower.unfollow(creator.id)
      const read = yield* follower.read(creator.id)
      assert.deepStrictEqual(read.body, none)
      assert.strictEqual(read.headers.get("cache-control"), "private, no-store")
    })
  )

  it.effect("A repeated follow changes no row", () =>
    Effect.gen(function* () {
      const { creator, follower } = yield* followerAndCreator(3)
      yield* follower.follow(creator.id)
      const sql = yield* SqlClient.SqlClient
      const version = sql`select xmin::text, ctid::text from follows where creator_id = ${creator.id}`
      const before = yield* version
      assert.lengthOf(before, 1)
      yield* follower.follow(creator.id)
      assert.deepStrictEqual(yield* version, before)
    })
  )

  it.effect("A renewed follow keeps its id and preferences, and gets a new time", () =>
    Effect.gen(function* () {
      const { creator, follower } = yield* followerAndCreator(5)
      const first = yield* follower.follow(creator.id)
      yield* follower.putPreferences(first.id, { notify_new_posts: false, notify_channel_email: true })
      yield* follower.unfollow(creator.id)
      yield* TestClock.adjust("1 minute")
      const again = yield* follower.follow(creator.id)
      assert.deepStrictEqual(
        { ...again, created_at: first.created_at },
        { ...first, notify_new_posts: false, notify_channel_email: true }
      )
      assert.isAbove(Date.parse(again.created_at), Date.parse(first.created_at))
    })
  )

  it.effect("Following oneself is answered with 400, and ending no follow is not an error", () =>
    Effect.gen(function* () {
      const { follower } = yield* followerAndCreator(7)
      const refused = yield* follower.put(follower.id, { following: true })
      assert.deepStrictEqual(refusalOf(refused), [400, "self_follow"])
      assert.deepStrictEqual((yield* follower.read(follower.id)).body, { following: false, follow: null })
      yield* follower.unfollow(follower.id)
    })
  )

  it.effect("An unknown creator is 404, and a malformed id is 422", () =>
    Effect.gen(function* () {
      const { follower } = yield* followerAndCreator(9)
      assert.deepStrictEqual(refusalOf(yield* follower.read(UNKNOWN)), [404, "not_found"])
      for (const following of [true, false])
        assert.deepStrictEqual(refusalOf(yield* follower.put(UNKNOWN, { following })), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* follower.read("someone")), [
        422,
        "validation",
        "creatorId invalid"
      ])
    })
  )

  it.effect("The id of a creator may be in upper case", () =>
    Effect.gen(function* () {
      const { creator, follower } = yield* followerAndCreator(11)
      const { body } = yield* follower.put(creator.id.toUpperCase(), { following: true })
      assert.strictEqual(body.follow.creator_id, creator.id)
      const own = yield* follower.put(follower.id.toUpperCase(), { following: true })
      assert.deepStrictEqual(refusalOf(own), [400, "self_follow"])
    })
  )

  it.effect("A body that is not the desired state is refused", () =>
    Effect.gen(function* () {
      const { creator, follower } = yield* followerAndCreator(13)
      for (const [body, error] of [
        [{}, "following required"],
        [{ following: null }, "following invalid"],
        [{ following: "true" }, "following invalid"],
        [{ following: true, notify_new_posts: true }, "notify_new_posts unknown"]
      ] as const)
        assert.deepStrictEqual(refusalOf(yield* follower.put(creator.id, body)), [422, "validation", error])
      assert.isFalse((yield* follower.read(creator.id)).body.following)
    })
  )

  it.effect("Neither a Publishing key nor a caller without a credential can act as a reader", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { key } = yield* publisher(15)
      const { id } = yield* readerOf(16)
      for (const token of [{ token: key }, {}])
        for (const [method, path, body] of [
          ["GET", id, undefined],
          ["PUT", id, { following: true }],
          ["GET", `preferences/${id}`, undefined],
          ["PUT", `preferences/${id}`, { notify_new_posts: true }]
        ] as const) {
          const answer = yield* client.send(method, `/api/v1/follows/${path}`, { ...token, body })
          assert.deepStrictEqual(refusalOf(answer), [401, "unauthorized"])
        }
    })
  )
})

layer(service(database("test_follows_preferences")))("follow preferences (4.6.5)", (it) => {
  it.effect("PUT takes any nonempty part and answers the saved preferences, which GET returns", () =>
    Effect.gen(function* () {
      const { creator, follower } = yield* followerAndCreator(1)
      const follow = yield* follower.follow(creator.id)
      assert.deepStrictEqual((yield* follower.readPreferences(follow.id)).body, follow)
      const expected = { ...follow }
      for (const part of [
        { notify_new_posts: false },
        { notify_channel_email: true },
        { notify_channel_inapp: false },
        { notify_channel_inapp: false },
        { notify_new_posts: true, notify_channel_email: false, notify_channel_inapp: true }
      ]) {
        Object.assign(expected, part)
        const saved = yield* follower.putPreferences(follow.id, part)
        assert.strictEqual(saved.status, 200)
        assert.deepStrictEqual(saved.body, expected)
        assert.strictEqual(saved.headers.get("cache-control"), "private, no-store")
        assert.deepStrictEqual((yield* follower.readPreferences(follow.id)).body, expected)
      }
      assert.deepStrictEqual((yield* follower.read(creator.id)).body.follow, expected)
    })
  )

  it.effect("An unknown or non-boolean key is a 400 that names it, and an empty part is a 400", () =>
    Effect.gen(function* () {
      const { creator, follower } = yield* followerAndCreator(3)
      const follow = yield* follower.follow(creator.id)
      for (const [body, ...errors] of [
        [{}, "body invalid"],
        [undefined, "body invalid"],
        [[], "body invalid"],
        ["null", "body invalid"],
        [{ notify_new_post: true }, "notify_new_post unknown"],
        [{ notify_new_posts: true, id: follow.id }, "id unknown"],
        [{ notify_new_posts: 1 }, "notify_new_posts invalid"],
        [{ notify_new_posts: "true" }, "notify_new_posts invalid"],
        [{ notify_channel_email: null }, "notify_channel_email invalid"],
        [{ notify_channel_email: null, x: 1 }, "notify_channel_email invalid", "x unknown"],
        ['{"__proto__": true}', "__proto__ unknown"]
      ] as const) {
        const refused = yield* follower.putPreferences(follow.id, body)
        const [status, code, ...found] = refusalOf(refused)
        const said = JSON.stringify(body)
        assert.deepStrictEqual([status, code], [400, "invalid_members"], said)
        assert.sameMembers(found as Array<string>, errors, said)
      }
      assert.deepStrictEqual(refusalOf(yield* follower.putPreferences(follow.id, "{")), [
        400,
        "malformed_json"
      ])
      assert.deepStrictEqual((yield* follower.readPreferences(follow.id)).body, follow)
    })
  )

  it.effect("A foreign follow and an ended one are 404", () =>
    Effect.gen(function* () {
      const { creator, follower } = yield* followerAndCreator(5)
      const follow = yield* follower.follow(creator.id)
      const others = [yield* readerOf(7), creator]
      for (const other of others.map(followsOf)) {
        assert.deepStrictEqual(refusalOf(yield* other.readPreferences(follow.id)), [404, "not_found"])
        const refused = yield* other.putPreferences(follow.id, { notify_new_posts: false })
        assert.deepStrictEqual(refusalOf(refused), [404, "not_found"])
      }
      assert.deepStrictEqual((yield* follower.readPreferences(follow.id)).body, follow)
      yield* follower.unfollow(creator.id)
      assert.deepStrictEqual(refusalOf(yield* follower.readPreferences(follow.id)), [404, "not_found"])
      const ended = yield* follower.putPreferences(follow.id, { notify_new_posts: false })
      assert.deepStrictEqual(refusalOf(ended), [404, "not_found"])
      assert.deepStrictEqual(refusalOf(yield* follower.readPreferences(UNKNOWN)), [404, "not_found"])
      assert.isTrue((yield* follower.follow(creator.id)).notify_new_posts)
    })
  )
})
