import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { importerOf, withJsonItems, workImports } from "./importer.ts"
import type { SomeItem } from "./jsonItems.ts"

const pictured = (hosts: ReadonlyArray<string>): SomeItem => ({
  images: hosts.map((host) => ({
    url: `https://${host}/a.png`,
    alt: "",
    from: { url: `https://${host}/a.png` },
    place: "text"
  }))
})

layer(service(database("test_import_hostile"), 1, withJsonItems))("imports that mean harm", (it) => {
  it.effect("Hosts of pictures may have any name", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const names = ["constructor", "__proto__", "tostring", "constructor"]
      const { images, state } = yield* author.imported([pictured(names)])
      assert.strictEqual(state, "review")
      assert.strictEqual(images.remote, 4)
      assert.deepStrictEqual(images.hosts, [
        { host: "constructor", count: 2 },
        { host: "__proto__", count: 1 },
        { host: "tostring", count: 1 }
      ])
    })
  )

  it.effect("An import keeps a number of hosts, and counts the pictures of the others together", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const names = Array.from({ length: 500 }, (_, n) => `h${n}.test`)
      const { id, images } = yield* author.imported([pictured(names)])
      assert.strictEqual(images.remote, 500)
      assert.isUndefined(images.elsewhere)
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ readonly hosts: number; readonly elsewhere: number }>`
        select json_array_length(images -> 'hosts') as hosts, (images ->> 'elsewhere')::int4 as elsewhere
        from imports where id = ${id}`
      assert.deepStrictEqual(row, { hosts: 300, elsewhere: 200 })
    })
  )

  it.effect("A row that cannot be read fails alone, and its author reads that", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(3)
      const other = yield* importerOf(4)
      const spoiled = yield* author.imported([{}])
      yield* author.apply(spoiled.id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update imports set images = '{"hosts": 5}', counts = '{}' where id = ${spoiled.id}`
      const { id } = yield* other.imported([{}])
      yield* other.apply(id)
      yield* workImports
      assert.strictEqual((yield* other.get(id)).body.state, "done")
      const failed = yield* author.get(spoiled.id)
      assert.strictEqual(failed.status, 200, failed.text)
      assert.strictEqual(failed.body.state, "failed")
      assert.strictEqual(failed.body.error.code, "damaged")
      assert.strictEqual((yield* author.removeImport(spoiled.id)).status, 204)
    })
  )
})
