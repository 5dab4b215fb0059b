import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Archives from "../../../layers/testing/ArchiveInspectorMemory.ts"
import * as ObjectStorages from "../../../layers/testing/ObjectStorageMemory.ts"
import * as Scanners from "../../../layers/testing/ScannerMemory.ts"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { ArchiveUnreadable } from "../../../src/platform/ports/ArchiveInspector.ts"
import { UploadAdministration } from "../../../src/publishing/uploads/UploadAdministration.ts"
import { refusalOf } from "../../support/actors/author.ts"
import { type Uploader, uploaderOf, workOff, zipFile } from "../../support/actors/uploader.ts"
import { zipOf } from "../archives/makeZip.ts"
import { administrator, alone, idOf, kept, malware, rejecting } from "../uploads/screenings.ts"
import { paywalled } from "./paywalled.ts"

const fresh = alone("test_attachments_alone")

const revisionOf = Effect.fnUntraced(function* (author: Uploader, id: string) {
  return (yield* author.read(id)).body
})

/** Attaches a ZIP to a new paywalled Post. */
const attached = Effect.fnUntraced(function* (author: Uploader, content = "words") {
  const post = yield* author.draft(paywalled)
  return { post, sent: yield* author.attach(post, { parts: [zipFile(content)] }) }
})

/** The keys of the objects of buyers. */
const files = Effect.gen(function* () {
  const { objects } = yield* ObjectStorages.ObjectStorageMemory
  return [...(yield* objects).keys()].filter((key) => key.startsWith("attachments/"))
})

const staged = Effect.gen(function* () {
  const { objects } = yield* ObjectStorages.ObjectStorageMemory
  return [...(yield* objects).keys()].filter((key) => key.startsWith("staging/"))
})

describe("attaching a ZIP (6.1)", () => {
  it.effect("A ZIP is received, pending, then ready once it is cleared, and nothing is public", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const { post, sent } = yield* attached(author)
      const id = idOf(sent)
      assert.strictEqual(sent.status, 202)
      const { safety } = sent.body
      assert.deepStrictEqual(
        [
          safety.targetKind,
          safety.targetId,
          safety.targetKey,
          safety.state,
          safety.received,
          safety.associated
        ],
        ["attachment", post.id, id, "queued", true, true]
      )
      assert.isNull(sent.body.publicUrl)
      const file = { id, fileName: "book.zip", byteSize: zipOf([{ name: "a.txt", content: "words" }]).length }
      assert.deepStrictEqual(sent.body.attachment, { ...file, state: "pending" })
      const after = yield* revisionOf(author, post.id)
      assert.notStrictEqual(after.updatedAt, post.updatedAt)
      assert.strictEqual(sent.body.currentRevision, after.updatedAt)
      assert.deepStrictEqual(after.attachments, [{ ...file, state: "pending" }])
      assert.deepStrictEqual(yield* files, [])

      yield* workOff
      const cleared = yield* author.status(sent)
      assert.deepStrictEqual(
        [cleared.status, cleared.body.safety.state, cleared.body.safety.eligible, cleared.body.publicUrl],
        [200, "cleared", true, null]
      )
      assert.deepStrictEqual(cleared.body.attachment, { ...file, state: "ready" })
      assert.deepStrictEqual(yield* files, [`attachments/${post.id}/${id}.zip`])
      assert.deepStrictEqual(yield* staged, [])
      assert.lengthOf(yield* (yield* Archives.ArchiveInspectorMemory).inspected, 1)
      assert.strictEqual((yield* author.associate(sent)).body.safety.state, "cleared")

      const listed = (yield* author.attachments(post.id)).body.operations
      assert.deepStrictEqual(
        listed.map((it: any) => it.safety.operationId),
        [id]
      )
      assert.deepStrictEqual((yield* author.operations(`?postId=${post.id}`)).body.operations, [])
    }).pipe(fresh)
  )

  it.effect("An attachment needs a paywall, paid text, a revision, a key and a length", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const free = yield* author.draft({ paidContentMarkdown: "text", enablePaywall: false })
      assert.deepStrictEqual(refusalOf(yield* author.attach(free)), [
        422,
        "paid-post-required",
        "enablePaywall paid_post_required"
      ])
      const empty = yield* author.draft({ freeContentMarkdown: "free" })
      assert.deepStrictEqual(refusalOf(yield* author.attach(empty)), [
        422,
        "paid-content-required",
        "paidContentMarkdown paid_content_required"
      ])
      // A refused file changes no revision.
      for (const { id, updatedAt } of [free, empty])
        assert.strictEqual((yield* revisionOf(author, id)).updatedAt, updatedAt)
      const post = yield* author.draft(paywalled)
      assert.strictEqual((yield* author.patch(post.id, { title: "Newer" })).status, 200)
      assert.deepStrictEqual(refusalOf(yield* author.attach(post)), [409, "revision-conflict"])
      const other = yield* uploaderOf(2)
      assert.strictEqual((yield* other.attach(yield* revisionOf(author, post.id))).status, 404)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(yield* sql`select from upload_operations`, 0)
      assert.lengthOf(yield* sql`select from post_attachments`, 0)
      assert.deepStrictEqual(yield* staged, [])
    }).pipe(fresh)
  )

  it.effect("A refused archive or name leaves nothing, and its key is free again", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sql = yield* SqlClient.SqlClient
      const post = yield* author.draft(paywalled)
      const wrong: ReadonlyArray<readonly [string, ReturnType<typeof zipFile>]> = [
        ["unsafe_name", { ...zipFile(), content: zipOf([{ name: "../x", content: "x" }]) }],
        ["unsupported_type", { ...zipFile(), content: `PK\u0005\u0006${"\u0000".repeat(18)}` }],
        ["unsupported_type", { ...zipFile(), mediaType: "image/png" }],
        ["invalid_name", zipFile("x", "book.pdf")],
        ["invalid_name", zipFile("x", "a:b.zip")],
        ["invalid_name", zipFile("x", `${"n".repeat(197)}.zip`)]
      ]
      for (const [code, part] of wrong) {
        const current = yield* revisionOf(author, post.id)
        const refused = yield* author.attach(current, { key: "again", parts: [part] })
        assert.deepStrictEqual(refusalOf(refused), [422, "validation", `file ${code}`])
        assert.lengthOf(yield* sql`select from post_attachments`, 0)
        assert.deepStrictEqual(yield* staged, [])
      }
      const current = yield* revisionOf(author, post.id)
      const longest = `${"n".repeat(196)}.zip`
      const sent = yield* author.attach(current, { key: "again", parts: [zipFile("x", longest)] })
      assert.strictEqual(sent.body.attachment.fileName, longest)
    }).pipe(fresh)
  )

  it.effect("A repeat is the same operation, and another name under its key is a conflict", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft(paywalled)
      const part = zipFile("x", "Книга é.zip")
      const sent = yield* author.attach(post, { key: "k", parts: [part] })
      assert.strictEqual(sent.body.attachment.fileName, "Книга é.zip")
      const again = yield* author.attach(post, { key: "k", parts: [part] })
      assert.deepStrictEqual([again.status, again.body.replayed, idOf(again)], [200, true, idOf(sent)])
      const other = yield* author.attach(post, { key: "k", parts: [zipFile("x", "other.zip")] })
      assert.deepStrictEqual(refusalOf(other), [409, "upload-conflict"])
      const bytes = yield* author.attach(post, { key: "k", parts: [zipFile("y", "Книга é.zip")] })
      assert.deepStrictEqual(refusalOf(bytes), [409, "upload-conflict"])
      const current = yield* revisionOf(author, post.id)
      const twin = yield* author.attach(current, { parts: [zipFile("z", "КНИГА É.ZIP")] })
      assert.deepStrictEqual(refusalOf(twin), [422, "validation", "file taken"])
    }).pipe(fresh)
  )

  it.effect("A Post has five files and a Profile three unfinished ones, apart from its images", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const post = yield* author.draft(paywalled)
      const send = Effect.fnUntraced(function* (number: number) {
        const current = yield* revisionOf(author, post.id)
        return yield* author.attach(current, { parts: [zipFile("x", `${number}.zip`)] })
      })
      for (const number of [1, 2, 3]) assert.strictEqual((yield* send(number)).status, 202)
      const fourth = yield* send(4)
      assert.deepStrictEqual([fourth.status, fourth.body.limit], [429, "unfinished_operations"])
      assert.strictEqual((yield* author.avatar()).status, 202)
      yield* workOff
      for (const number of [4, 5]) assert.strictEqual((yield* send(number)).status, 202)
      const sixth = yield* send(6)
      assert.deepStrictEqual([sixth.status, sixth.body.limit], [429, "post_attachments"])
    }).pipe(fresh)
  )

  it.effect("Malware takes a file off its Post with a new revision", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const { post, sent } = yield* attached(author)
      const before = yield* revisionOf(author, post.id)
      yield* rejecting
      const rejected = yield* author.status(sent)
      assert.deepStrictEqual(
        [rejected.body.safety.state, rejected.body.attachment, rejected.body.safety.associated],
        ["rejected", null, false]
      )
      const after = yield* revisionOf(author, post.id)
      assert.deepStrictEqual(after.attachments, [])
      assert.notStrictEqual(after.updatedAt, before.updatedAt)
      assert.deepStrictEqual([yield* files, yield* staged], [[], []])
      // The name is free again.
      assert.strictEqual((yield* author.attach(after)).status, 202)
    }).pipe(fresh)
  )

  it.effect("An archive that lies fails, and says so", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const { sent } = yield* attached(author)
      yield* (yield* Archives.ArchiveInspectorMemory).failNext(new ArchiveUnreadable({ reason: "damaged" }))
      yield* workOff
      const { safety } = (yield* author.status(sent)).body
      assert.deepStrictEqual(
        [safety.state, safety.lastError],
        ["failed", "unsupported or incomplete inspection"]
      )
      assert.include(safety.detail, "does not unpack")
    }).pipe(fresh)
  )

  it.effect("A cancelled file is gone, and so is a ready one that is removed and has no buyers", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sql = yield* SqlClient.SqlClient
      const { post, sent } = yield* attached(author)
      const cancelled = yield* author.cancel(sent)
      assert.deepStrictEqual([cancelled.body.safety.state, cancelled.body.attachment], ["cancelled", null])
      yield* workOff
      assert.deepStrictEqual([yield* files, yield* staged], [[], []])
      assert.lengthOf(yield* sql`select from post_attachments`, 0)

      const second = yield* author.attach(yield* revisionOf(author, post.id))
      yield* workOff
      const removed = yield* author.detach(post.id, idOf(second))
      const after = yield* revisionOf(author, post.id)
      assert.deepStrictEqual(
        [removed.status, removed.body],
        [200, { id: idOf(second), currentRevision: after.updatedAt }]
      )
      assert.deepStrictEqual(after.attachments, [])
      yield* workOff
      assert.deepStrictEqual(yield* files, [])
      assert.deepStrictEqual((yield* author.detach(post.id, idOf(second))).body, removed.body)
      assert.strictEqual((yield* (yield* uploaderOf(2)).detach(post.id, idOf(second))).status, 404)
      // Free again, as nothing is attached.
      assert.strictEqual((yield* author.patch(post.id, { enablePaywall: false })).status, 200)
      // The deletion of the Post takes the files with it.
      assert.strictEqual((yield* author.remove(post.id)).status, 204)
      yield* workOff
      assert.deepStrictEqual(yield* files, [])
    }).pipe(fresh)
  )

  it.effect("A ready file that is screened again and rejected is also taken from its buyers", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const { sent } = yield* attached(author)
      yield* workOff
      const administration = yield* UploadAdministration
      const admin = yield* administrator
      yield* administration.rescreen(admin, UploadOperationId.make(idOf(sent)))
      yield* workOff
      assert.strictEqual((yield* author.status(sent)).body.attachment.state, "ready")
      assert.lengthOf(yield* files, 1)
      yield* administration.rescreen(admin, UploadOperationId.make(idOf(sent)))
      yield* (yield* Scanners.ScannerMemory).answerNext(malware)
      yield* workOff
      assert.deepStrictEqual([(yield* author.status(sent)).body.attachment, yield* files], [null, []])
      assert.strictEqual((yield* kept(sent)).next_task, null)
    }).pipe(fresh)
  )

  it.effect("A Post that becomes free while a ZIP arrives does not take it", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sql = yield* SqlClient.SqlClient
      const post = yield* author.draft(paywalled)
      yield* sql`
        create function test_free() returns trigger language plpgsql as $$
        begin update posts set enable_paywall = false, price_raw = null where id = new.post_id; return new; end $$`
        .unprepared
      yield* sql`create trigger test_free after insert on post_attachments
        for each row execute function test_free()`.unprepared
      const sent = yield* author.attach(post)
      yield* sql`drop trigger test_free on post_attachments`.unprepared
      assert.deepStrictEqual(refusalOf(sent), [422, "paid-post-required", "enablePaywall paid_post_required"])
      assert.lengthOf(yield* sql`select from post_attachments`, 0)
      assert.lengthOf(yield* sql`select from upload_operations`, 0)
      assert.deepStrictEqual(yield* staged, [])
    }).pipe(fresh)
  )

  it.effect("A file whose bytes never arrive leaves the Post after a day", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(1)
      const sql = yield* SqlClient.SqlClient
      const { post, sent } = yield* attached(author)
      yield* sql`
        update upload_operations set state = 'receiving', next_task = 'receive', received_at = null, sha256 = null, format = null`
      yield* sql`update post_attachments set state = 'receiving'`
      assert.include(refusalOf(yield* author.publish(post.id)), "attachments required")
      yield* TestClock.adjust("25 hours")
      yield* workOff
      assert.deepStrictEqual(yield* sql`select state from upload_operations`, [{ state: "cancelled" }])
      assert.lengthOf(yield* sql`select from post_attachments`, 0)
      assert.strictEqual((yield* author.status(sent)).body.attachment, null)
    }).pipe(fresh)
  )
})
