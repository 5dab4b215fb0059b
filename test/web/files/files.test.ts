import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { rejecting } from "../../publishing/uploads/screenings.ts"
import { inTime, workOff, zipFile } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, type Browser } from "../browser.ts"
import { deskAuthor, draftBy, hiddenAt, hiddenOf, written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { valueOf } from "../signIn.ts"

const pageOf = Effect.fnUntraced(function* (reader: Browser, path: string) {
  const answer = yield* reader.get(path)
  assert.strictEqual(answer.status, 200, answer.text)
  assertPrivate(answer)
  validated(answer.text)
  return answer.text
})

const attach = Effect.fnUntraced(function* (
  reader: Browser,
  path: string,
  ...file: Parameters<typeof zipFile>
) {
  const key = valueOf(yield* pageOf(reader, path), "key")
  return yield* reader.postParts(path, { key }, [{ ...zipFile(...file), name: "zip" }])
})

layer(service(database("test_web_files")))("Files for buyers", (it) => {
  it.effect("A ZIP is attached once, checked, and removed", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(1)
      const text = yield* draftBy(author)
      const form = yield* hiddenAt(author.reader, text)
      const saved = yield* author.reader.post(text, { ...form, ...written, next: "files" })
      const path = saved.headers.get("location") ?? ""
      assert.strictEqual(path, `${text}/files`)
      const key = valueOf(yield* pageOf(author.reader, path), "key")
      const press = author.reader.postParts(path, { key }, [{ ...zipFile(), name: "zip" }])
      for (const { headers } of yield* inTime(Effect.all([press, press], { concurrency: 2 })))
        assert.strictEqual(headers.get("location"), `${path}?attached`)
      const attached = yield* pageOf(author.reader, `${path}?attached`)
      assert.include(attached, "The file is attached.")
      assert.strictEqual(attached.match(/book\.zip<\/bdi>/g)?.length, 1)
      assert.include(attached, "Being checked. Buyers get it afterwards.")
      yield* workOff
      const checked = yield* pageOf(author.reader, path)
      assert.include(checked, "Ready for buyers.")
      const removed = yield* author.reader.post(`${path}/remove`, { file: valueOf(checked, "file") })
      assert.strictEqual(removed.headers.get("location"), `${path}?removed`)
      assert.notInclude(yield* pageOf(author.reader, `${path}?removed`), "book.zip")
    })
  )

  it.effect("The page says in words why a file is refused", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(2)
      const path = `${yield* draftBy(author)}/files`
      yield* workOff
      yield* attach(author.reader, path, "words", "book.zip")
      for (const [file, sentence] of [
        [zipFile("other", "book.zip"), "The post already has a file with this name."],
        [zipFile("other", "a:b.zip"), "Send a file name without slashes, colons and control characters."],
        [zipFile("other", "book.exe"), "Send a file name that ends in `.zip`."],
        [{ ...zipFile(), content: "no zip", fileName: "no.zip" }, "a ZIP. Pack your files as a ZIP"],
        [{ ...zipFile(), content: "", fileName: "" }, "Choose a file first."],
        [
          { ...zipFile(), content: new Uint8Array(26 * 1024 * 1024), fileName: "big.zip" },
          "larger than 25 MB"
        ]
      ] as const) {
        const key = valueOf(yield* pageOf(author.reader, path), "key")
        const refused = yield* author.reader.postParts(path, { key }, [{ ...file, name: "zip" }])
        assert.strictEqual(refused.status, 422, refused.text)
        validated(refused.text)
        assert.include(refused.text, sentence)
      }
      yield* rejecting
      const page = yield* pageOf(author.reader, path)
      assert.include(page, "Refused: it isn&#39;t safe to open. Buyers can&#39;t get it.")
      yield* author.reader.post(`${path}/remove`, { file: valueOf(page, "file") })
      assert.notInclude(yield* pageOf(author.reader, path), "Refused")
    })
  )

  it.effect("A post without a part that is sold takes no file, and its page says how to begin", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(3)
      const { reader } = author
      const form = yield* hiddenAt(reader, "/write")
      const saved = yield* reader.post("/write", { ...form, free: "All of it.", next: "files" })
      const path = saved.headers.get("location") ?? ""
      const page = yield* pageOf(reader, path)
      assert.include(page, "Write that part")
      const key = valueOf(yield* pageOf(reader, "/write"), "key")
      const refused = yield* reader.postParts(path, { key }, [{ ...zipFile(), name: "zip" }])
      assert.strictEqual(refused.status, 409, refused.text)
    })
  )

  it.effect("A sixth file has no room", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(4)
      const path = `${yield* draftBy(author)}/files`
      for (let file = 1; file <= 5; file++) {
        assert.strictEqual((yield* attach(author.reader, path, "words", `book-${file}.zip`)).status, 303)
        yield* workOff
      }
      const refused = yield* attach(author.reader, path, "words", "book-6.zip")
      assert.strictEqual(refused.status, 429, refused.text)
      assert.include(refused.text, "A post can have 5 files")
    })
  )

  it.effect("Files are for the author alone", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(5)
      const other = yield* deskAuthor(6)
      const path = `${yield* draftBy(author)}/files`
      yield* attach(author.reader, path)
      const page = yield* pageOf(author.reader, path)
      const file = valueOf(page, "file")
      const { key } = hiddenOf(page)
      assert.strictEqual((yield* other.reader.get(path)).status, 404)
      const parts = [{ ...zipFile(), name: "zip" }]
      assert.strictEqual((yield* other.reader.postParts(path, { key }, parts)).status, 404)
      assert.strictEqual((yield* other.reader.post(`${path}/remove`, { file })).status, 404)
      const another = `${yield* draftBy(author)}/files/remove`
      for (const it of [file, "", "x"])
        assert.strictEqual((yield* author.reader.post(another, { file: it })).status, 404)
      const foreign = { "sec-fetch-site": "cross-site" }
      assert.strictEqual((yield* author.reader.postParts(path, { key }, parts, foreign)).status, 403)
      author.reader.jar.clear()
      const signedOut = yield* author.reader.postParts(path, { key }, parts)
      assert.strictEqual(signedOut.status, 401)
      assert.include(signedOut.text, "/sign-in")
    })
  )
})
