import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { ImportErasure } from "../../../src/publishing/imports/service/ImportErasure.ts"
import { ownerIdOf } from "../../payments/settlement/paying.ts"
import { inTime } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { importerOf, stepImports, workImports } from "./importer.ts"
import { beforeThreads, withoutThreads, withPictures, withThreads } from "./threads.ts"

layer(service(database("test_import_meanwhile"), 1, withThreads))("what happens during an import", (it) => {
  it.effect("A draft that is deleted while its pictures are admitted holds nothing up", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* author.imported(withPictures(1, "Words", {}, 200))
      yield* author.apply(id)
      yield* beforeThreads(sql`
          delete from posts where id = (select post_id from import_items where import_id = ${id})`)
      yield* workImports
      assert.strictEqual((yield* author.get(id)).body.state, "done")
      const [item] = (yield* author.items(id)).body.data
      assert.deepInclude(item, { outcome: "created", postId: null })
    }).pipe(withoutThreads)
  )

  it.effect("An item that has not begun is not published after a cancel", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const sql = yield* SqlClient.SqlClient
      const declared = { creationMethod: "human_written", creationAttested: true } as const
      const { id } = yield* author.imported([{ draft: { ...declared, categoryIds: [3, null] } }])
      yield* author.apply(id)
      yield* workImports
      const [item] = (yield* author.items(id)).body.data
      yield* author.publishItems(id, { items: [item.id], ...declared })
      // The cancel comes once the worker has the item.
      yield* sql`
        create function cancel_import() returns trigger language plpgsql as $$ begin
          update imports set state = 'cancelling', attempts = attempts + 1 where id = new.import_id;
          return null;
        end $$`
      yield* sql`
        create trigger cancel_import after update of attempts on import_items for each row
        when (new.task = 'publish' and new.attempts > old.attempts) execute function cancel_import()`
      yield* stepImports
      yield* sql`drop trigger cancel_import on import_items`
      assert.strictEqual((yield* author.get(id)).body.state, "cancelled")
      assert.strictEqual((yield* author.read(item.postId)).body.status, "draft")
    })
  )

  it.effect("An account that closes leaves no draft with pictures that never come, and no file", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(3)
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* author.imported(withPictures(5, "Words"))
      yield* author.apply(id)
      yield* inTime(workImports)
      assert.strictEqual((yield* author.get(id)).body.state, "applying")
      const [{ postId }] = (yield* author.items(id)).body.data
      const ownerId = yield* ownerIdOf(author.accessToken)
      yield* sql`update api_keys set revoked_at = ${new Date(0)} where owner_id = ${ownerId}`
      yield* sql`update owners set restricted_at = ${new Date(0)} where id = ${ownerId}`
      yield* (yield* Transactions).run((yield* ImportErasure).close(ownerId))
      yield* workImports
      const rows = yield* sql<{ readonly state: string; readonly text: string }>`
        select i.state, p.free_content_markdown as text from imports i, posts p
        where i.id = ${id} and p.id = ${postId}`
      assert.strictEqual(rows[0]?.state, "cancelled")
      assert.match(rows[0]?.text ?? "", /\n\np$/)
      const storage = yield* ObjectStorage
      assert.isEmpty(yield* Stream.runCollect(storage.list(`imports/${id}/`)))
    })
  )
})
