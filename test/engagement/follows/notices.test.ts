import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { DAY_MILLIS } from "../../../src/platform/time/now.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

/** Returns the number of notifications of this follower that a creator got. */
const toldOf = Effect.fnUntraced(function* (creator: OwnerId, follower: OwnerId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select from notifications
    where type = 'new_follow' and recipient_id = ${creator} and actor_id = ${follower} and follower_id = ${follower}`
  return rows.length
})

const pairOf = Effect.fnUntraced(function* (number: number) {
  const follower = yield* insertOwner(number)
  const creator = yield* insertOwner(number + 1)
  const follows = yield* Follows
  return {
    follow: follows.save(sessionOf(follower), creator, true),
    unfollow: follows.save(sessionOf(follower), creator, false),
    told: toldOf(creator, follower)
  }
})

layer(service(database("test_follows_notices")))("new_follow", (it) => {
  it.effect("A new follow notifies the creator, and a repeat does not", () =>
    Effect.gen(function* () {
      const { follow, told } = yield* pairOf(1)
      assert.strictEqual(yield* told, 0)
      yield* follow
      assert.strictEqual(yield* told, 1)
      yield* TestClock.adjust("3 days")
      yield* follow
      assert.strictEqual(yield* told, 1)
    })
  )

  it.effect("A renewed follow is silent until 24 hours after the end of the former one", () =>
    Effect.gen(function* () {
      const { follow, told, unfollow } = yield* pairOf(3)
      yield* follow
      yield* TestClock.adjust("3 days")
      yield* unfollow
      yield* TestClock.adjust(DAY_MILLIS - 1)
      yield* follow
      assert.strictEqual(yield* told, 1)
      yield* unfollow
      yield* TestClock.adjust(DAY_MILLIS)
      yield* follow
      assert.strictEqual(yield* told, 2)
    })
  )

  it.effect("The end of a follow notifies no one, and a repeated end does not shorten the silence", () =>
    Effect.gen(function* () {
      const { follow, told, unfollow } = yield* pairOf(5)
      yield* follow
      yield* unfollow
      yield* TestClock.adjust("23 hours")
      yield* unfollow
      yield* TestClock.adjust("1 hour")
      yield* follow
      assert.strictEqual(yield* told, 2)
    })
  )

  it.effect("Ten follows and ends within one moment notify once", () =>
    Effect.gen(function* () {
      const { follow, told, unfollow } = yield* pairOf(7)
      for (let n = 0; n < 10; n++) {
        yield* follow
        yield* unfollow
      }
      assert.strictEqual(yield* told, 1)
    })
  )
})
