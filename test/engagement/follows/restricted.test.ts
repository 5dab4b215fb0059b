import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { allChooseRankings, refreshDue } from "../leaderboards/refresh.ts"
import { followerAndCreator, followsOf } from "./follower.ts"

const because = { actor: "Mo", reason: "Sells what others wrote" }

const get = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* TestClient).send("GET", `/api/${path}`)
})

layer(service(database("test_follows_restricted"), 1, { adminToken: ADMIN_TOKEN }))(
  "a restricted account",
  (it) => {
    it.effect("A restricted creator has no lists and no new followers, and old followers may leave", () =>
      Effect.gen(function* () {
        const { creator, follower } = yield* followerAndCreator(1)
        const other = followsOf(yield* readerOf(3))
        const follow = yield* follower.follow(creator.id)
        const paths = [`followers/${creator.id}`, `following/${creator.id}`, `follows/counts/${creator.id}`]
        for (const path of paths) assert.strictEqual((yield* get(path)).status, 200)
        yield* (yield* administrator())["accounts.restrict"]({ handle: creator.handle, ...because })

        for (const path of paths) assert.deepStrictEqual(refusalOf(yield* get(path)), [404, "not_found"])
        const refused = yield* other.put(creator.id, { following: true })
        assert.deepStrictEqual(refusalOf(refused), [404, "not_found"])
        assert.deepStrictEqual((yield* follower.put(creator.id, { following: true })).body.follow, follow)
        assert.deepStrictEqual((yield* follower.readPreferences(follow.id)).body, follow)
        yield* follower.unfollow(creator.id)
        const again = yield* follower.put(creator.id, { following: true })
        assert.deepStrictEqual(refusalOf(again), [404, "not_found"])

        yield* (yield* administrator())["accounts.unrestrict"]({ handle: creator.handle, ...because })
        yield* follower.follow(creator.id)
        assert.strictEqual((yield* get(paths[0]!)).body.total, 1)
      })
    )

    it.effect("A restricted follower is left out of the lists of others and does not follow", () =>
      Effect.gen(function* () {
        const { creator, follower } = yield* followerAndCreator(5)
        const kept = yield* readerOf(7)
        yield* follower.follow(creator.id)
        yield* followsOf(kept).follow(creator.id)
        const listed = Effect.map(get(`followers/${creator.id}`), ({ body }) => [
          body.total,
          ...body.data.map(({ id }: { readonly id: string }) => id).toSorted()
        ])
        assert.deepStrictEqual(yield* listed, [2, ...[kept.id, follower.id].toSorted()])
        yield* (yield* administrator())["accounts.restrict"]({ handle: follower.handle, ...because })
        assert.deepStrictEqual(yield* listed, [2, kept.id])
        const refused = yield* follower.put(creator.id, { following: false })
        assert.deepStrictEqual(refusalOf(refused), [403, "account_restricted"])
        yield* (yield* administrator())["accounts.unrestrict"]({ handle: follower.handle, ...because })
        assert.deepStrictEqual(yield* listed, [2, ...[kept.id, follower.id].toSorted()])
      })
    )

    it.effect(
      "A restricted owner leaves leaderboards immediately, and the ranks adjust at the next refresh",
      () =>
        Effect.gen(function* () {
          const { creator, follower } = yield* followerAndCreator(9)
          const other = yield* readerOf(11)
          yield* follower.follow(creator.id)
          yield* followsOf(creator).follow(other.id)
          yield* follower.follow(other.id)
          yield* allChooseRankings
          yield* refreshDue
          const ranks = Effect.map(get("leaderboards?board=creator_followers&period=week"), ({ body }) =>
            body.rows
              .filter(({ profile }: any) => [creator.id, other.id].includes(profile.id))
              .map(({ profile, rank }: any) => [profile.id, rank])
          )
          const [first, second] = yield* ranks
          assert.deepStrictEqual([first[0], second[0]], [other.id, creator.id])
          assert.isBelow(first[1], second[1])
          yield* (yield* administrator())["accounts.restrict"]({ handle: other.handle, ...because })
          assert.deepStrictEqual(yield* ranks, [second])
          yield* TestClock.adjust("5 minutes")
          yield* refreshDue
          assert.deepStrictEqual(yield* ranks, [[creator.id, second[1] - 1]])
        })
    )
  }
)
