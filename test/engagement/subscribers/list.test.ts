import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { begin } from "../notifications/mails/mailing.ts"
import { ask, subscribed } from "./readers.ts"

layer(service(database("test_subscriber_list")))("the list of readers", (it) => {
  it.effect("The list has the newest first, page by page, with counts", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* authorOf(1)
      for (const n of [1, 2, 3]) yield* subscribed(author.handle, `reader${n}@example.org`)
      yield* ask(author.handle, "pending@example.org")
      const client = yield* succeeding(author.accessToken)
      const first = yield* client(({ subscribers }) => subscribers.list({ query: { limit: 3 } }))
      assert.deepStrictEqual(first.counts, { pending: 1, active: 3 })
      assert.deepStrictEqual(
        first.data.map(({ email }) => email as string),
        ["pending@example.org", "reader3@example.org", "reader2@example.org"]
      )
      const second = yield* client(({ subscribers }) =>
        subscribers.list({
          query: { limit: 3, cursor: first.pagination.nextCursor ?? "" }
        })
      )
      assert.deepStrictEqual(
        second.data.map(({ email }) => email as string),
        ["reader1@example.org"]
      )
      assert.isFalse(second.pagination.hasMore)
      assert.deepStrictEqual(second.counts, first.counts)
      const active = yield* client(({ subscribers }) => subscribers.list({ query: { state: "active" } }))
      assert.lengthOf(active.data, 3)
    })
  )

  it.effect("The list is the author's alone", () =>
    Effect.gen(function* () {
      yield* begin
      const [author, other] = yield* Effect.all([authorOf(2), authorOf(3)])
      yield* subscribed(author.handle, "mine@example.org")
      const client = yield* TestClient
      const mine = yield* (yield* succeeding(author.accessToken))(({ subscribers }) =>
        subscribers.list({ query: {} })
      )
      const [{ id = "" } = {}] = mine.data
      const theirs = yield* (yield* succeeding(other.accessToken))(({ subscribers }) =>
        subscribers.list({ query: {} })
      )
      assert.lengthOf(theirs.data, 0)
      const refused = yield* client.send("DELETE", `/api/v1/subscribers/${id}`, { token: other.accessToken })
      assert.strictEqual(refused.status, 404)
      const keyed = yield* client.send("GET", "/api/v1/subscribers", { token: author.key })
      assert.strictEqual(keyed.status, 401)
      for (const path of [`/@${author.handle}`, `/api/profile/${author.handle}`])
        assert.notInclude((yield* client.send("GET", path)).text, "mine@")
    })
  )

  it.effect("The list loses a reader whom the author removes, and comes as a table without formulas", () =>
    Effect.gen(function* () {
      yield* begin
      const author = yield* authorOf(4)
      yield* subscribed(author.handle, "=cmd@example.org")
      yield* subscribed(author.handle, "removed@example.org")
      const wire = yield* TestClient
      const client = yield* succeeding(author.accessToken)
      const { data } = yield* client(({ subscribers }) => subscribers.list({ query: {} }))
      const removed = data.find(({ email }) => email.startsWith("removed"))
      assert.isDefined(removed)
      const remove = wire.send("DELETE", `/api/v1/subscribers/${removed.id}`, { token: author.accessToken })
      for (const _ of [1, 2]) assert.strictEqual((yield* remove).status, 204)
      const table = yield* wire.send("GET", "/api/v1/subscribers/export.csv", {
        token: author.accessToken
      })
      const [head, first = "", second = ""] = table.text.split("\r\n")
      assert.strictEqual(head, "email,state,source,created_at,confirmed_at,ended_at")
      assert.match(first, /^removed@example\.org,ended,form,/)
      assert.match(second, /^'=cmd@example\.org,active,form,/)
    })
  )
})
