import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf } from "../../../support/actors/author.ts"
import { pngFile, uploaderOf } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { multipart } from "../multipart.ts"
import { leavingNothing } from "./remains.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

layer(service(database("test_upload_keys")))("the Idempotency-Key of an image (4.4)", (it) => {
  const sent = Effect.fnUntraced(function* (key: string | undefined) {
    const author = yield* uploader
    const form = multipart([pngFile()])
    const headers = { ...form.headers, ...(key === undefined ? {} : { "idempotency-key": key }) }
    const post = yield* author.draft()
    const client = yield* TestClient
    const avatar = client.send("POST", "/api/v1/profile/avatar", {
      token: author.key,
      body: form.body,
      headers
    })
    const og = author.send("POST", `/${post.id}/images?intent=og`, {
      body: form.body,
      headers: { "x-post-revision": post.updatedAt, ...headers, "idempotency-key": `${key ?? ""}` }
    })
    return { author, avatar, og }
  })

  it.effect("A request without an Idempotency-Key is 422, and leaves nothing", () =>
    Effect.gen(function* () {
      const { author, avatar } = yield* sent(undefined)
      const answer = yield* leavingNothing(author, avatar)
      assert.deepStrictEqual(refusalOf(answer), [422, "validation", "Idempotency-Key required"])
    })
  )

  it.effect("An Idempotency-Key has 1 to 255 visible ASCII characters, and others are 422", () =>
    Effect.gen(function* () {
      for (const key of ["k", "k".repeat(255), ` ${"k".repeat(255)} `]) {
        const { avatar } = yield* sent(key)
        assert.strictEqual((yield* avatar).status, 202, key)
      }
      for (const [key, code] of [
        ["", "too_short"],
        ["  ", "too_short"],
        ["k".repeat(256), "too_long"],
        ["\u00e4", "invalid"]
      ] as const) {
        const { author, avatar, og } = yield* sent(key)
        const expected = [422, "validation", `Idempotency-Key ${code}`]
        assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, avatar)), expected)
        assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, og)), expected)
      }
    })
  )

  it.effect("An Idempotency-Key is trimmed, and may not contain white space", () =>
    Effect.gen(function* () {
      for (const key of ["a b", "a\tb", "a\u00a0b"]) {
        const { author, avatar } = yield* sent(key)
        const answer = yield* leavingNothing(author, avatar)
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", "Idempotency-Key invalid"])
      }
      const author = yield* uploader
      const first = yield* author.avatar({ key: "\t one " })
      const again = yield* author.avatar({ key: "one" })
      assert.deepStrictEqual([again.status, again.body.replayed], [200, true])
      assert.strictEqual(again.body.safety.operationId, first.body.safety.operationId)
    })
  )
})

layer(service(database("test_upload_revisions")))("the revision of an image (4.3.9, 4.4)", (it) => {
  it.effect("One answer names all missing headers", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const { body, headers } = multipart([pngFile()])
      const answer = yield* leavingNothing(
        author,
        author.send("POST", `/${post.id}/images?intent=content`, { body, headers })
      )
      assert.deepStrictEqual(refusalOf(answer), [
        422,
        "validation",
        "Idempotency-Key required",
        "X-Upload-Target-Key required",
        "X-Post-Revision required"
      ])
    })
  )

  it.effect("One answer names all wrong headers, with those that are missing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const { body, headers } = multipart([pngFile()])
      const send = (more: Readonly<Record<string, string>>) =>
        leavingNothing(
          author,
          author.send("POST", `/${post.id}/images?intent=content`, { body, headers: { ...headers, ...more } })
        )
      const wrongKey = { "idempotency-key": "k".repeat(256) }
      const wrongTarget = { "x-upload-target-key": "a b" }
      assert.deepStrictEqual(refusalOf(yield* send({ ...wrongKey, ...wrongTarget })), [
        422,
        "validation",
        "Idempotency-Key too_long",
        "X-Upload-Target-Key invalid",
        "X-Post-Revision required"
      ])
      // A wrong revision is refused in the ordinary family, with everything else that is wrong.
      assert.deepStrictEqual(refusalOf(yield* send({ ...wrongKey, "x-post-revision": "yesterday" })), [
        422,
        "malformed_revision",
        "Idempotency-Key too_long",
        "X-Upload-Target-Key required",
        "X-Post-Revision invalid"
      ])
      assert.deepStrictEqual(refusalOf(yield* send({ ...wrongTarget, "if-match": "yesterday" })), [
        422,
        "malformed_revision",
        "Idempotency-Key required",
        "X-Upload-Target-Key invalid",
        "If-Match invalid"
      ])
    })
  )

  it.effect("Images of Posts require X-Post-Revision, and those of Profiles do not know it", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const form = multipart([pngFile()])
      const answer = yield* leavingNothing(
        author,
        author.send("POST", `/${post.id}/images?intent=og`, {
          body: form.body,
          headers: { ...form.headers, "idempotency-key": "one" }
        })
      )
      assert.deepStrictEqual(refusalOf(answer), [422, "validation", "X-Post-Revision required"])
      assert.strictEqual((yield* author.avatar()).status, 202)
    })
  )

  it.effect("A stale revision is 409 revision-conflict, and leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      yield* author.patch(post.id, { title: "Another title" })
      for (const send of [author.inline, author.og]) {
        const answer = yield* leavingNothing(author, send(post))
        assert.deepStrictEqual(refusalOf(answer), [409, "revision-conflict"])
      }
      const latest = (yield* author.read(post.id)).body
      assert.strictEqual((yield* author.inline(latest)).status, 202)
      assert.strictEqual((yield* author.og(latest)).status, 202)
    })
  )

  it.effect("A revision may be in the legacy If-Match, and both must agree", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const form = multipart([pngFile()])
      let keys = 0
      const send = (headers: Readonly<Record<string, string>>) =>
        author.send("POST", `/${post.id}/images`, {
          body: form.body,
          headers: {
            ...form.headers,
            "idempotency-key": `key-${keys++}`,
            "x-upload-target-key": "node-1",
            ...headers
          }
        })
      const right: string = post.updatedAt
      const stale = "2020-01-01T00:00:00.000000Z"
      for (const headers of [
        { "if-match": right },
        { "if-match": `"${right}"` },
        { "if-match": `"${right}"`, "x-post-revision": right }
      ]) {
        assert.strictEqual((yield* send(headers)).status, 202)
      }
      assert.deepStrictEqual(refusalOf(yield* leavingNothing(author, send({ "if-match": stale }))), [
        409,
        "revision-conflict"
      ])
      for (const headers of [
        { "if-match": stale, "x-post-revision": right },
        { "if-match": right, "x-post-revision": stale }
      ]) {
        const answer = yield* leavingNothing(author, send(headers))
        assert.deepStrictEqual(refusalOf(answer), [422, "malformed_revision", "If-Match mismatch"])
      }
    })
  )

  it.effect("A malformed revision is 422 in the ordinary family", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      for (const wrong of ["", "yesterday", "*", "2026-13-01T00:00:00Z", `W/"${post.updatedAt}"`]) {
        for (const [header, name] of [
          ["x-post-revision", "X-Post-Revision"],
          ["if-match", "If-Match"]
        ] as const) {
          const headers = { [header]: wrong }
          const answer = yield* leavingNothing(author, author.inline(post, { headers }))
          assert.deepStrictEqual(refusalOf(answer), [422, "malformed_revision", `${name} invalid`], wrong)
          assert.strictEqual(answer.body.statusCode, 422)
        }
      }
    })
  )

  it.effect("An X-Upload-Target-Key has 1 to 255 visible ASCII characters", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const send = (key: string) => author.inline(post, { headers: { "x-upload-target-key": key } })
      for (const key of ["n", "n".repeat(255)]) {
        const { body } = yield* send(key)
        assert.deepStrictEqual([body.safety.targetKind, body.safety.targetKey], ["inline", key])
      }
      for (const key of ["n".repeat(256), "a b", "a\tb", "\u00e4"]) {
        const answer = yield* leavingNothing(author, send(key))
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", "X-Upload-Target-Key invalid"])
      }
      for (const key of ["", "  "]) {
        const answer = yield* leavingNothing(author, send(key))
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", "X-Upload-Target-Key required"])
      }
    })
  )
})
