import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { errorsOf, refusalOf } from "../../../support/actors/author.ts"
import { pngFile, uploaderOf } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, type TestAnswer } from "../../../support/TestClient.ts"
import { type FormPart, multipart } from "../multipart.ts"
import { leavingNothing } from "./remains.ts"

const field = (name: string, content: string): FormPart => ({ name, content })
const unnamed: FormPart = { name: "file", mediaType: "image/png", content: pngFile().content }
const long = (bytes: number): FormPart => ({ ...unnamed, content: new Uint8Array(bytes) })

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

const refusals = (answers: ReadonlyArray<TestAnswer>) => answers.map(refusalOf)

layer(service(database("test_upload_forms")))("the form of an image (4.4)", (it) => {
  const refused: ReadonlyArray<readonly [string, ReadonlyArray<FormPart>, string]> = [
    ["no part", [], "file required"],
    ["two files", [pngFile(1), pngFile(2)], "file too_long"],
    ["the same file twice", [pngFile(1), pngFile(1)], "file too_long"],
    ["a file of another name", [{ ...pngFile(), name: "image" }], "image unknown"],
    ["a file named File", [{ ...pngFile(), name: "File" }], "File unknown"],
    ["a second file of another name", [pngFile(), { ...pngFile(2), name: "b" }], "b unknown"],
    ["a file without a file name", [unnamed], "file invalid"],
    ["a file without a file name after one with a name", [pngFile(), unnamed], "file invalid"],
    ["a file without a file name, of 1,025 bytes", [long(1025)], "file invalid"],
    ["a file without a file name, of a mebibyte", [long(1024 * 1024)], "file invalid"],
    ["a long file without a file name after one with a name", [pngFile(), long(100_000)], "file invalid"],
    ["a field named file", [field("file", "text")], "file invalid"],
    ["an extra field before the file", [field("alt", "A"), pngFile()], "alt unknown"],
    ["an extra field after the file", [pngFile(), field("alt", "A")], "alt unknown"],
    ["a field without a name", [pngFile(), field("", "A")], " unknown"],
    ["__proto__", [pngFile(), field("__proto__", "A")], "__proto__ unknown"],
    ["a long name", [pngFile(), field("n".repeat(300), "A")], `${"n".repeat(64)} unknown`],
    ["an intent that is a file", [pngFile(), { ...pngFile(2), name: "intent" }], "intent unknown"]
  ]
  for (const [what, parts, error] of refused) {
    it.effect(`A form with ${what} instead of one part file is 422, and leaves nothing`, () =>
      Effect.gen(function* () {
        const author = yield* uploader
        const post = yield* author.draft()
        const expected = [422, "validation", error]
        const answers = yield* leavingNothing(
          author,
          Effect.all([
            author.avatar({ parts }),
            author.header({ parts }),
            author.inline(post, { parts }),
            author.og(post, { parts })
          ])
        )
        assert.deepStrictEqual(refusals(answers), [expected, expected, expected, expected])
      })
    )
  }

  it.effect("A Profile image has no intent, so the field is an extra one in any place", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (const parts of [
        [field("intent", "content"), pngFile()],
        [pngFile(), field("intent", "og")]
      ]) {
        const answers = yield* leavingNothing(
          author,
          Effect.all([author.avatar({ parts }), author.header({ parts })])
        )
        const expected = [422, "validation", "intent unknown"]
        assert.deepStrictEqual(refusals(answers), [expected, expected])
      }
    })
  )
})

layer(service(database("test_upload_intents")))("the intent of an image of a Post (4.4)", (it) => {
  const inlineKey = { "x-upload-target-key": "node-1" }
  const image = Effect.fnUntraced(function* (
    query: string,
    headers: Readonly<Record<string, string>>,
    ...parts: ReadonlyArray<FormPart>
  ) {
    const author = yield* uploader
    const post = yield* author.draft()
    const form = multipart(parts)
    const answer = yield* author.send("POST", `/${post.id}/images${query}`, {
      body: form.body,
      headers: { "idempotency-key": "one", "x-post-revision": post.updatedAt, ...form.headers, ...headers }
    })
    const kind = answer.status === 202 ? answer.body.safety.targetKind : refusalOf(answer)
    const { operations } = (yield* author.operations(`?postId=${post.id}`)).body
    assert.strictEqual(operations.length, answer.status === 202 ? 1 : 0)
    return kind
  })
  const og = field("intent", "og")
  const content = field("intent", "content")

  it.effect("The intent is content by default", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* image("", inlineKey, pngFile()), "inline")
      assert.strictEqual(yield* image("?intent=content", inlineKey, pngFile()), "inline")
      assert.strictEqual(yield* image("", inlineKey, content, pngFile()), "inline")
      assert.strictEqual(yield* image("", inlineKey, pngFile(), content), "inline")
    })
  )

  it.effect("The intent is og by the query or by the field, before or after the file", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* image("?intent=og", {}, pngFile()), "og")
      assert.strictEqual(yield* image("", {}, og, pngFile()), "og")
      assert.strictEqual(yield* image("", {}, pngFile(), og), "og")
    })
  )

  it.effect("The intent in the query takes precedence over the field", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* image("?intent=og", {}, content, pngFile()), "og")
      assert.strictEqual(yield* image("?intent=og", {}, pngFile(), content), "og")
      assert.strictEqual(yield* image("?intent=content", inlineKey, og, pngFile()), "inline")
      assert.strictEqual(yield* image("?intent=content", inlineKey, pngFile(), og), "inline")
    })
  )

  it.effect("An invalid intent is 422, in the query and in the field", () =>
    Effect.gen(function* () {
      const refused = [422, "validation", "intent invalid"]
      for (const wrong of ["avatar", "OG", "", " og", "content,og"]) {
        assert.deepStrictEqual(yield* image(`?intent=${encodeURIComponent(wrong)}`, {}, pngFile()), refused)
        for (const headers of [inlineKey, {}]) {
          assert.deepStrictEqual(yield* image("", headers, field("intent", wrong), pngFile()), refused)
          assert.deepStrictEqual(yield* image("", headers, pngFile(), field("intent", wrong)), refused)
        }
        assert.deepStrictEqual(yield* image("?intent=og", {}, pngFile(), field("intent", wrong)), refused)
      }
      const endless = field("intent", "o".repeat(1025))
      assert.deepStrictEqual(yield* image("", {}, pngFile(), endless), [422, "validation", "file invalid"])
    })
  )

  it.effect("An intent that occurs twice is 422, in the query and in the field", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* image("?intent=og&intent=og", {}, pngFile()), [
        422,
        "validation",
        "intent invalid"
      ])
      assert.deepStrictEqual(yield* image("", {}, og, pngFile(), og), [422, "validation", "intent too_long"])
    })
  )

  it.effect("Content requires X-Upload-Target-Key, and og forbids it", () =>
    Effect.gen(function* () {
      const missing = [422, "validation", "X-Upload-Target-Key required"]
      const forbidden = [422, "validation", "X-Upload-Target-Key invalid"]
      assert.deepStrictEqual(yield* image("?intent=content", {}, pngFile()), missing)
      assert.deepStrictEqual(yield* image("?intent=content", {}, og, pngFile()), missing)
      assert.deepStrictEqual(yield* image("", {}, pngFile()), missing)
      assert.deepStrictEqual(yield* image("", {}, content, pngFile()), missing)
      assert.deepStrictEqual(yield* image("", {}, pngFile(), content), missing)
      assert.deepStrictEqual(yield* image("?intent=og", inlineKey, pngFile()), forbidden)
      assert.deepStrictEqual(yield* image("", inlineKey, og, pngFile()), forbidden)
      assert.deepStrictEqual(yield* image("", inlineKey, pngFile(), og), forbidden)
    })
  )

  it.effect("Unknown members of the query are named", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const form = multipart([pngFile()])
      const answer = yield* author.send("POST", `/${post.id}/images?intent=og&kind=og`, {
        body: form.body,
        headers: { "idempotency-key": "one", "x-post-revision": post.updatedAt, ...form.headers }
      })
      assert.strictEqual(answer.status, 422)
      assert.deepStrictEqual(errorsOf(answer), ["kind unknown"])
    })
  )
})
