import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { jpegOf } from "../../publishing/image-formats/jpeg/makeJpeg.ts"
import { rejecting } from "../../publishing/uploads/screenings.ts"
import { inTime, media, workOff, zipFile } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate } from "../browser.ts"
import { deskAuthor, draftBy, hiddenOf, postBy, written } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { signIn, valueOf } from "../signIn.ts"
import { chosen, insert, inserted, lastImageOf, png, pngOfBytes, textOf } from "./adding.ts"

const KEY = "5f0c7a52-6f3c-4b0e-9d52-3f6a8b0c1d2e"
const MEBIBYTE = 1024 * 1024

const operations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly n: number }>`select count(*)::int4 as n from upload_operations`
  return row!.n
})

layer(service(database("test_web_pictures")))("Pictures of a post", (it) => {
  it.effect("A picture is put at the end of the text, and its state is told below", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(1)
      const path = yield* draftBy(author)
      const answer = yield* insert(author.reader, path)
      assert.strictEqual(answer.status, 200, answer.text)
      assertPrivate(answer)
      const free = textOf(answer.text, "free")
      assert.match(free, /^Everyone reads \*\*this\*\*\.\n\nAnd this\.\n\n!\[A bridge\]\(\/media\//)
      assert.strictEqual((yield* media(lastImageOf(free))).status, 200)
      assert.include(answer.text, "Being checked. Readers can already see it.")
      assert.notInclude(textOf((yield* author.reader.get(path)).text, "free"), "![")
      const saved = yield* author.reader.post(path, { ...hiddenOf(answer.text), ...written, free })
      assert.strictEqual(saved.status, 303, saved.text)
      yield* workOff
      const { text } = yield* author.reader.get(path)
      assert.strictEqual(textOf(text, "free"), free)
      assert.match(text, /data-alt="A bridge">[^]*?<p class="hint">Checked\./)
    })
  )

  it.effect("A picture goes to the part that is sold when its author says so", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(2)
      const path = yield* draftBy(author)
      const page = yield* inserted(author.reader, path, png(), { alt: "", place: "paid" })
      assert.notInclude(textOf(page, "free"), "![")
      assert.match(textOf(page, "paid"), /PAIDWORD\.\n\n!\[\]\(/)
      assert.include(page, "Without a description.")
    })
  )

  it.effect("A new post is saved before its picture is taken, and two presses make one of each", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(3)
      const before = yield* operations
      const form = {
        ...hiddenOf((yield* author.reader.get("/write")).text),
        free: "",
        title: "Only a picture"
      }
      const sent = { ...form, alt: "A bridge", place: "free" }
      const press = author.reader.postParts("/write", sent, [png(3)])
      for (const { status, text } of yield* inTime(Effect.all([press, press], { concurrency: 2 }))) {
        assert.strictEqual(status, 200, text)
        assert.match(textOf(text, "free"), /^!\[A bridge\]\(\S+\)\n$/)
        validated(text)
      }
      const again = yield* press
      const [, path = ""] = /action="(\/write\/[0-9a-f-]{36})"/.exec(again.text) ?? []
      assert.strictEqual(yield* operations, before + 1)
      const desk = yield* author.reader.get("/desk")
      assert.strictEqual(desk.text.match(/Only a picture/g)?.length, 1)
      const free = textOf(again.text, "free")
      const saved = yield* author.reader.post(path, {
        ...hiddenOf(again.text),
        title: "Only a picture",
        free
      })
      assert.strictEqual(saved.status, 303, saved.text)
      // A form from before that is sent again does not hide what was saved since.
      const late = yield* press
      const refused = yield* author.reader.post(path, { ...hiddenOf(late.text), title: "LATE", free })
      assert.strictEqual(refused.status, 409)
    })
  )

  it.effect("The same form takes its picture once, and says so of another one", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(4)
      const path = yield* draftBy(author)
      const form = { ...hiddenOf((yield* author.reader.get(path)).text), ...written, alt: "A", place: "free" }
      const first = yield* author.reader.postParts(path, form, [png(1)])
      const before = yield* operations
      const second = yield* author.reader.postParts(path, form, [png(1)])
      assert.strictEqual(textOf(second.text, "free"), textOf(first.text, "free"))
      const other = yield* author.reader.postParts(path, form, [png(2)])
      assert.strictEqual(other.status, 409, other.text)
      assert.include(other.text, "PAIDWORD")
      assert.notStrictEqual(valueOf(other.text, "key"), form.key)
      assert.strictEqual(yield* operations, before)
    })
  )

  it.effect("A picture of 5 MB is taken, and one with a byte more keeps the text", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(5)
      const path = yield* draftBy(author)
      yield* inserted(author.reader, path, pngOfBytes(5 * MEBIBYTE))
      for (const bytes of [5 * MEBIBYTE + 1, 6 * MEBIBYTE, 12 * MEBIBYTE]) {
        const larger = yield* insert(author.reader, path, pngOfBytes(bytes))
        assert.strictEqual(larger.status, 422, larger.text.slice(0, 500))
        validated(larger.text)
        assert.match(larger.text, /href="#picture">This picture is larger than 5 MB/)
        assert.include(larger.text, "PAIDWORD")
        assert.include(larger.text, 'value="A bridge"')
      }
      const card = { alt: "", place: "card" }
      yield* inserted(author.reader, path, pngOfBytes(2 * MEBIBYTE), card)
      const larger = yield* insert(author.reader, path, pngOfBytes(2 * MEBIBYTE + 1), card)
      assert.include(larger.text, "This picture is larger than 2 MB.")
    })
  )

  it.effect("The longest text does not count as part of its picture", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(6)
      const path = yield* draftBy(author)
      const form = hiddenOf((yield* author.reader.get(path)).text)
      const long = "\u{1d49e}".repeat(200_000)
      const fields = { ...form, ...written, free: long, paid: long, alt: "", place: "free" }
      const answer = yield* author.reader.postParts(path, fields, [pngOfBytes(5 * MEBIBYTE)])
      assert.strictEqual(answer.status, 200, answer.text.slice(0, 500))
      const large = yield* author.reader.postParts(path, { ...fields, free: "a".repeat(5 * MEBIBYTE) }, [
        png()
      ])
      assert.strictEqual(large.status, 413)
    })
  )

  it.effect("A file that is no picture is refused in words, and a name that is wrong is not", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(7)
      const path = yield* draftBy(author)
      const before = yield* operations
      for (const [file, sentence] of [
        [
          chosen("<svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg", "image/svg+xml"),
          "We can&#39;t use this image."
        ],
        [chosen("%PDF-1.7", "a.png"), "We can&#39;t use this image."],
        [chosen("", "empty.png"), "This picture is damaged."],
        [chosen("", "", "application/octet-stream"), "Choose a picture first."],
        [chosen(png().content.slice(0, 60), "cut.png"), "This picture is damaged."]
      ] as const) {
        const refused = yield* insert(author.reader, path, file)
        assert.strictEqual(refused.status, 422, refused.text)
        validated(refused.text)
        const [, told] = /href="#picture">([^<]*)/.exec(refused.text) ?? []
        assert.strictEqual(told?.slice(0, sentence.length), sentence, file.fileName)
        assert.include(refused.text, "PAIDWORD")
      }
      assert.strictEqual(yield* operations, before)
      const jpeg = yield* Effect.promise(() => jpegOf())
      yield* inserted(author.reader, path, chosen(jpeg, "%22><script>..\u202egnp.exe", "text/html"))
    })
  )

  it.effect("Ten pictures may wait to be checked, and the next one has to wait", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(8)
      const path = yield* draftBy(author)
      for (let seed = 0; seed < 10; seed++) yield* inserted(author.reader, path, png(seed))
      const refused = yield* insert(author.reader, path, png(11))
      assert.strictEqual(refused.status, 429, refused.text)
      assert.include(refused.text, "Too many of your files are still being checked.")
      assert.include(refused.text, "PAIDWORD")
      yield* workOff
      yield* inserted(author.reader, path, png(11))
    })
  )

  it.effect("A picture that is refused by the scanner leaves the post, and its author reads why", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(9)
      const path = yield* draftBy(author)
      yield* workOff
      const page = yield* inserted(author.reader, path)
      const free = textOf(page, "free")
      yield* author.reader.post(path, { ...hiddenOf(page), ...written, free })
      yield* rejecting
      const { text } = yield* author.reader.get(path)
      validated(text)
      assert.notInclude(textOf(text, "free"), "![")
      assert.include(text, "Refused: it isn&#39;t safe to show. Readers can&#39;t see it.")
      const gone = yield* author.reader.post(path, {
        ...hiddenOf(text),
        ...written,
        remove: valueOf(text, "remove")
      })
      assert.strictEqual(gone.status, 200, gone.text)
      assert.notInclude(gone.text, "safe to show")
    })
  )

  it.effect("A removed picture leaves the saved post and the text in the form, which keeps the rest", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(10)
      const path = yield* postBy(author)
      const page = yield* inserted(author.reader, path, png(), { alt: "ALTWORD", place: "free" })
      const free = textOf(page, "free")
      yield* author.reader.post(path, { ...hiddenOf(page), ...written, free, published: "1" })
      const open = (yield* author.reader.get(path)).text
      const form = { ...hiddenOf(open), ...written, free: `${free}\nUNSAVED`, published: "1" }
      const removal = { ...form, remove: valueOf(open, "remove") }
      const removed = yield* author.reader.post(path, removal)
      assert.strictEqual(removed.status, 200, removed.text)
      validated(removed.text)
      assert.include(removed.text, "The picture is removed.")
      assert.include(textOf(removed.text, "free"), "UNSAVED")
      assert.notInclude(textOf(removed.text, "free"), "![")
      assert.strictEqual((yield* media(lastImageOf(free))).status, 404)
      assert.notInclude((yield* author.reader.get("/@writer_10/nine-degrees-from-upright")).text, "ALTWORD")
      // The removal changed the post, and the form goes on from there.
      const saved = yield* author.reader.post(path, { ...form, ...hiddenOf(removed.text), free: "Saved" })
      assert.strictEqual(saved.status, 303, saved.text)
      // Of a form from before, it says that the post was changed since.
      const late = yield* author.reader.post(path, removal)
      assert.strictEqual(
        (yield* author.reader.post(path, { ...form, ...hiddenOf(late.text), free: "LATE" })).status,
        409
      )
    })
  )

  it.effect("A picture of the preview card is shown before the post is saved again", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(11)
      const path = yield* draftBy(author)
      const page = yield* inserted(author.reader, path, png(), { alt: "", place: "card" })
      const cardImage = valueOf(page, "cardImage")
      assert.include(page, "The picture of the preview card")
      const saved = yield* author.reader.post(path, {
        ...hiddenOf(page),
        ...written,
        cardImage,
        free: "Saved"
      })
      assert.strictEqual(saved.status, 303, saved.text)
      const stale = { ...hiddenOf(page), ...written, alt: "", place: "card" }
      const refused = yield* author.reader.postParts(path, stale, [png(2)])
      assert.strictEqual(refused.status, 409, refused.text)
      assert.include(refused.text, "The post was changed elsewhere.")
      const open = (yield* author.reader.get(path)).text
      const form = { ...hiddenOf(open), ...written, cardImage, remove: valueOf(open, "remove") }
      const removed = yield* author.reader.post(path, form)
      assert.strictEqual(valueOf(removed.text, "cardImage"), "")
    })
  )

  it.effect("A script gets the Markdown of its picture, or the reason in words", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(12)
      const path = yield* draftBy(author)
      const accept = { accept: "application/json" }
      const { revision } = hiddenOf((yield* author.reader.get(path)).text)
      const form = { key: KEY, revision, free: "", place: "free", alt: "A [bridge]" }
      const answer = yield* author.reader.postParts(path, form, [png()], accept)
      assert.strictEqual(answer.status, 200, answer.text)
      assertPrivate(answer)
      const { markdown, url, ...more } = answer.body
      assert.strictEqual(markdown, `![A \\[bridge\\]](${new URL(url).pathname})`)
      const words = "Being checked. Readers can already see it."
      assert.include(url, more.id)
      assert.deepStrictEqual(more, { id: more.id, outcome: "added", path, revision, words })
      const again = yield* author.reader.postParts(path, form, [png()], accept)
      assert.deepStrictEqual(again.body, answer.body)
      const refused = yield* author.reader.postParts(path, form, [png(2)], accept)
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(refused.body.outcome, "refused")
      assert.match(refused.body.said, /^The picture was not added\. This form has sent another picture/)
      const begun = yield* author.reader.postParts(
        "/write",
        { ...hiddenOf((yield* author.reader.get("/write")).text), free: "", place: "free", alt: "" },
        [chosen("no picture")],
        accept
      )
      assert.match(begun.body.said, /^The picture was not added\. We can't use this image/)
      assert.strictEqual((yield* author.reader.get(begun.body.path)).status, 200)
      assert.strictEqual((yield* author.reader.postParts(path, {}, [png()], accept)).status, 400)
      const other = yield* deskAuthor(13)
      assert.strictEqual((yield* other.reader.postParts(path, form, [png()], accept)).status, 404)
      author.reader.jar.clear()
      const signedOut = yield* author.reader.postParts(path, form, [png()], accept)
      assert.strictEqual(signedOut.status, 401)
      assert.strictEqual(signedOut.body.outcome, "session")
      assert.match(signedOut.body.said, /^You are signed out\./)
    })
  )

  it.effect("A form that is refused for another reason keeps its text", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(14)
      const other = yield* deskAuthor(15)
      const path = yield* draftBy(author)
      const before = yield* operations
      const form = { ...hiddenOf((yield* author.reader.get(path)).text), ...written, alt: "A", place: "free" }
      const foreign = yield* author.reader.postParts(path, form, [png()], { "sec-fetch-site": "cross-site" })
      assert.strictEqual(foreign.status, 403)
      assert.strictEqual((yield* other.reader.postParts(path, form, [png()])).status, 404)
      const wrong = yield* author.reader.postParts("/write", { ...form, free: "<div>" }, [png()])
      assert.strictEqual(wrong.status, 422)
      assert.match(wrong.text, /href="#free"/)
      author.reader.jar.clear()
      const ended = yield* author.reader.postParts(path, form, [png()])
      assert.strictEqual(ended.status, 401)
      validated(ended.text)
      assert.include(ended.text, "PAIDWORD")
      assert.strictEqual(yield* operations, before)
      yield* signIn(author.reader, 14)
      const sent = { ...form, ...hiddenOf(ended.text) }
      assert.strictEqual((yield* author.reader.postParts(path, sent, [png()])).status, 200)
    })
  )

  it.effect("A picture of another post is not removed", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(16)
      const one = yield* draftBy(author)
      const other = yield* draftBy(author)
      const id = valueOf(yield* inserted(author.reader, one), "remove")
      const form = { ...hiddenOf((yield* author.reader.get(other)).text), ...written }
      for (const remove of [id, "no-id", ""])
        assert.strictEqual((yield* author.reader.post(other, { ...form, remove })).status, 404, remove)
      assert.include((yield* author.reader.get(one)).text, "Being checked.")
    })
  )

  it.effect("A body that no browser sends leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* deskAuthor(17)
      const path = yield* draftBy(author)
      const before = yield* operations
      const { reader } = author
      const form = { ...hiddenOf((yield* reader.get(path)).text), ...written, alt: "A", place: "free" }
      const type = (text: string) => ({ "content-type": text })
      const statuses = [
        yield* reader.postParts(path, form, [png()], type("multipart/form-data")),
        yield* reader.postParts(path, form, [png()], type("multipart/form-data; boundary=other")),
        yield* reader.postParts(path, {}, [
          png(),
          ...Object.keys(form).map((name) => ({ name, content: "" }))
        ]),
        yield* reader.postParts(
          path,
          form,
          Array.from({ length: 100 }, () => ({ name: "a", content: "" }))
        ),
        yield* reader.postParts(path, form, [png()], { "content-length": "" }),
        yield* reader.postParts(
          path,
          form,
          [{ name: "__proto__", content: "" }],
          type("multipart/mixed; boundary=x")
        )
      ].map(({ status }) => status)
      assert.deepStrictEqual(statuses, [400, 400, 400, 400, 400, 415])
      for (const files of [[png(), png(2)], [png(), { name: "alt", content: "later" }], [zipFile()]]) {
        const refused = yield* reader.postParts(path, form, files)
        assert.strictEqual(refused.status, 422, refused.text)
        assert.include(refused.text, "PAIDWORD")
      }
      assert.strictEqual(yield* operations, before)
    })
  )
})
