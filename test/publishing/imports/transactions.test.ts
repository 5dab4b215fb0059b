import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inTime } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { doc, p, t } from "../content/native/nodes.ts"
import { importerOf, stepImports, workImports } from "./importer.ts"
import type { SomeItem } from "./jsonItems.ts"
import { beforeThreads, LONG, threads, withoutThreads, withPictures, withThreads } from "./threads.ts"

const world = service(database("test_import_transactions"), 1, withThreads)

/** Takes a step of an import that another worker takes over before a thread reads. */
const stepAndLose = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* beforeThreads(sql`update imports set attempts = attempts + 1 where id = ${id}`)
  yield* stepImports
  threads.before = Effect.void
})

layer(world)("transactions of imports", (it) => {
  it.effect("None is open while a thread reads the text of an item", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let seen: Array<number> = []
      yield* beforeThreads(
        Effect.gen(function* () {
          const open = yield* Effect.orDie(sql`
          select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`)
          seen.push(open.length)
        })
      )
      const none = (what: string) => {
        assert.isAbove(seen.length, 0, what)
        assert.deepStrictEqual(new Set(seen), new Set([0]), what)
        seen = []
      }
      const author = yield* importerOf(1)
      const long = (sha256: string, text: string): SomeItem => ({
        sourceId: "long",
        sha256,
        draft: { freeContent: text, categoryIds: [3, null] }
      })
      const first = yield* author.imported([long("1", LONG)])
      yield* author.apply(first.id)
      yield* workImports
      none("a draft is made")
      const second = yield* author.imported([long("2", `${LONG}!`)])
      yield* author.apply(second.id)
      yield* workImports
      none("a draft is brought up to date")
      const [{ id, postId }] = (yield* author.items(second.id)).body.data
      yield* author.publishItems(second.id, {
        items: [id],
        creationMethod: "human_written",
        creationAttested: true
      })
      yield* workImports
      none("a draft is published")
      assert.strictEqual((yield* author.read(postId)).body.status, "published")
      const third = yield* author.imported([long("3", `${LONG}!!`)])
      const [item] = (yield* author.items(third.id)).body.data
      yield* author.apply(third.id, { items: [item.id] })
      yield* workImports
      none("a public post is brought up to date")
      assert.match((yield* author.read(postId)).body.freeContentMarkdown, /!!$/)

      const free = doc(...Array.from({ length: 3_000 }, (_, n) => p(t(`Paragraph ${n}`))))
      const native = yield* author.imported([{ native: { free: JSON.stringify(free), paid: null } }])
      yield* author.apply(native.id)
      yield* workImports
      none("a section is written as a document")
      const [rich] = (yield* author.items(native.id)).body.data
      assert.match((yield* author.read(rich.postId)).body.freeContentMarkdown, /Paragraph 2999/)

      const pictures = yield* author.imported(withPictures(5, LONG))
      yield* author.apply(pictures.id)
      yield* inTime(workImports)
      seen = []
      yield* author.cancelImport(pictures.id)
      yield* workImports
      none("a picture is taken out")
      const [left] = (yield* author.items(pictures.id)).body.data
      assert.match((yield* author.read(left.postId)).body.freeContentMarkdown, /\n\np$/)
    }).pipe(withoutThreads)
  )

  it.effect("A section that Markdown cannot say comes although its Post got a new revision meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const author = yield* importerOf(5)
      const free = doc(...Array.from({ length: 3_000 }, (_, n) => p(t(`Paragraph ${n}`))))
      const { id } = yield* author.imported([{ native: { free: JSON.stringify(free), paid: null } }])
      yield* author.apply(id)
      // The end of the screening of a file gives its Post a new revision, while a thread reads the document.
      yield* beforeThreads(
        Effect.gen(function* () {
          threads.before = Effect.void
          yield* Effect.orDie(sql`update posts set updated_at = updated_at + interval '1 ms'
          where id = (select post_id from import_items where import_id = ${id})`)
        })
      )
      yield* workImports
      const [item] = (yield* author.items(id)).body.data
      assert.deepInclude(item, { outcome: "created", report: [] })
      assert.match((yield* author.read(item.postId)).body.freeContentMarkdown, /Paragraph 2999/)
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 1, kept: 0 })
    }).pipe(withoutThreads)
  )

  it.effect(
    "A worker that lost its import while a thread read a text writes nothing, and the next one does",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(2)
        const first = yield* author.imported([{ sourceId: "lost", sha256: "1" }])
        yield* author.apply(first.id)
        yield* workImports
        const { id } = yield* author.imported([
          { sourceId: "lost", sha256: "2", draft: { freeContent: LONG } }
        ])
        yield* author.apply(id)
        yield* stepAndLose(id)
        const [{ outcome, postId }] = (yield* author.items(id)).body.data
        assert.strictEqual(outcome, "update")
        assert.strictEqual((yield* author.read(postId)).body.freeContentMarkdown, "Words for everyone")
        yield* TestClock.adjust("1 minute")
        yield* workImports
        const done = (yield* author.get(id)).body
        assert.deepStrictEqual([done.state, done.progress.done], ["done", 1])
        assert.strictEqual((yield* author.items(id)).body.data[0].outcome, "updated")
        assert.strictEqual((yield* author.read(postId)).body.freeContentMarkdown, LONG)
      }).pipe(withoutThreads)
  )

  it.effect(
    "A worker that lost its import while a thread read a picture leaves the names of pictures to the next one",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(4)
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* author.imported(withPictures(1, "Words", {}, 200))
        yield* author.apply(id)
        yield* stepAndLose(id)
        const named = sql`select from import_items where import_id = ${id} and pictures::text <> '[]'`
        assert.isEmpty(yield* named)
        yield* TestClock.adjust("1 minute")
        yield* workImports
        assert.lengthOf(yield* named, 1)
        const [item] = (yield* author.items(id)).body.data
        assert.deepInclude(item, { outcome: "created", images: { total: 1, admitted: 1, failed: 0 } })
      }).pipe(withoutThreads)
  )

  it.effect("A cancel while pictures are admitted lets no other one come", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(6)
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* author.imported(withPictures(3, "Words", {}, 200))
      yield* author.apply(id)
      const uploads = sql<{ readonly post: string }>`
        select i.post_id as post from import_items i join upload_operations u on u.target_id = i.post_id
        where i.import_id = ${id}`
      yield* beforeThreads(
        Effect.gen(function* () {
          if ((yield* uploads).length > 0)
            yield* sql`update imports set state = 'cancelling', attempts = attempts + 1, due_at = created_at
            where id = ${id} and state = 'applying'`
        })
      )
      yield* stepImports
      threads.before = Effect.void
      assert.lengthOf(yield* uploads, 1)
      yield* workImports
      const [item] = (yield* author.items(id)).body.data
      assert.deepStrictEqual(item.images, { total: 3, admitted: 0, failed: 3 })
      assert.strictEqual((yield* author.read(item.postId)).body.freeContentMarkdown, "Words\n\np\n\np\n\np")
    }).pipe(withoutThreads)
  )

  it.effect("An edit that comes before the pictures stays the author's when those are left out", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(3)
      const file = (sha256: string, text: string) => withPictures(5, text, { sourceId: "mine", sha256 })
      const { id } = yield* author.imported(file("1", "Words"))
      yield* author.apply(id)
      yield* inTime(workImports)
      const [{ postId }] = (yield* author.items(id)).body.data
      const { freeContentMarkdown } = (yield* author.read(postId)).body
      yield* author.patch(postId, { freeContentMarkdown: `Mine. ${freeContentMarkdown}` })
      yield* author.cancelImport(id)
      yield* workImports
      assert.match((yield* author.read(postId)).body.freeContentMarkdown, /^Mine\. Words[^]*\n\np$/)
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 0, kept: 1 })
      const newer = yield* author.imported(file("2", "Newer words"))
      assert.deepInclude(newer.counts, { conflict: 1, update: 0 })
    })
  )
})
