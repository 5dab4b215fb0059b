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

const unpublished = {
  post: {
    id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e",
    slug: "a",
    title: "A",
    formerUrl: "https://press.test/a"
  },
  by: "author"
}

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

  it.effect("An event that cannot be numbered, or that a later release recorded, holds up no other", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(20)
      const listener = yield* listenerOf(author)
      yield* listener.page()
      const owner = yield* ownerIdOf(author.accessToken)
      const sql = yield* SqlClient.SqlClient
      const insert = (id: number, type: string, subject: string) => sql`
        insert into events (id, created_at, owner_id, type, subject_id, data, due_at)
        values (${`00000000-0000-7000-8000-00000000000${id}`}, '1970-01-01', ${owner}, ${type}, ${subject}, ${JSON.stringify(unpublished)}::jsonb,
          '1970-01-01')`
      const subject = "00000000-0000-7000-8000-000000000000"
      const bad = sql.literal(`subject_id <> '${subject}'`)
      yield* sql`alter table events add constraint broken check (sequence is null or ${bad})`
      yield* insert(1, "post.unpublished", subject)
      yield* insert(2, "post.invented", subject)
      for (const title of ["a", "b", "c"]) yield* author.published({ title })
      yield* dispatch
      const sequences = Effect.map(listener.page(), ({ data }) => data.map(({ sequence }: any) => sequence))
      assert.deepStrictEqual(yield* sequences, [1, 2, 3])
      const waiting = sql`select type from events where owner_id = ${owner} and sequence is null order by id`
      assert.deepStrictEqual(yield* waiting, [{ type: "post.unpublished" }, { type: "post.invented" }])

      // It is tried again in an hour.
      yield* sql`alter table events drop constraint broken`
      yield* dispatch
      assert.deepStrictEqual(yield* sequences, [1, 2, 3])
      yield* TestClock.adjust("1 hour")
      const later = yield* authorOf(20)
      yield* dispatch
      assert.lengthOf((yield* (yield* listenerOf(later)).page()).data, 4)
    })
  )

  it.effect("A cursor from after the restored backup of a database is gone", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(21)
      const listener = yield* listenerOf(author)
      yield* listener.page()
      yield* author.published()
      yield* author.published()
      yield* dispatch
      const { nextCursor } = (yield* listener.page()).pagination
      const sql = yield* SqlClient.SqlClient
      const owner = yield* ownerIdOf(author.accessToken)
      yield* sql`delete from events where owner_id = ${owner} and sequence = 2`
      yield* sql`update event_listeners set last_sequence = 1 where owner_id = ${owner}`
      const gone = yield* listener.list({ after: nextCursor })
      assert.strictEqual(gone.status, 410)
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

  it.effect("Events end after 30 days even when a clock that was ahead made their ids", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { sweep } = yield* Events
      const author = yield* authorOf(7)
      const listener = yield* listenerOf(author)
      yield* listener.page()
      yield* author.published()
      const owner = yield* ownerIdOf(author.accessToken)
      const left = sql`select from events where owner_id = ${owner}`
      yield* sql`update events set id = '0fffffff-0000-7000-8000-000000000001' where owner_id = ${owner}`
      yield* TestClock.adjust("29 days")
      yield* sweep
      assert.lengthOf(yield* left, 1)
      yield* TestClock.adjust("1 day")
      yield* TestClock.adjust("1 minute")
      yield* sweep
      assert.isEmpty(yield* left)
    })
  )
})
