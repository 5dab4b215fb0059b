import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { Imports } from "../../../src/publishing/imports/service/Imports.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { importerOf, withJsonItems, workImports } from "./importer.ts"
import { fileOf } from "./jsonItems.ts"

const file = fileOf([{ title: "One" }, { title: "Two" }, { title: "Three" }])

const stored = Effect.gen(function* () {
  return yield* Stream.runCollect((yield* ObjectStorage).list("imports/"))
})

layer(service(database("test_import_files"), 1, withJsonItems))("files of imports", (it) => {
  it.effect("A file that is sent whole is read", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const begun = yield* author.begin(file, { options: { membersOnly: "free" } })
      assert.strictEqual(begun.status, 201, begun.text)
      assert.strictEqual(begun.body.state, "awaiting_file")
      assert.deepStrictEqual(begun.body.progress, { phase: "file", done: 0, total: file.length })
      const sent = yield* author.put(begun.body.id, file)
      assert.strictEqual(sent.body.state, "reading")
      assert.strictEqual(sent.body.retryAfterSeconds, 3)
      yield* workImports
      const read = yield* author.get(begun.body.id)
      assert.strictEqual(read.body.state, "review")
      assert.strictEqual(read.body.kind, "markdown")
      assert.strictEqual(read.body.counts.items, 3)
      assert.strictEqual(read.body.counts.new, 3)
      assert.match(read.body.sha256, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(read.body.progress, { phase: "reading", done: 3, total: 3 })
    })
  )

  it.effect("Pieces come in order, and a lost answer costs one request", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const { id } = (yield* author.begin(file)).body
      const total = file.length
      const range = (from: number, to: number) => `bytes ${from}-${to - 1}/${total}`
      const piece = (from: number, to: number) => author.put(id, file.slice(from, to), range(from, to))
      assert.strictEqual((yield* piece(0, 10)).body.received, 10)
      const again = yield* piece(0, 10)
      assert.deepStrictEqual(refusalOf(again), [409, "import-offset"])
      assert.strictEqual(again.body.received, 10)
      assert.deepStrictEqual(refusalOf(yield* piece(20, 30)), [409, "import-offset"])
      assert.deepStrictEqual(
        refusalOf(yield* author.put(id, file.slice(10, 20), `bytes 10-19/${total + 1}`)),
        [422, "validation", "Content-Range invalid"]
      )
      for (const wrong of [range(10, 30), "bytes 10-9/100", "10-19", `bytes 10-${total}/${total}`])
        assert.strictEqual((yield* author.put(id, file.slice(10, 20), wrong)).status, 422, wrong)
      assert.deepStrictEqual(refusalOf(yield* author.put(id, file.slice(10))), [
        422,
        "validation",
        "Content-Range invalid"
      ])
      assert.strictEqual((yield* piece(10, total)).body.state, "reading")
      assert.deepStrictEqual(refusalOf(yield* piece(10, total)), [409, "import-state"])
      yield* workImports
      assert.strictEqual((yield* author.get(id)).body.counts.items, 3)
    })
  )

  it.effect("A request without a length is refused before a byte is stored", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* importerOf(3)
      const { id } = (yield* author.begin(file)).body
      const answer = yield* client.send("PUT", `/api/v1/imports/${id}/file`, {
        token: author.key,
        body: file,
        headers: { "content-type": "application/octet-stream" }
      })
      assert.deepStrictEqual(refusalOf(answer), [411, "length-required"])
    })
  )

  it.effect("An account has one import under way, and a repeat with the same key gets it", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(4)
      const first = yield* author.begin(file, { key: "the-first" })
      const repeat = yield* author.begin(file, { key: "the-first" })
      assert.strictEqual(repeat.status, 201)
      assert.strictEqual(repeat.headers.get("x-idempotency-replay"), "true")
      assert.strictEqual(repeat.body.id, first.body.id)
      assert.deepStrictEqual(refusalOf(yield* author.begin(12, { key: "the-first" })), [
        409,
        "idempotency-mismatch"
      ])
      const other = yield* author.begin(file)
      assert.deepStrictEqual(refusalOf(other), [409, "import-in-progress"])
      assert.strictEqual(other.body.importId, first.body.id)
      assert.strictEqual((yield* author.cancelImport(first.body.id)).body.state, "cancelled")
      assert.strictEqual((yield* author.begin(file)).status, 201)
      const list = (yield* author.sendImports("GET", "?limit=1")).body
      assert.strictEqual(list.data.length, 1)
      const next = (yield* author.sendImports("GET", `?cursor=${list.pagination.nextCursor}`)).body
      assert.deepStrictEqual(
        next.data.map(({ id }: { readonly id: string }) => id),
        [first.body.id]
      )
    })
  )

  it.effect("A file over the limit is refused before it is sent", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(5)
      assert.deepStrictEqual(refusalOf(yield* author.begin(256 * 1024 * 1024 + 1)), [
        413,
        "payload-too-large"
      ])
      assert.strictEqual((yield* author.begin(256 * 1024 * 1024)).status, 201)
    })
  )

  it.effect("Another's import is not found", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(6)
      const other = yield* importerOf(7)
      const { id } = yield* author.imported([{}])
      const { data } = (yield* author.items(id)).body
      const answers = [
        yield* other.get(id),
        yield* other.put(id, file),
        yield* other.items(id),
        yield* other.item(id, data[0].id),
        yield* other.apply(id),
        yield* other.publishItems(id, {
          items: [data[0].id],
          creationMethod: "human_written",
          creationAttested: true
        }),
        yield* other.cancelImport(id),
        yield* other.undo(id),
        yield* other.removeImport(id),
        yield* other.sendImports("GET", `/${id}/report.csv`),
        yield* other.sendImports("GET", `/${id}/redirects`)
      ]
      for (const answer of answers)
        assert.deepStrictEqual(refusalOf(answer).slice(0, 2), [404, "not-found"], answer.text)
      assert.strictEqual((yield* author.get(id)).body.state, "review")
    })
  )

  it.effect("A deleted import leaves nothing in the store", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(8)
      const { id } = yield* author.imported([{}])
      assert.isNotEmpty((yield* stored).filter((key) => key.includes(id)))
      assert.strictEqual((yield* author.removeImport(id)).status, 204)
      assert.strictEqual((yield* author.get(id)).status, 404)
      yield* workImports
      assert.isEmpty((yield* stored).filter((key) => key.includes(id)))
      assert.strictEqual((yield* author.removeImport(id)).status, 404)
    })
  )

  it.effect(
    "An import to which nothing happens is removed: without bytes after a day, and else after thirty",
    () =>
      Effect.gen(function* () {
        const { sweep } = yield* Imports
        const [waiting, read] = [yield* importerOf(9), yield* importerOf(10)]
        const begun = (yield* waiting.begin(file)).body
        const review = yield* read.imported([{}])
        yield* TestClock.adjust("23 hours")
        yield* sweep
        yield* workImports
        assert.strictEqual((yield* waiting.get(begun.id)).status, 200)
        yield* TestClock.adjust("1 hour")
        yield* sweep
        yield* workImports
        assert.strictEqual((yield* waiting.get(begun.id)).status, 404)
        assert.strictEqual((yield* read.get(review.id)).status, 200)
        yield* TestClock.adjust("29 days")
        yield* sweep
        yield* workImports
        assert.strictEqual((yield* read.get(review.id)).status, 404)
        assert.isEmpty((yield* stored).filter((key) => key.includes(review.id)))
      })
  )

  it.effect("A file is removed as soon as its import has failed or is cancelled", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(12)
      const failed = yield* author.imported(new TextEncoder().encode("no items"))
      assert.strictEqual(failed.state, "failed")
      assert.isEmpty((yield* stored).filter((key) => key.includes(failed.id)))
      const { id } = yield* author.imported([{}])
      assert.strictEqual((yield* author.cancelImport(id)).body.state, "cancelled")
      yield* workImports
      assert.isEmpty((yield* stored).filter((key) => key.includes(id)))
      assert.strictEqual((yield* author.get(id)).body.state, "cancelled")
    })
  )

  it.effect("Files of earlier imports that stay here leave room for two of the largest size", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(13)
      const { id } = yield* author.imported([{}])
      yield* author.apply(id)
      yield* workImports
      const sql = yield* SqlClient.SqlClient
      yield* sql`update imports set byte_size = ${500 * 1024 * 1024} where id = ${id}`
      const refused = yield* author.begin(13 * 1024 * 1024)
      assert.deepStrictEqual(refusalOf(refused), [413, "payload-too-large"])
      assert.match(refused.body.detail, /Delete an import/)
      assert.strictEqual((yield* author.begin(12 * 1024 * 1024)).status, 201)
    })
  )

  it.effect("A file of no form fails, and one that is damaged in the middle is read up to there", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(11)
      const failed = yield* author.imported(new TextEncoder().encode("no items"))
      assert.strictEqual(failed.state, "failed")
      assert.strictEqual(failed.error.code, "unknown_form")
      assert.deepStrictEqual(refusalOf(yield* author.apply(failed.id)), [409, "import-state"])
      const damaged = yield* author.imported([{}, {}, { failure: "damaged" }])
      assert.strictEqual(damaged.state, "review")
      assert.strictEqual(damaged.error.code, "damaged")
      assert.strictEqual(damaged.counts.items, 2)
    })
  )
})
