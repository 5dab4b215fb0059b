import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { importerOf, workImports } from "./importer.ts"
import { threads, withoutThreads, withPictures, withThreads } from "./threads.ts"

layer(service(database("test_import_meanwhile"), 1, withThreads))("what happens during an import", (it) => {
  it.effect("A draft that is deleted while its pictures are admitted holds nothing up", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* author.imported(withPictures(1, "Words", {}, 200))
      yield* author.apply(id)
      threads.before = Effect.asVoid(
        Effect.orDie(sql`
          delete from posts where id = (select post_id from import_items where import_id = ${id})`)
      ).pipe(Effect.provideContext(context))
      yield* workImports
      assert.strictEqual((yield* author.get(id)).body.state, "done")
      const [item] = (yield* author.items(id)).body.data
      assert.deepInclude(item, { outcome: "created", postId: null })
    }).pipe(withoutThreads)
  )
})
