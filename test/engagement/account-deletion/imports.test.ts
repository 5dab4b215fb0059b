import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { importerOf, withJsonItems, workImports } from "../../publishing/imports/importer.ts"
import { fileOf } from "../../publishing/imports/jsonItems.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { closeAccount, deletionOf, eraseDue } from "./leaving.ts"

const objectsOfImports = Effect.gen(function* () {
  const { objects } = yield* ObjectStorageMemory
  return [...(yield* objects).keys()].filter((key) => key.startsWith("imports/"))
})

layer(service(database("test_leaving_imports"), 1, withJsonItems))(
  "the imports of a closing account",
  (it) => {
    it.effect(
      "Closing cancels the import that is under way, and keeping the account leaves it cancelled",
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
          const client = yield* TestClient
          const sql = yield* SqlClient.SqlClient
          const author = yield* importerOf(1)
          const { id } = yield* author.imported([{}, {}, {}])
          assert.strictEqual((yield* author.apply(id)).status, 202)
          yield* closeAccount(1, author)
          yield* workImports
          const { accessToken } = yield* signIn(1)
          assert.deepStrictEqual(yield* sql`select state, done from imports`, [
            { state: "cancelled", done: 0 }
          ])
          assert.deepStrictEqual(yield* sql`select from import_items where task is not null`, [])
          assert.deepStrictEqual(yield* sql`select from posts`, [])
          assert.strictEqual((yield* deletionOf(accessToken).keep).status, 200)
          const { body: key } = yield* client.send("POST", "/api/v1/api-keys", {
            token: accessToken,
            body: {}
          })
          const { body: list } = yield* client.send("GET", "/api/v1/imports", {
            token: key.key ?? key.secret
          })
          assert.deepStrictEqual(
            list.data.map((it: any) => [it.id, it.state]),
            [[id, "cancelled"]]
          )
        })
    )

    it.effect("Erasing removes imports with their files, and what is known of sources and requests", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const sql = yield* SqlClient.SqlClient
        const other = yield* importerOf(3)
        const theirs = yield* other.imported([{ sourceId: "theirs" }])
        yield* other.apply(theirs.id)
        yield* workImports
        const author = yield* importerOf(2)
        const first = yield* author.imported([
          { sourceId: "mine", datedAt: "2019-04-05T06:07:08.000Z", draft: { title: "Leavingtitle" } }
        ])
        yield* author.apply(first.id)
        yield* workImports
        // A second one waits for the rest of its file, whose first piece is in the store.
        const bytes = fileOf([{ sourceId: "one" }, { sourceId: "two" }])
        const { body: second } = yield* author.begin(bytes)
        const piece = yield* author.put(second.id, bytes.slice(0, 10), `bytes 0-9/${bytes.length}`)
        assert.strictEqual(piece.body.received, 10, piece.text)
        const before = yield* objectsOfImports
        assert.isAtLeast(before.filter((key) => key.includes(second.id)).length, 1)
        assert.isAtLeast(before.filter((key) => key.includes(first.id)).length, 1)

        yield* closeAccount(2, author)
        yield* TestClock.adjust("14 days")
        yield* eraseDue
        // The files go before the deletion ends.
        assert.deepStrictEqual(
          yield* sql`select ended_at is null as "goesOn" from account_deletions d
          join imports i on i.owner_id = d.id limit 1`,
          [{ goesOn: true }]
        )
        yield* workImports
        yield* TestClock.adjust("1 minute")
        yield* eraseDue
        assert.deepStrictEqual(
          yield* sql`select ended_at is not null as ended from account_deletions where requested_at = ended_at - interval '14 days 1 minute'`,
          [{ ended: true }]
        )
        const kept = yield* objectsOfImports
        assert.deepStrictEqual(
          kept.filter((key) => key.includes(first.id) || key.includes(second.id)),
          []
        )
        assert.isTrue(kept.some((key) => key.includes(theirs.id)))
        assert.deepStrictEqual(yield* sql`select id from imports where id in (${first.id}, ${second.id})`, [])
        assert.deepStrictEqual(
          yield* sql`select source_key from import_sources s join owners o on o.id = s.owner_id and o.deleted_at is not null`,
          []
        )
        assert.deepStrictEqual(
          yield* sql`select scope from idempotency_records where scope in ('import', 'import_step')
          and scope_id in (select id from owners where deleted_at is not null)`,
          []
        )
        // Those of another account stay.
        assert.strictEqual((yield* other.get(theirs.id)).body.state, "done")
        assert.strictEqual((yield* other.imported([{ sourceId: "theirs" }])).counts.unchanged, 1)
      })
    )
  }
)
