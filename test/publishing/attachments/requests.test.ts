import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf } from "../../support/actors/author.ts"
import { inTime, uploaderOf, zipFile } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, type TestAnswer } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { leavingNothing } from "../uploads/admission/remains.ts"
import { type FormPart, multipart } from "../uploads/multipart.ts"
import { idOf } from "../uploads/screenings.ts"
import { paywalled } from "./paywalled.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

const NOWHERE = "01970000-0000-7000-8000-000000000000"

layer(service(database("test_attachments_requests")))("a request to attach a ZIP (6.1)", (it) => {
  it.effect("A request needs a key, a revision and a length, and takes If-Match as the revision", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft(paywalled)
      const { body, headers } = multipart([zipFile()])
      const send = (more: Readonly<Record<string, string>>) =>
        author.send("POST", `/${post.id}/attachments`, { body, headers: { ...headers, ...more } })
      const revision = { "x-post-revision": post.updatedAt }
      const key = { "idempotency-key": "one" }
      const refused = yield* leavingNothing(
        author,
        Effect.all([
          send({}),
          send({ "idempotency-key": "a b" }),
          send({ "idempotency-key": "a b", "x-post-revision": "yesterday" }),
          send({ "x-post-revision": "yesterday" }),
          send({ ...key, ...revision, "content-length": "none" }),
          send({ ...key, ...revision, "if-match": '"2000-01-01T00:00:00.000000Z"' }),
          send({ ...key, "if-match": '"2000-01-01T00:00:00.000000Z"' }),
          send({ ...key, ...revision, "content-type": "application/zip" })
        ])
      )
      assert.deepStrictEqual(refused.slice(0, 5).map(refusalOf), [
        [422, "validation", "Idempotency-Key required", "X-Post-Revision required"],
        [422, "validation", "Idempotency-Key invalid", "X-Post-Revision required"],
        [422, "malformed_revision", "Idempotency-Key invalid", "X-Post-Revision invalid"],
        [422, "malformed_revision", "Idempotency-Key required", "X-Post-Revision invalid"],
        [411, "length-required"]
      ])
      assert.deepStrictEqual(
        refused.slice(5).map(({ status }) => status),
        [422, 409, 415]
      )
      assert.strictEqual((yield* send({ ...key, "if-match": `"${post.updatedAt}"` })).status, 202)
    })
  )

  const field = (name: string, content: string): FormPart => ({ name, content })
  const zip = zipFile()
  const other = zipFile("other", "other.zip")
  const unnamed: FormPart = { name: "file", mediaType: "application/zip", content: zip.content }
  const forms: ReadonlyArray<readonly [string, ReadonlyArray<FormPart>, string]> = [
    ["no part", [], "file required"],
    ["two ZIPs", [zip, other], "file too_long"],
    ["the same ZIP twice", [zip, zip], "file too_long"],
    ["a file of another name", [{ ...zip, name: "zip" }], "zip unknown"],
    ["a second file of another name", [zip, { ...other, name: "b" }], "b unknown"],
    ["a file without a file name", [unnamed], "file invalid"],
    [
      "a file of two mebibytes without a file name",
      [{ ...unnamed, content: new Uint8Array(2 * 1024 * 1024) }],
      "file invalid"
    ],
    ["a field before the file", [field("title", "A"), zip], "title unknown"],
    ["a field after the file", [zip, field("title", "A")], "title unknown"],
    ["an intent", [zip, field("intent", "content")], "intent unknown"],
    ["seventeen parts", Array.from({ length: 17 }, (_, n) => field(`${n}`, "")), "0 unknown"]
  ]
  it.effect("A form has exactly one part, and every other form is 422 and leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (const [what, parts, error] of forms) {
        const post = yield* author.draft(paywalled)
        const answer = yield* leavingNothing(author, author.attach(post, { parts }))
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", error], what)
        assert.deepStrictEqual((yield* author.read(post.id)).body.attachments, [], what)
      }
    })
  )

  it.effect("A body that is not a form, or breaks off, leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft(paywalled)
      const form = multipart([zip])
      const send = Effect.fnUntraced(function* (body: Uint8Array, type = form.headers["content-type"]) {
        const { updatedAt } = (yield* author.read(post.id)).body
        const headers = {
          "content-length": String(form.body.length),
          "content-type": type,
          "idempotency-key": "cut",
          "x-post-revision": updatedAt
        }
        return yield* author.send("POST", `/${post.id}/attachments`, { body, headers })
      })
      const headless = new TextEncoder().encode("--B\r\nContent-Disposition:pt>\r\n--B--\r\n")
      const answers = yield* leavingNothing(
        author,
        Effect.all([
          ...[0, 40, 130, 200, form.body.length - 5].map((at) => send(form.body.slice(0, at))),
          send(form.body, "multipart/form-data; boundary=other"),
          send(form.body, "multipart/form-data"),
          send(headless, "multipart/form-data; boundary=B")
        ])
      )
      for (const { status, text } of answers) assert.strictEqual(status, 400, text)
      assert.deepStrictEqual((yield* author.read(post.id)).body.attachments, [])
      assert.strictEqual((yield* send(form.body)).status, 202)
    })
  )

  it.effect("A file name has 1 to 200 characters in NFC, ends in .zip and hides nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const named = Effect.fnUntraced(function* (name: string) {
        const post = yield* author.draft(paywalled)
        const answer = yield* author.attach(post, { parts: [zipFile("x", name)] })
        if (answer.status !== 202) return refusalOf(answer).at(-1)
        yield* author.cancel(answer)
        return answer.body.attachment.fileName as string
      })
      for (const name of [
        "a.zip",
        "A.ZIP",
        "本.zip",
        "كتاب.zip",
        "स्वागत.zip",
        "👩‍👩‍👧.zip",
        "..a.zip",
        `${"é".repeat(196)}.zip`
      ])
        assert.strictEqual(yield* named(name), name)
      assert.strictEqual(yield* named("e\u0301.zip"), "é.zip")
      for (const name of [
        "",
        ".zip",
        " .zip",
        "...zip",
        "a",
        "a.zip.exe",
        "a/b.zip",
        "a\\\\b.zip",
        "c:a.zip",
        "a\u0001.zip",
        "a\u0085.zip",
        "a\u202egpj.zip",
        "a\u2066.zip",
        "a\u2028.zip",
        `${"é".repeat(197)}.zip`,
        `${"n".repeat(60_000)}.zip`
      ])
        assert.include(
          ["file invalid_name", "file invalid", "malformed-multipart", "payload-too-large"],
          yield* named(name),
          name.slice(0, 20)
        )
    })
  )

  it.effect("A file name that is not UTF-8 is refused with advice, and leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      // The parser has put U+FFFD in the place of each byte that it could not read.
      for (const name of ["j\xe9.zip", "\x83\x7c\x90\x3a.zip", "j\xc3.zip", "\xef\xbf\xbd.zip"]) {
        const post = yield* author.draft(paywalled)
        const form = multipart([zipFile("x", "NAME")])
        const body = Buffer.from(Buffer.from(form.body).toString("latin1").replace("NAME", name), "latin1")
        const headers = {
          ...form.headers,
          "content-length": String(body.length),
          "idempotency-key": "latin",
          "x-post-revision": post.updatedAt
        }
        const sent = author.send("POST", `/${post.id}/attachments`, { body, headers })
        const refused = yield* leavingNothing(author, sent)
        assert.deepStrictEqual(refusalOf(refused), [422, "validation", "file invalid_name"], refused.text)
        assert.include(refused.body.errors[0].message, "UTF-8")
      }
    })
  )

  it.effect("Another owner learns nothing of the Post, the operation or the file", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const other = yield* uploader
      const post = yield* author.draft(paywalled)
      const sent = yield* author.attach(post, { key: "mine" })
      const own = yield* other.draft(paywalled)
      const unknown = { ...post, id: NOWHERE }
      const answers = yield* Effect.all([
        other.attach((yield* author.read(post.id)).body),
        other.attachments(post.id),
        other.detach(post.id, idOf(sent)),
        other.detach(own.id, idOf(sent)),
        other.status(sent),
        other.cancel(sent),
        other.associate(sent)
      ])
      const nothing = yield* Effect.all([
        other.attach(unknown),
        other.attachments(NOWHERE),
        other.detach(NOWHERE, NOWHERE),
        other.detach(own.id, NOWHERE)
      ])
      const withoutId = ({ body, status }: TestAnswer) => [status, { ...body, requestId: 0, instance: 0 }]
      for (const answer of answers)
        assert.deepStrictEqual(withoutId(answer), withoutId(nothing[0]!), answer.text)
      for (const answer of nothing) assert.strictEqual(answer.status, 404)
      // A key belongs to its owner.
      assert.notStrictEqual(idOf(yield* other.attach(own, { key: "mine" })), idOf(sent))
      assert.strictEqual((yield* author.status(sent)).body.safety.desired, true)
    })
  )

  it.effect("A lost answer is found again by the saved key and Post", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft(paywalled)
      const saved = (requestKey: string, targetId: string) =>
        author.operations(`?requestKey=${requestKey}&targetKind=attachment&targetId=${targetId}&targetKey=`)
      assert.deepStrictEqual((yield* saved("lost", post.id)).body, { operations: [] })
      const sent = yield* author.attach(post, { key: "lost" })
      const [found, ...others] = (yield* saved("lost", post.id)).body.operations
      assert.strictEqual(found.safety.operationId, idOf(sent))
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual((yield* saved("lost", NOWHERE)).body, { operations: [] })
      // The same request again, with the revision that it had.
      const again = yield* author.attach(post, { key: "lost" })
      assert.deepStrictEqual([again.status, idOf(again), again.body.replayed], [200, idOf(sent), true])
    })
  )

  it.effect("Concurrent requests with one key are one operation, for any bytes", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft(paywalled)
      const parts = [zipFile("same", "same.zip")]
      const sends = Array.from({ length: 4 }, () => author.attach(post, { key: "once", parts }))
      const answers = yield* inTime(Effect.all(sends, { concurrency: "unbounded" }))
      assert.strictEqual(new Set(answers.map(idOf)).size, 1)
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 202])
      // The same bytes under other keys: the name is taken, the revision has changed.
      const later = (yield* author.read(post.id)).body
      const twins = Array.from({ length: 4 }, () =>
        author.attach(later, { parts: [zipFile("same", "twin.zip")] })
      )
      const statuses = (yield* inTime(Effect.all(twins, { concurrency: "unbounded" }))).map(
        ({ status }) => status
      )
      assert.deepStrictEqual(statuses.toSorted(), [202, 409, 409, 409])
      assert.lengthOf((yield* author.read(post.id)).body.attachments, 2)
    })
  )

  it.effect("A ZIP may have the media types that most programs send it with, and an empty one", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (const mediaType of [
        "application/zip",
        "application/x-zip-compressed",
        "APPLICATION/ZIP; charset=binary",
        "Application/X-Zip-Compressed;version=1",
        "application/octet-stream",
        "",
        undefined
      ]) {
        const post = yield* author.draft(paywalled)
        const content = zipOf([{ name: "a", content: `${mediaType}` }])
        const { mediaType: _, ...unsaid } = zip
        const part = mediaType === undefined ? unsaid : { ...zip, mediaType }
        const sent = yield* author.attach(post, { parts: [{ ...part, content }] })
        assert.strictEqual(sent.status, 202, `${mediaType} ${sent.text}`)
        yield* author.cancel(sent)
      }
    })
  )

  it.effect("A ZIP with another media type is refused with the type that is right", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (const [mediaType, said] of [
        ["application/x-zip", "says application/x-zip"],
        ["Application/Zip-Compressed; a=b", "says application/zip-compressed"],
        ["multipart/x-zip", "says multipart/x-zip"],
        ["application/java-archive", "says application/java-archive"],
        ["image/png", "says image/png"],
        ["text/plain", "says text/plain"],
        [`application/${"x".repeat(200)}`, "has no media type"]
      ] as const) {
        const post = yield* author.draft(paywalled)
        const sent = yield* author.attach(post, { parts: [{ ...zip, mediaType }] })
        assert.deepStrictEqual(refusalOf(sent), [422, "validation", "file unsupported_type"], mediaType)
        assert.strictEqual(
          sent.body.errors[0].message,
          `The part ${said}, and its bytes are a ZIP archive. Send it as application/zip.`
        )
      }
      const post = yield* author.draft(paywalled)
      const png = yield* author.attach(post, { parts: [{ ...zip, content: pngOf() }] })
      assert.include(png.body.errors[0].message, "does not start like a ZIP archive")
    })
  )
})
