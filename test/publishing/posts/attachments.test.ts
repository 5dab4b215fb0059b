import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NativeContents } from "../../../src/publishing/posts/NativeContents.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { changedMeanwhile } from "../../support/deletedMeanwhile.ts"
import { service } from "../../support/TestClient.ts"

const paywalled = { paidContentMarkdown: "paid", enablePaywall: true, priceXno: "1" }

/** Adds a file to a Post, as an upload does. */
const attach = Effect.fnUntraced(function* (postId: string, state: string, number = 1) {
  const sql = yield* SqlClient.SqlClient
  const id = `00000000-0000-7000-8000-${postId.slice(-11)}${number}`
  yield* sql`
    insert into post_attachments (id, post_id, owner_id, file_name, byte_size, state, created_at)
    select ${id}, id, owner_id, ${`book-${number}.zip`}, ${3_000_000_000 + number}, ${state}, ${new Date(number)}
    from posts where id = ${postId}`
  return { id, fileName: `book-${number}.zip`, byteSize: 3_000_000_000 + number, state }
})

layer(service(database("test_posts_attachments")))("files of a Post (4.3.8)", (it) => {
  it.effect("A PATCH does not replace attachments, which the Post lists in the order of arrival", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const draft = yield* author.draft(paywalled)
      assert.deepStrictEqual(draft.attachments, [])
      const second = yield* attach(draft.id, "pending", 2)
      const first = yield* attach(draft.id, "ready", 1)
      const patched = yield* author.patch(draft.id, { title: "Other" })
      assert.deepStrictEqual(patched.body.attachments, [first, second])
      assert.deepStrictEqual(refusalOf(yield* author.patch(draft.id, { attachments: [] })), [
        422,
        "validation",
        "attachments unknown"
      ])
      const listed = yield* author.send("GET", "")
      assert.deepStrictEqual(listed.body.data[0].attachments, [first, second])
    })
  )

  for (const state of ["pending", "ready"]) {
    it.effect(`A paywalled Post with ${state} ZIP attachments must keep nonempty paid text`, () =>
      Effect.gen(function* () {
        const author = yield* authorOf(state === "pending" ? 2 : 3)
        const draft = yield* author.draft(paywalled)
        yield* attach(draft.id, state)
        for (const paidContentMarkdown of [null, "", " \n"]) {
          assert.deepStrictEqual(refusalOf(yield* author.patch(draft.id, { paidContentMarkdown })), [
            422,
            "paid-content-required",
            "paidContentMarkdown paid_content_required"
          ])
        }
        const both = yield* author.patch(draft.id, { paidContentMarkdown: null, enablePaywall: false })
        assert.strictEqual(both.body.errors[0].code, "paid_content_required")
        const other = yield* author.patch(draft.id, {
          paidContentMarkdown: "other",
          freeContentMarkdown: null
        })
        assert.strictEqual(other.status, 200)
      })
    )

    it.effect(`A Post with ${state} ZIPs may not become free`, () =>
      Effect.gen(function* () {
        const author = yield* authorOf(state === "pending" ? 4 : 5)
        const draft = yield* author.draft(paywalled)
        yield* attach(draft.id, state)
        const refused = yield* author.patch(draft.id, { enablePaywall: false })
        assert.deepStrictEqual(refusalOf(refused), [
          422,
          "paid-post-required",
          "enablePaywall paid_post_required"
        ])
        assert.isTrue((yield* author.read(draft.id)).body.enablePaywall)
      })
    )
  }

  it.effect("Unreceived attachment uploads block publication but not edits", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(6)
      const sql = yield* SqlClient.SqlClient
      const draft = yield* author.draft(paywalled)
      yield* attach(draft.id, "receiving")
      assert.deepStrictEqual(refusalOf(yield* author.publish(draft.id)), [
        422,
        "publication-incomplete",
        "attachments required"
      ])
      assert.strictEqual((yield* author.patch(draft.id, { enablePaywall: false })).status, 200)
      yield* sql`update post_attachments set state = 'pending' where post_id = ${draft.id}`
      assert.strictEqual((yield* author.publish(draft.id, "again")).status, 200)
    })
  )

  it.effect("A publication that waits for a file to be announced sees it", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(9)
      const draft = yield* author.draft(paywalled)
      const refused = yield* changedMeanwhile(
        "test_posts_attachments",
        [
          `insert into post_attachments (id, post_id, owner_id, file_name, byte_size, state, created_at)
          select gen_random_uuid(), id, owner_id, 'a.zip', 1, 'receiving', 'epoch' from posts where id = '${draft.id}'`,
          `update posts set updated_at = updated_at + interval '1 second' where id = '${draft.id}'`
        ],
        author.publish(draft.id)
      )
      assert.deepStrictEqual(refusalOf(refused), [422, "publication-incomplete", "attachments required"])
    })
  )

  it.effect("Another service cannot empty the paid section of a Post with files either", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(7)
      const draft = yield* author.draft(paywalled)
      yield* attach(draft.id, "ready")
      const refused = yield* author.asService((publisher, id) =>
        Effect.flatMap(NativeContents, (contents) =>
          Effect.flip(contents.write(publisher, id, { paid: null }))
        )
      )(draft.id)
      assert.strictEqual(refused._tag, "PaidContentRequired")
    })
  )

  it.effect("A removed draft takes its files with it", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(8)
      const sql = yield* SqlClient.SqlClient
      const draft = yield* author.draft(paywalled)
      yield* attach(draft.id, "ready")
      assert.strictEqual((yield* author.remove(draft.id)).status, 204)
      assert.deepStrictEqual(yield* sql`select 1 from post_attachments where post_id = ${draft.id}`, [])
    })
  )
})
