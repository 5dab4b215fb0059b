import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eicar } from "../layers/scanner/scannerBytes.ts"
import { zipOf } from "../publishing/archives/makeZip.ts"
import { paywalled } from "../publishing/attachments/paywalled.ts"
import { idOf } from "../publishing/uploads/screenings.ts"
import { clientOver, objectsIn } from "./uploadClient.ts"
import { servedTo } from "./uploadService.ts"

const zipPart = (content: Uint8Array) => ({
  name: "file",
  fileName: "book.zip",
  mediaType: "application/zip",
  content
})

describe("ZIPs of the whole service, with a clamd", () => {
  it("A scanner is configured for these tests", () =>
    assert.isDefined(process.env["SERVICES_CLAMD_UNIX"], "SERVICES_CLAMD_UNIX is missing: .ci/run sets it"))

  it.live("A ZIP is cleared and downloaded, or rejected with a notice to its author and gone", () =>
    Effect.gen(function* () {
      const service = yield* servedTo("services_attachments", {})
      const { directory, ends, origin, owner, settled, sql } = service
      const client = clientOver(origin)
      const post = yield* owner.draft(paywalled)
      const attach = Effect.fnUntraced(function* (content: Uint8Array) {
        const { body: before } = yield* owner.read(post.id)
        const sent = yield* owner.attach(before, { parts: [zipPart(content)] })
        assert.strictEqual(sent.status, 202, sent.text)
        return { sent, during: sent.body.currentRevision as string }
      })
      const rowsOf = (id: string) => sql`select from post_attachments where id = ${id}`
      const notices = Effect.map(
        client.send("GET", "/api/v1/notifications", { token: owner.accessToken }),
        ({ body }) => body.notifications as ReadonlyArray<any>
      )

      // The test string of EICAR, packed, and in a ZIP within a ZIP.
      const bad = zipOf([
        { name: "read me.txt", content: "words" },
        { name: "d/a.com", content: eicar, method: 8 }
      ])
      const deep = zipOf([{ name: "b.zip", content: zipOf([{ name: "a.zip", content: bad }]) }])
      for (const archive of [bad, deep]) {
        const { during, sent } = yield* attach(archive)
        const { attachment, safety } = yield* ends(sent, "rejected")
        assert.deepStrictEqual([attachment, safety.associated], [null, false])
        yield* settled
        const { body: after } = yield* owner.read(post.id)
        assert.deepStrictEqual(after.attachments, [])
        assert.isAbove(Date.parse(after.updatedAt), Date.parse(during))
        assert.lengthOf(yield* rowsOf(idOf(sent)), 0)
        assert.deepStrictEqual(objectsIn(directory), [])
        const notice = (yield* notices).find(({ data }) => data.cause === idOf(sent))
        assert.deepInclude(notice, {
          type: "account_issue",
          post_id: post.id,
          data: { code: "attachment_rejected", cause: idOf(sent) }
        })
      }

      // The name is free again.
      const clean = zipOf([{ name: "read me.txt", content: "words ".repeat(1000), method: 8 }])
      const { sent } = yield* attach(clean)
      assert.strictEqual((yield* ends(sent, "cleared")).attachment.state, "ready")
      yield* settled
      assert.deepStrictEqual(objectsIn(directory), [`attachments/${post.id}/${idOf(sent)}.zip`])
      assert.strictEqual((yield* owner.publish(post.id)).status, 200)
      const path = `/api/posts/${post.id}/attachments/${idOf(sent)}`
      const got = yield* client.send("GET", path, { token: owner.accessToken })
      assert.deepStrictEqual([got.status, Buffer.from(got.bytes ?? [])], [200, Buffer.from(clean)])
      assert.strictEqual((yield* client.send("GET", path)).status, 402)

      // It has no buyers: its author takes it off, and it is gone.
      assert.strictEqual((yield* owner.detach(post.id, idOf(sent))).status, 200)
      yield* settled
      assert.lengthOf(yield* rowsOf(idOf(sent)), 0)
      assert.deepStrictEqual(objectsIn(directory), [])
      assert.lengthOf(yield* notices, 2)
    })
  )
})
