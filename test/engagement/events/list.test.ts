import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Events } from "../../../src/platform/events/Events.ts"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { dispatch, listenerOf } from "./listening.ts"

layer(service(database("test_event_list")))("the list of events", (it) => {
  it.effect("Pages follow each other without a gap, and the last cursor waits for what comes", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const listener = yield* listenerOf(author)
      let after: string = (yield* listener.page()).pagination.nextCursor
      for (let n = 0; n < 5; n++) yield* author.published({ title: `Post ${n}` })
      yield* dispatch
      const seen: Array<number> = []
      for (const hasMore of [true, true, false]) {
        const page = yield* listener.page({ after, limit: "2" })
        assert.strictEqual(page.pagination.hasMore, hasMore)
        seen.push(...page.data.map(({ sequence }: any) => sequence))
        after = page.pagination.nextCursor
      }
      assert.deepStrictEqual(seen, [1, 2, 3, 4, 5])
      assert.deepStrictEqual((yield* listener.page({ after })).data, [])
      yield* author.published({ title: "New" })
      yield* dispatch
      assert.deepStrictEqual(
        (yield* listener.page({ after })).data.map(({ sequence }: any) => sequence),
        [6]
      )
    })
  )

  it.effect("A list of some types passes the others", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const listener = yield* listenerOf(author)
      yield* listener.page()
      const { id } = yield* author.published()
      yield* author.unpublish(id)
      yield* author.publish(id, "again")
      yield* dispatch
      const page = yield* listener.page({ types: "post.unpublished,tip.settled" })
      assert.deepStrictEqual(
        page.data.map(({ type }: any) => type),
        ["post.unpublished"]
      )
      const { nextCursor } = page.pagination
      assert.deepStrictEqual((yield* listener.page({ after: nextCursor })).data, [])
      const wrong = yield* listener.list({ types: "post.publish" })
      assert.strictEqual(wrong.status, 422)
    })
  )

  it.effect("A call without news runs two statements, and one that starts the recording three", () =>
    Effect.gen(function* () {
      const listener = yield* listenerOf(yield* authorOf(3))
      const first = yield* statementsOf(listener.list())
      const second = yield* statementsOf(listener.list())
      assert.deepStrictEqual([first.statements.length, second.statements.length], [3, 2])
    })
  )

  it.effect("A cursor of another owner or list is refused, and so is a Publishing key", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(4)
      const { nextCursor } = (yield* (yield* listenerOf(author)).page()).pagination
      const other = yield* listenerOf(yield* authorOf(5))
      for (const after of [nextCursor, "1.made.up"])
        assert.deepStrictEqual(refusalOf(yield* other.list({ after })), [422, "validation", "after invalid"])
      const answer = yield* client.send("GET", "/api/v1/events", { token: author.key })
      assert.strictEqual(answer.status, 401)
    })
  )

  it.effect("Events and cursors end after 30 days, and so does the recording without a call", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { sweep } = yield* Events
      const author = yield* authorOf(6)
      // A session ends before an event does.
      const signedIn = Effect.flatMap(signIn(6), listenerOf)
      const { nextCursor: begin } = (yield* (yield* signedIn).page()).pagination
      const { id } = yield* author.published()
      yield* dispatch
      assert.lengthOf((yield* (yield* signedIn).page({ after: begin })).data, 1)
      yield* TestClock.adjust("29 days")
      yield* sweep
      assert.lengthOf((yield* (yield* signedIn).page({ after: begin })).data, 1)
      yield* TestClock.adjust("1 day")
      yield* TestClock.adjust("1 minute")
      yield* sweep
      const gone = yield* (yield* signedIn).list({ after: begin })
      assert.deepStrictEqual(refusalOf(gone), [410, "resource-gone"])
      assert.isNull(gone.body.oldest)
      assert.isEmpty((yield* (yield* signedIn).page()).data)
      // The numbers go on after the last one.
      yield* author.unpublish(id)
      yield* dispatch
      assert.deepStrictEqual(
        (yield* (yield* signedIn).page()).data.map(({ sequence }: any) => sequence),
        [2]
      )
      yield* TestClock.adjust("32 days")
      yield* author.publish(id, "again")
      yield* sweep
      const owner = yield* ownerIdOf((yield* signIn(6)).accessToken)
      assert.isEmpty(yield* sql`select from events where owner_id = ${owner}`)
    })
  )
})
