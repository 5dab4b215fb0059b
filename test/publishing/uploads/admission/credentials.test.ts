import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../../support/actors/author.ts"
import { pngFile, uploaderOf } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { multipart } from "../multipart.ts"
import { leavingNothing } from "./remains.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

const NOWHERE = "01970000-0000-7000-8000-000000000000"

layer(service(database("test_upload_credentials")))("credentials of image uploads (4.4, 5)", (it) => {
  it.effect("A foreign Post and an unknown one are 404, and a malformed id 422", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const other = yield* uploader
      const post = yield* other.draft()
      for (const it of [post, { ...post, id: NOWHERE }]) {
        for (const send of [author.inline, author.og]) {
          assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, send(it))), [404, "not-found"])
        }
      }
      assert.deepStrictEqual(refusalOf(yield* author.og({ ...post, id: "none" })), [
        422,
        "validation",
        "postId invalid"
      ])
      assert.deepStrictEqual((yield* author.operations()).body, { operations: [] })
      assert.deepStrictEqual((yield* other.operations(`?postId=${post.id}`)).body, { operations: [] })
    })
  )

  it.effect("A deleted Post is 404", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      assert.strictEqual((yield* author.remove(post.id)).status, 204)
      assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, author.og(post))), [404, "not-found"])
    })
  )

  it.effect("Owner sessions, missing credentials and dead keys are refused everywhere", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const { body: receipt } = yield* author.inline(post)
      const form = multipart([pngFile()])
      const client = yield* TestClient
      const issued = yield* client.send("POST", "/api/v1/api-keys", {
        token: author.accessToken,
        body: { expiresAt: "2099-01-01T00:00:00Z" }
      })
      const brief = yield* client.send("POST", "/api/v1/api-keys", {
        token: author.accessToken,
        body: { expiresAt: new Date((yield* Clock.currentTimeMillis) + 60_000).toISOString() }
      })
      yield* client.send("POST", `/api/v1/api-keys/${issued.body.apiKey.keyId}/revoke`, {
        token: author.accessToken
      })
      const live = yield* client.send("GET", receipt.actions.status, { token: brief.body.key })
      assert.strictEqual(live.status, 202)
      yield* TestClock.adjust("1 minute")

      const recovery = `/api/v1/upload-operations?requestKey=x&targetKind=inline&targetId=${post.id}&targetKey=node-1`
      const operations = [
        ["POST", "/api/v1/profile/avatar"],
        ["POST", "/api/v1/profile/header"],
        ["DELETE", "/api/v1/profile/header"],
        ["POST", `/api/v1/posts/${post.id}/images?intent=og`],
        ["GET", "/api/v1/upload-operations"],
        ["GET", recovery],
        ["GET", receipt.actions.status],
        ["POST", receipt.actions.associate],
        ["DELETE", receipt.actions.cancel]
      ] as const
      for (const token of [author.accessToken, "no", issued.body.key, brief.body.key]) {
        for (const [method, path] of operations) {
          const isUpload = method === "POST" && !path.endsWith("/associate")
          const answer = yield* leavingNothing(
            author,
            client.send(method, path, {
              token,
              headers: isUpload ? { "idempotency-key": "one", ...form.headers } : {},
              ...(isUpload ? { body: form.body } : {})
            })
          )
          assert.deepStrictEqual(refusalOf(answer), [401, "invalid-credential"], `${method} ${path}`)
        }
      }
      const anonymous = yield* client.send("GET", receipt.actions.status)
      assert.deepStrictEqual(refusalOf(anonymous), [401, "invalid-credential"])
    })
  )
})
