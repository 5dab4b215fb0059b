import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { Multipart } from "effect/http"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { openForm } from "../../../../src/publishing/uploads/admission/uploadForm.ts"
import { refusalOf } from "../../../support/actors/author.ts"
import { pngFile, uploaderOf } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { pngOf } from "../../image-formats/png/makePng.ts"
import { bytesOf, inserted, patched } from "../../image-formats/shared/makeBytes.ts"
import { type FormPart, multipart } from "../multipart.ts"
import { leavingNothing } from "./remains.ts"

const BOUNDARY = "B"
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Sends these bytes as the body of an avatar upload, under a new Idempotency-Key. */
let keys = 0
const avatarOf = Effect.fnUntraced(function* (token: string, body: Uint8Array, contentType: string) {
  const client = yield* TestClient
  return yield* client.send("POST", "/api/v1/profile/avatar", {
    token,
    body,
    headers: {
      "content-type": contentType,
      "content-length": String(body.length),
      "idempotency-key": `form-${keys++}`
    }
  })
})

const partOf = (headers: string, content: string | Uint8Array = "x") =>
  bytesOf(`--${BOUNDARY}\r\n${headers}\r\n\r\n`, content, "\r\n")
const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png'
const whole = bytesOf(partOf(DISPOSITION, pngOf()), `--${BOUNDARY}--\r\n`)

layer(service(database("test_image_form_malformed")))("a body that is not multipart (4.4)", (it) => {
  const malformed: ReadonlyArray<readonly [string, Uint8Array, string?]> = [
    ["empty", new Uint8Array(0)],
    ["without any boundary", bytesOf("hello")],
    ["of another boundary", whole, "multipart/form-data; boundary=C"],
    ["without a boundary in its content type", whole, "multipart/form-data"],
    ["with an empty boundary", whole, 'multipart/form-data; boundary=""'],
    ["that is JSON", bytesOf('{"file":"x"}')],
    ["without its last boundary", whole.subarray(0, -7)],
    ["truncated in its file", whole.subarray(0, -30)],
    ["truncated in the headers of its part", whole.subarray(0, 40)],
    ["truncated before its first part", whole.subarray(0, 3)],
    ["whose part has no name", bytesOf(partOf("Content-Disposition: form-data"), "--B--\r\n")],
    ["whose headers run into the boundary", bytesOf("--B\r\nContent-Disposition:pt>\r\n--B--\r\n")],
    ["whose part has a header without a colon", bytesOf(partOf(`${DISPOSITION}\r\nnothing`), "--B--\r\n")],
    [
      "whose part has endless headers",
      bytesOf(partOf(`${DISPOSITION}\r\nX: ${"x".repeat(70_000)}`), "--B--\r\n")
    ]
  ]
  for (const [index, [what, body, contentType = TYPE]] of malformed.entries()) {
    it.effect(`A body ${what} is 400, and leaves nothing`, () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(index + 1)
        const answer = yield* leavingNothing(author, avatarOf(author.key, body, contentType))
        assert.deepStrictEqual(refusalOf(answer), [400, "malformed-multipart"])
      })
    )
  }

  it.effect("A body of another content type is 415", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(50)
      for (const type of ["application/json", "image/png", "multipart/mixed; boundary=B", "text/plain"]) {
        const answer = yield* leavingNothing(author, avatarOf(author.key, whole, type))
        assert.deepStrictEqual(refusalOf(answer), [415, "unsupported-media-type"], type)
      }
    })
  )

  it.effect("A whole body of the same form is received", () =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(51)
      assert.strictEqual((yield* avatarOf(author.key, whole, TYPE)).status, 202)
      assert.strictEqual(
        (yield* avatarOf(author.key, whole, 'Multipart/Form-Data; boundary="B"')).status,
        202
      )
    })
  )
})

const bytes = fc.oneof(
  fc.constant(pngOf()),
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ maxLength: 60, unit: "binary" })
)
const names = fc.oneof(
  fc.constantFrom("file", "intent", "File", "", "__proto__", "constructor"),
  fc.string({ maxLength: 12 })
)
const part: fc.Arbitrary<FormPart> = fc.record(
  {
    name: names,
    content: fc.oneof(bytes, fc.constantFrom("og", "content", "")),
    fileName: fc.oneof(fc.constant("a.png"), fc.string({ maxLength: 12 })),
    mediaType: fc.constantFrom("image/png", "image/gif", "text/plain", "application/octet-stream", ";;=", "")
  },
  { requiredKeys: ["name", "content"] }
)

const valid = multipart([pngFile(), { name: "intent", content: "og" }]).body
const mutation: fc.Arbitrary<(form: Uint8Array) => Uint8Array> = fc.oneof(
  fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(
    ([at, byte]) =>
      (form: Uint8Array) =>
        patched(form, at % form.length, [byte])
  ),
  fc.tuple(fc.nat(valid.length), fc.constantFrom("\r\n", "--", "\r\n--", ":", ";", '"', "=", "\0", "\r")).map(
    ([at, text]) =>
      (form: Uint8Array) =>
        inserted(form, at % form.length, text)
  ),
  fc.tuple(fc.nat(valid.length), fc.integer({ min: 1, max: 40 })).map(
    ([at, count]) =>
      (form: Uint8Array) =>
        bytesOf(form.subarray(0, at), form.subarray(at + count))
  )
)

layer(service(database("test_image_form_properties")))("any form (4.4)", (it) => {
  /** Asserts that the service never answers 500. Forgets each upload, so that limits stay unused. */
  const answersOf = (bodies: fc.Arbitrary<Uint8Array>, number: number) =>
    Effect.gen(function* () {
      const author = yield* uploaderOf(number)
      const sql = yield* SqlClient.SqlClient
      const client = yield* TestClient
      const post = yield* author.draft()
      const { headers } = multipart([])
      const seen = new Set<number>()
      yield* Effect.forEach(
        fc.sample(bodies, 120),
        Effect.fnUntraced(function* (body) {
          const answer = yield* client.send("POST", `/api/v1/posts/${post.id}/images`, {
            token: author.key,
            body,
            headers: {
              ...headers,
              "content-length": String(body.length),
              "idempotency-key": `any-${keys++}`,
              "x-post-revision": (yield* author.read(post.id)).body.updatedAt
            }
          })
          assert.include([202, 400, 413, 422], answer.status, Buffer.from(body).toString("latin1"))
          if (answer.status !== 202) {
            assert.strictEqual((yield* sql`select from upload_operations`).length, 0)
          }
          yield* sql`delete from upload_operations`
          seen.add(answer.status)
        })
      )
      return seen
    })

  it.effect("A form of any parts in any order is never answered with 500", () =>
    Effect.gen(function* () {
      const forms = fc.array(part, { maxLength: 5 }).map((parts) => multipart(parts).body)
      const seen = yield* answersOf(forms, 1)
      assert.includeMembers([...seen], [422])
    })
  )

  it.effect("A form that is mutated from a valid one is never answered with 500", () =>
    Effect.gen(function* () {
      const forms = fc
        .array(mutation, { maxLength: 4 })
        .map((mutations) => mutations.reduce<Uint8Array>((form, mutate) => mutate(form), valid))
      const seen = yield* answersOf(forms, 2)
      assert.includeMembers([...seen], [202, 400, 422])
    })
  )
})

describe("a form in pieces", () => {
  const read = (pieces: ReadonlyArray<Uint8Array>) =>
    openForm(
      Stream.fromIterable(pieces).pipe(
        Stream.rechunk(1),
        Stream.pipeThroughChannel(Multipart.makeChannel(multipart([]).headers))
      ),
      { hasIntent: true, refuse: () => undefined }
    ).pipe(
      Effect.flatMap((file) =>
        Effect.map(Stream.mkUint8Array(file.bytes), (it) => [file.mediaType, Buffer.from(it).toString("hex")])
      ),
      Effect.scoped
    )

  it.effect("A form in pieces is the same form, for any sizes of the pieces", () =>
    Effect.forEach(
      fc.sample(fc.tuple(fc.array(part, { maxLength: 3 }), fc.array(fc.nat(2000), { maxLength: 12 })), 500),
      Effect.fnUntraced(function* ([parts, cuts]) {
        const { body } = multipart(parts)
        const ends = [...new Set(cuts.map((it) => it % body.length)), body.length].toSorted((a, b) => a - b)
        const pieces = ends
          .map((end, at) => body.subarray(ends[at - 1] ?? 0, end))
          .filter((it) => it.length > 0)
        const once = yield* Effect.result(read([body]))
        const piecemeal = yield* Effect.result(read(pieces))
        // The service may report any of several refusals first.
        const content = (it: typeof once) => Result.getOrElse(it, () => "refused")
        assert.deepStrictEqual(content(piecemeal), content(once))
      })
    )
  )
})
