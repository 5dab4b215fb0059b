import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../support/actors/author.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

const NOWHERE = "01970000-0000-7000-8000-000000000000"

const idOf = ({ body }: TestAnswer) => body.safety.operationId as string
const idsOf = ({ body }: TestAnswer): ReadonlyArray<string> =>
  body.operations.map((it: { readonly safety: { readonly operationId: string } }) => it.safety.operationId)

const saved = (requestKey: string, targetKind: string, targetId: string, targetKey?: string) =>
  `?${new URLSearchParams({ requestKey, targetKind, targetId, ...(targetKey === undefined ? {} : { targetKey }) })}`

layer(service(database("test_upload_recovery")))("exact recovery (4.4)", (it) => {
  it.effect("A saved request finds its one operation, or an empty array before it exists", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const none = yield* author.operations(saved("one", "inline", post.id, "node-1"))
      assert.deepStrictEqual([none.status, none.body], [200, { operations: [] }])
      const inline = yield* author.inline(post, { key: "one" })
      const avatar = yield* author.avatar({ key: "a&b=c?#%20+" })
      const owner = avatar.body.safety.targetId
      const { body } = yield* author.operations(saved("one", "inline", post.id, "node-1"))
      assert.deepStrictEqual(body, { operations: [inline.body] })
      for (const query of [
        saved("a&b=c?#%20+", "avatar", owner),
        saved("a&b=c?#%20+", "avatar", owner, "")
      ]) {
        assert.deepStrictEqual(idsOf(yield* author.operations(query)), [idOf(avatar)])
      }
      for (const query of [
        saved("two", "inline", post.id, "node-1"),
        saved("one", "og", post.id, "node-1"),
        saved("one", "inline", NOWHERE, "node-1"),
        saved("one", "inline", post.id, "node-2"),
        saved("one", "inline", post.id),
        saved("one", "avatar", owner)
      ]) {
        assert.deepStrictEqual((yield* author.operations(query)).body, { operations: [] }, query)
      }
    })
  )

  it.effect("A recovery names the missing, unknown and wrong parameters of its request", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["?requestKey=one", ["targetKind required", "targetId required"]],
        [`?targetKind=og&targetId=${post.id}`, ["requestKey required"]],
        ["?targetKey=node-1", ["requestKey required", "targetKind required", "targetId required"]],
        [`${saved("one", "og", post.id)}&postId=${post.id}`, ["postId invalid"]],
        [saved("one", "zip", post.id), ["targetKind invalid"]],
        [saved("one", "og", "none"), ["targetId invalid"]],
        [saved("k".repeat(256), "og", post.id), ["requestKey too_long"]],
        [`${saved("one", "og", post.id)}&page=2`, ["page unknown"]]
      ]
      for (const [query, errors] of cases) {
        const answer = yield* author.operations(query)
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", ...errors], query)
      }
    })
  )

  it.effect("A rotated key of the same owner recovers, and the old one no longer does", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const first = yield* author.avatar({ key: "one" })
      const client = yield* TestClient
      const keyId = author.key.split("_")[1]
      const listed = yield* client.send("GET", "/api/v1/api-keys", { token: author.accessToken })
      assert.include(JSON.stringify(listed.body), `${keyId}`)
      const rotated = yield* client.send("POST", `/api/v1/api-keys/${keyId}/rotate`, {
        token: author.accessToken,
        body: {}
      })
      const query = saved("one", "avatar", first.body.safety.targetId)
      const old = yield* author.operations(query)
      assert.deepStrictEqual(refusalOf(old), [401, "invalid-credential"])
      const token: string = rotated.body.key
      const found = yield* client.send("GET", `/api/v1/upload-operations${query}`, { token })
      assert.deepStrictEqual(found.body, { operations: [first.body] })
      for (const [method, path] of [
        ["GET", first.body.actions.status],
        ["POST", first.body.actions.associate],
        ["DELETE", first.body.actions.cancel]
      ] as const) {
        const answer = yield* client.send(method, path, { token })
        assert.strictEqual(idOf(answer), idOf(first))
      }
    })
  )
})

layer(service(database("test_upload_lists")))("lists of operations (4.4)", (it) => {
  it.effect("A list has the operations of a Post or of the Profile, newest first, and promotes nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const [post, other] = [yield* author.draft(), yield* author.draft()]
      const inline = yield* author.inline(post)
      yield* TestClock.adjust("1 second")
      const node = yield* author.inline(post, { headers: { "x-upload-target-key": "node-2" } })
      yield* author.inline(other)
      yield* TestClock.adjust("1 second")
      const og = yield* author.og(post)
      const avatar = yield* author.avatar()
      yield* TestClock.adjust("1 second")
      const header = yield* author.header()
      const ofPost = yield* author.operations(`?postId=${post.id}`)
      assert.deepStrictEqual(idsOf(ofPost), [idOf(og), idOf(node), idOf(inline)])
      assert.deepStrictEqual(idsOf(yield* author.operations()), [idOf(header), idOf(avatar)])
      for (const receipt of ofPost.body.operations) {
        const one = yield* author.status({ body: receipt } as TestAnswer)
        assert.deepStrictEqual(one.body, receipt)
      }
    })
  )

  it.effect("Foreign operations are never visible in any way", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const other = yield* uploader
      const post = yield* author.draft()
      const inline = yield* author.inline(post, { key: "one" })
      const avatar = yield* author.avatar({ key: "two" })
      for (const query of [`?postId=${post.id}`, `?postId=${NOWHERE}`]) {
        assert.deepStrictEqual(refusalOf(yield* other.operations(query)), [404, "not-found"])
      }
      for (const query of [
        "",
        saved("one", "inline", post.id, "node-1"),
        saved("two", "avatar", avatar.body.safety.targetId)
      ]) {
        assert.deepStrictEqual((yield* other.operations(query)).body, { operations: [] })
      }
      for (const operation of [inline, avatar]) {
        for (const act of [other.status, other.associate, other.cancel]) {
          assert.deepStrictEqual(refusalOf(yield* act(operation)), [404, "not-found"])
        }
        assert.strictEqual((yield* author.status(operation)).body.safety.desired, true)
      }
      const unknown = { body: { actions: { status: `/api/v1/upload-operations/${NOWHERE}` } } } as TestAnswer
      assert.deepStrictEqual(refusalOf(yield* author.status(unknown)), [404, "not-found"])
    })
  )
})
