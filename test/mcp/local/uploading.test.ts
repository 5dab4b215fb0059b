import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { BrowserMemory } from "../../../layers/testing/BrowserMemory.ts"
import { RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { saveCredential } from "../../../src/mcp/local/state/credentials.sql.ts"
import { saveIdentity } from "../../../src/mcp/local/state/identity.sql.ts"
import { paidPost } from "../../payments/access/paidPost.ts"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { inTime, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { TestClient } from "../../support/TestClient.ts"
import { allowed, localBuyer } from "./localBuyer.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"
import { type Sent, troubled, Wire } from "./Wire.ts"

const HALF = RAW_PER_XNO / 2n

/** An author whose Publishing key this directory has. */
const localAuthor = Effect.fnUntraced(function* (number: number) {
  const author = yield* uploaderOf(number)
  const client = yield* TestClient
  const { body: me } = yield* client.send("GET", "/api/v1/me", { token: author.accessToken })
  const store = yield* StateStore
  yield* store.write((tx) =>
    Effect.sync(() => {
      saveIdentity(tx, {
        ownerId: me.owner.id,
        profileId: me.owner.id,
        handle: me.owner.handle,
        method: "external-nano",
        walletAddress: null
      })
      saveCredential(tx, "publishing-key", {
        value: Redacted.make(author.key),
        keyId: "a-key",
        expiresAt: null
      })
    })
  )
  return author
})

/** Puts a file where uploads may come from. */
const placed = (directory: string, name: string, bytes: Uint8Array) => {
  const files = join(directory, "files")
  mkdirSync(files, { recursive: true })
  writeFileSync(join(files, name), bytes)
  return join(files, name)
}

const png = (seed: number) => pngOf({ width: 8, height: 8, seed })

const isUpload = ({ method, path }: Sent) => method === "POST" && /\/(images|attachments)$/.test(path)

const uploadsOf = Effect.map(Wire, ({ sent }) => sent.filter(isUpload))

/** Runs a test in a process of its own, with an empty directory. */
const inProcess = <A, E, R>(test: (directory: string) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(stateDirectory, (directory) =>
    Effect.flatMap(Layer.build(edition(directory)), (context) =>
      Effect.provideContext(test(directory), context)
    )
  ).pipe(Effect.scoped)

layer(serviceBehindWire("test_mcp_local_uploading"))("files of the local edition", (it) => {
  it.effect("An image is uploaded, looked at, put in its place and cancelled", () =>
    inProcess((directory) =>
      Effect.gen(function* () {
        const author = yield* localAuthor(1)
        const draft = yield* author.draft()
        const { call } = yield* toolsOf
        const path = placed(directory, "a.png", png(1))
        const args = { target: "og", post_id: draft.id, revision: draft.updatedAt, path }

        const { result } = yield* inTime(call("svc_upload_image", args))
        const { actions, safety } = result.receipt
        assert.deepInclude(safety, { received: true, targetKind: "og", targetId: draft.id })
        assert.match(actions.status, /^https:\/\/press\.test\/api\/v1\/upload-operations\//)
        const again = yield* inTime(call("svc_upload_image", args))
        assert.isTrue(again.result.operation.replayed)
        yield* workOff
        const status = (yield* call("svc_image_status", { operation_id: safety.operationId })).result
        assert.strictEqual(status.receipts[0].safety.state, "cleared")
        const byKey = yield* call("svc_image_status", {
          request_key: `svc-mcp-${result.operation.operationId}`,
          target: "og",
          post_id: draft.id
        })
        assert.strictEqual(byKey.result.receipts[0].safety.operationId, safety.operationId)
        const associated = yield* inTime(call("svc_image_associate", { operation_id: safety.operationId }))
        assert.isTrue(associated.result.receipt.safety.associated)
        const cancelled = yield* inTime(call("svc_image_cancel", { operation_id: safety.operationId }))
        assert.isFalse(cancelled.result.receipt.safety.desired)
        assert.lengthOf(yield* uploadsOf, 1)

        for (const [wrong, code] of [
          [{ ...args, path: "/etc/passwd" }, "file-not-allowed"],
          [{ ...args, path: join(directory, "state.db") }, "file-not-allowed"],
          [{ target: "inline", path }, "validation"],
          [{ ...args, target: "inline" }, "validation"]
        ] as const) {
          const { isError, text } = yield* call("svc_upload_image", wrong)
          assert.isTrue(isError)
          assert.strictEqual(JSON.parse(text).code, code, text)
        }
      })
    )
  )

  it.effect("A file whose answer is lost is looked for, and never sent twice once received", () =>
    inProcess((directory) =>
      Effect.gen(function* () {
        const author = yield* localAuthor(2)
        const draft = yield* author.draft()
        const { call } = yield* toolsOf
        const before = (yield* uploadsOf).length
        const args = {
          target: "inline",
          post_id: draft.id,
          revision: draft.updatedAt,
          node_key: "node-1",
          path: placed(directory, "b.png", png(2))
        }
        yield* troubled(isUpload, "lost")
        const lost = JSON.parse((yield* inTime(call("svc_upload_image", args))).text)
        assert.strictEqual(lost.code, "outcome-unknown")
        const found = yield* inTime(call("svc_upload_image", args))
        assert.isTrue(found.result.receipt.safety.received)
        assert.lengthOf((yield* uploadsOf).slice(before), 1)

        // One that never arrived is sent again, with the same key and bytes.
        const next = { ...args, node_key: "node-2", path: placed(directory, "c.png", png(3)) }
        yield* troubled(isUpload, "unsent")
        const { operationId } = JSON.parse((yield* inTime(call("svc_upload_image", next))).text)
        const resumed = yield* inTime(call("svc_operation", { operation_id: operationId, action: "resume" }))
        assert.isTrue(resumed.result.operations[0].result.receipt.safety.received)
        const [first, second] = (yield* uploadsOf).slice(before + 1)
        assert.deepStrictEqual(first?.headers["idempotency-key"], second?.headers["idempotency-key"])
        assert.strictEqual(first?.body, second?.body)
      })
    )
  )

  it.effect("A file whose request was lost is never mistaken for one of the same name and size", () =>
    inProcess((directory) =>
      Effect.gen(function* () {
        const author = yield* localAuthor(4)
        const draft = yield* author.draft(paidPost)
        const { call } = yield* toolsOf
        const attach = Effect.fnUntraced(function* (content: string) {
          const { body } = yield* author.read(draft.id)
          const path = placed(directory, "book.zip", zipOf([{ name: "a.txt", content, method: 0 }]))
          return yield* inTime(call("svc_attach_zip", { post_id: draft.id, revision: body.updatedAt, path }))
        })
        assert.isFalse((yield* attach("first")).isError)
        yield* troubled(isUpload, "unsent")
        const { operationId } = JSON.parse((yield* attach("other")).text)
        const { result } = yield* inTime(
          call("svc_operation", { operation_id: operationId, action: "resume" })
        )
        const [operation] = result.operations
        assert.isNull(operation.result)
        assert.deepInclude(operation.refusal.fields[0], { field: "file", code: "taken" })
      })
    )
  )

  it.effect("A ZIP is attached, bought, downloaded and extracted by another process", () =>
    Effect.gen(function* () {
      const post = yield* inProcess((directory) =>
        Effect.gen(function* () {
          const author = yield* localAuthor(3)
          const draft = yield* author.draft(paidPost)
          const { call } = yield* toolsOf
          const path = placed(directory, "book.zip", zipOf([{ name: "words/a.txt", content: "words" }]))
          const args = { post_id: draft.id, revision: draft.updatedAt, path }
          const { result } = yield* inTime(call("svc_attach_zip", args))
          assert.isTrue(result.receipt.safety.received)
          yield* workOff
          const status = yield* call("svc_attachment_status", { post_id: draft.id })
          const [attachment] = status.result.attachments
          assert.deepInclude(attachment, { state: "ready", untrusted: { fileName: "book.zip" } })
          assert.strictEqual((yield* author.publish(draft.id)).status, 200)
          const opened = yield* call("svc_open_browser", { target: "post", post_id: draft.id })
          assert.match(opened.result.url, /^https:\/\/press\.test\/@author3\//)
          assert.deepStrictEqual((yield* BrowserMemory).opened, [opened.result.url])
          return { id: draft.id as string, file: attachment.id as string }
        })
      )
      yield* inProcess((directory) =>
        Effect.gen(function* () {
          const buyer = yield* localBuyer(301)
          yield* allowed(buyer, { maxTotalRaw: RAW_PER_XNO })
          const { call } = yield* toolsOf
          const wanted = { post_id: post.id, attachment_id: post.file }
          const unpaid = yield* inTime(call("svc_download_attachment", wanted))
          assert.strictEqual(JSON.parse(unpaid.text).code, "payment-required")
          const early = yield* call("svc_extract_attachment", { attachment_id: post.file })
          assert.strictEqual(JSON.parse(early.text).code, "not-found")

          yield* inTime(call("svc_buy_post", { post_id: post.id, expected_price_raw: String(HALF) }))
          const { result } = yield* inTime(call("svc_download_attachment", wanted))
          assert.strictEqual(result.path, join(directory, "downloads", `${post.file}.zip`))
          assert.deepStrictEqual(result.untrusted, { fileName: "book.zip" })
          const extracted = yield* call("svc_extract_attachment", { attachment_id: post.file })
          assert.deepInclude(extracted.result, { files: 1, directories: 1, totalBytes: 5 })
          const [path] = extracted.result.untrusted.paths
          assert.strictEqual(readFileSync(join(extracted.result.directory, path), "utf8"), "words")
          const { sent } = yield* Wire
          const before = sent.length
          yield* inTime(call("svc_download_attachment", wanted))
          // A file that is there is not downloaded again.
          const asked = sent.slice(before).filter(({ path }) => path.endsWith(post.file))
          assert.deepStrictEqual(
            asked.map(({ method }) => method),
            ["HEAD"]
          )
        })
      )
    })
  )
})
