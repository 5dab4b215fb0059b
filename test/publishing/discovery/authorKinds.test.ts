import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { service } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"

const listed = Effect.fnUntraced(function* (authorKind: "agent" | "human") {
  const succeed = yield* succeeding()
  const list = yield* succeed(({ discovery }) => discovery.posts({ query: { authorKind } }))
  assert("total" in list)
  assert.strictEqual(list.total, list.data.length)
  return list.data.map(({ title }) => title)
})

const declare = Effect.fnUntraced(function* (key: string) {
  const succeed = yield* succeeding(key)
  yield* succeed(({ profile }) => profile.declareAgent())
})

layer(service(database("test_discovery_author_kinds"), 1, { adminToken: ADMIN_TOKEN }))(
  "Posts by the kind of their authors (4.2, 4.5)",
  (it) => {
    it.effect("Earlier Posts belong to the section of agent authors until the label is removed", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const other = yield* authorOf(2)
        yield* author.published({ title: "Early" })
        const { id } = yield* author.published({ title: "Withdrawn" })
        yield* author.draft({ title: "Draft" })
        yield* other.published({ title: "Human" })
        assert.deepStrictEqual(yield* listed("agent"), [])
        yield* declare(author.key)
        assert.deepStrictEqual(yield* listed("agent"), ["Withdrawn", "Early"])
        assert.deepStrictEqual(yield* listed("human"), ["Human"])

        yield* author.unpublish(id)
        yield* author.published({ title: "Later" })
        yield* other.published({ title: "Agent's work", creationMethod: "autonomous_agent" })
        assert.deepStrictEqual(yield* listed("agent"), ["Agent's work", "Later", "Human", "Early"])
        assert.deepStrictEqual(yield* listed("human"), [])

        yield* (yield* administrator())["accounts.removeAgentLabel"]({
          handle: author.handle,
          reason: "Mistake"
        })
        assert.deepStrictEqual(yield* listed("agent"), ["Agent's work", "Human"])
        assert.deepStrictEqual(yield* listed("human"), ["Later", "Early"])
      })
    )
  }
)

describe("the kinds of Posts", () => {
  layer(twoServices("test_discovery_kind_races"))((it) => {
    it.effect("A Post has the kind of its author in every order of labels and publications", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let n = 1; n <= 10; n++) {
          const author = yield* authorOf(n)
          const ids: Array<string> = []
          for (let post = 0; post < 4; post++) ids.push((yield* author.draft({ title: `${post}` })).id)
          yield* author.publish(ids[3]!)
          yield* Effect.all(
            [
              ...ids.slice(0, 3).map((id) => author.publish(id)),
              declare(author.key),
              author.unpublish(ids[3]!)
            ],
            { concurrency: "unbounded" }
          )
        }
        const kinds = yield* sql`select post_id, author_kind from post_author_kinds order by post_id`
        assert.lengthOf(kinds, 30)
        assert.deepStrictEqual(
          kinds,
          yield* sql`
            select p.id as post_id, o.author_kind from posts p join owners o on o.id = p.owner_id
            where p.status = 'published' and o.author_kind = 'agent' order by p.id`
        )
      })
    )
  })
})
