import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { authorOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { readerOf } from "../reader.ts"

const fanoutsOf = Effect.fnUntraced(function* (post: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select type, actor_id from notification_fanouts where post_id = ${post}`
})

layer(service(database("test_notices_first_publication")))("followers of an author", (it) => {
  it.effect("Followers are notified of the first publication of a Post, but of no later one", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const author = yield* authorOf(1)
      const [creator, reader] = yield* Effect.all([readerOf(1), readerOf(2)])
      yield* reader.send("PUT", `/follows/${creator.id}`, { following: true })
      const { id } = yield* author.draft()
      assert.deepStrictEqual(yield* fanoutsOf(id), [])
      yield* author.publish(id, "one")
      assert.lengthOf(yield* fanoutsOf(id), 1)
      yield* author.publish(id, "one")
      yield* author.publish(id, "two")
      yield* author.unpublish(id)
      yield* author.publish(id, "three")
      assert.lengthOf(yield* fanoutsOf(id), 1)
    })
  )

  it.effect("An author without followers causes no fan-out", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(3)
      const [creator, reader] = yield* Effect.all([readerOf(3), readerOf(4)])
      yield* reader.send("PUT", `/follows/${creator.id}`, { following: true })
      yield* reader.send("PUT", `/follows/${creator.id}`, { following: false })
      const { id } = yield* author.published()
      assert.deepStrictEqual(yield* fanoutsOf(id), [])
    })
  )
})
