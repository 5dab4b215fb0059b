import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { mediaTypeOf } from "../../../schemas/publishing/uploads/limits.ts"
import { ObjectKey, ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { publicCopyOf } from "../../../src/publishing/image-formats/publicCopy.ts"
import { media, pngFile, uploaderOf } from "../../support/actors/uploader.ts"
import { BASE_URL, TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { gifMetadata, gifOf } from "../image-formats/gif/makeGif.ts"
import { jpegMetadata, jpegOf } from "../image-formats/jpeg/makeJpeg.ts"
import { pngMetadata, pngOf } from "../image-formats/png/makePng.ts"
import { containerOf } from "../image-formats/results.ts"
import { bytesOf } from "../image-formats/shared/makeBytes.ts"
import { planted, plantedIn } from "../image-formats/shared/makeMetadata.ts"
import { webpOf } from "../image-formats/webp/makeWebp.ts"
import { alone, idOf, publicKey } from "../uploads/screenings.ts"

const fresh = alone("test_media")

/** Uploads an image that the public may see; returns it with its public bytes. */
const shown = Effect.fnUntraced(function* (number = 1) {
  const author = yield* uploaderOf(number)
  const sent = yield* author.avatar()
  const { objects } = yield* ObjectStorageMemory
  const object = [...(yield* objects)].find(([key]) => key === publicKey(sent))
  assert.isDefined(object)
  return { author, sent, url: sent.body.publicUrl as string, bytes: object[1].bytes }
})

const header = ({ headers }: TestAnswer, name: string) => headers.get(name)

describe("public copies of images (4.4)", () => {
  const images = [
    ["png", "png", async () => pngOf({ before: pngMetadata(1) })],
    ["jpeg", "jpg", () => jpegOf({ segments: jpegMetadata(1) })],
    ["gif", "gif", async () => gifOf({ before: gifMetadata() })],
    ["webp", "webp", () => webpOf()]
  ] as const

  for (const [format, extension, make] of images) {
    it.effect(
      `A ${format} is shown without metadata and what follows its end, with its exact type and length`,
      () =>
        Effect.gen(function* () {
          const author = yield* uploaderOf(1)
          const mediaType = mediaTypeOf[format]
          const archive = zipOf([{ name: "a.txt", content: planted.trailer }])
          const content = bytesOf(yield* Effect.promise(make), archive)
          assert.include(plantedIn(content), planted.trailer)
          const sent = yield* author.avatar({ parts: [{ ...pngFile(), mediaType, content }] })
          assert.strictEqual(sent.status, 202, sent.text)
          const url: string = sent.body.publicUrl
          assert.strictEqual(url, `${BASE_URL}/media/${idOf(sent)}.${extension}`)
          const expected = publicCopyOf(content, containerOf(content, format))
          const answer = yield* media(url)
          assert.strictEqual(answer.status, 200)
          assert.deepStrictEqual(answer.bytes, expected)
          assert.deepStrictEqual(plantedIn(answer.bytes ?? content), [])
          assert.strictEqual(answer.headers.get("content-type"), mediaType)
          assert.strictEqual(answer.headers.get("content-length"), String(expected.length))
          assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
          assert.strictEqual(answer.headers.get("cache-control"), "public, max-age=31536000, immutable")
          assert.strictEqual(answer.headers.get("content-security-policy"), "default-src 'none'; sandbox")
          assert.strictEqual(answer.headers.get("accept-ranges"), "bytes")
          assert.isNull(answer.headers.get("content-range"))
        }).pipe(fresh)
    )
  }

  it.effect("An ETag is answered with 304 in a list, as weak and as *, and another one is not", () =>
    Effect.gen(function* () {
      const { url } = yield* shown()
      const etag = header(yield* media(url), "etag")!
      for (const known of [etag, `"x", ${etag}`, `W/${etag}`, "*"]) {
        const answer = yield* media(url, { "if-none-match": known })
        assert.deepStrictEqual([answer.status, answer.text, header(answer, "etag")], [304, "", etag])
        assert.strictEqual(header(answer, "cache-control"), "public, max-age=31536000, immutable")
      }
      assert.strictEqual((yield* media(url, { "if-none-match": '"x"' })).status, 200)
    }).pipe(fresh)
  )

  it.effect("A single range is answered with its part, by first, last, suffix, open end or one byte", () =>
    Effect.gen(function* () {
      const { bytes, url } = yield* shown()
      const size = bytes.length
      const parts = [
        ["bytes=0-9", 0, 10],
        [`bytes=${size - 10}-${size - 1}`, size - 10, size],
        ["bytes=-7", size - 7, size],
        ["bytes=20-", 20, size],
        ["bytes=5-5", 5, 6],
        [`bytes=0-${size * 2}`, 0, size]
      ] as const
      for (const [range, start, end] of parts) {
        const answer = yield* media(url, { range })
        assert.strictEqual(answer.status, 206, range)
        assert.deepStrictEqual(answer.bytes, bytes.slice(start, end), range)
        assert.strictEqual(answer.headers.get("content-range"), `bytes ${start}-${end - 1}/${size}`)
        assert.strictEqual(answer.headers.get("content-length"), String(end - start))
        assert.strictEqual(answer.headers.get("content-type"), "image/png")
      }
    }).pipe(fresh)
  )

  it.effect("A range behind the end is a 416 with the length, and a malformed one gets the whole", () =>
    Effect.gen(function* () {
      const { bytes, url } = yield* shown()
      for (const range of [`bytes=${bytes.length}-`, "bytes=-0"]) {
        const answer = yield* media(url, { range })
        assert.strictEqual(answer.status, 416)
        assert.strictEqual(answer.headers.get("content-range"), `bytes */${bytes.length}`)
      }
      for (const range of ["bytes=9-5", "bytes=0-1,3-4", "lines=0-1", "bytes"]) {
        const answer = yield* media(url, { range })
        assert.strictEqual(answer.status, 200, range)
        assert.deepStrictEqual(answer.bytes, bytes)
      }
    }).pipe(fresh)
  )

  it.effect("An If-Range gives a part only of the image that the caller has", () =>
    Effect.gen(function* () {
      const { url } = yield* shown()
      const etag = header(yield* media(url), "etag")!
      const status = (ifRange: string) =>
        Effect.map(media(url, { range: "bytes=0-1", "if-range": ifRange }), (it) => it.status)
      assert.strictEqual(yield* status(etag), 206)
      assert.strictEqual(yield* status('"another"'), 200)
      assert.strictEqual(yield* status(`W/${etag}`), 200)
      assert.strictEqual(yield* status("Wed, 21 Oct 2026 07:28:00 GMT"), 200)
    }).pipe(fresh)
  )

  it.effect("HEAD answers like GET without the bytes, and ignores ranges", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { bytes, url } = yield* shown()
      const path = new URL(url).pathname
      for (const headers of [{}, { range: "bytes=0-1" }, { range: "bytes=100000-" }]) {
        const answer = yield* client.send("HEAD", path, { headers })
        assert.deepStrictEqual([answer.status, answer.text], [200, ""])
        assert.strictEqual(header(answer, "content-length"), String(bytes.length))
        assert.strictEqual(header(answer, "content-type"), "image/png")
        assert.strictEqual(header(answer, "etag"), header(yield* media(url), "etag"))
      }
    }).pipe(fresh)
  )

  it.effect("Another extension, an unknown id or another path is 404", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { sent, url } = yield* shown()
      const { operationId, targetId } = sent.body.safety
      const paths = [
        url.replace(/png$/, "jpg"),
        url.replace(/\.png$/, ""),
        url.replace(/\.png$/, "x"),
        `${url}x`,
        url.replace(operationId, operationId.toUpperCase()),
        url.replace(operationId, "0197a1b2-0000-7000-8000-000000000000"),
        url.replace(operationId, "x"),
        url.replace(operationId, `..%2F${operationId}`),
        url.replace(operationId, `${targetId}/${operationId}`),
        `${BASE_URL}/media/`,
        `${BASE_URL}/media/.png`,
        `${BASE_URL}/media/${targetId}.png`,
        `${BASE_URL}/media/staging/${operationId}.1`,
        `${BASE_URL}/staging/${operationId}.1`
      ].filter((it) => it !== url)
      for (const path of paths) {
        const answer = yield* client.send("GET", new URL(path).pathname)
        assert.strictEqual(answer.status, 404, path)
        assert.notInclude(header(answer, "cache-control") ?? "", "immutable")
      }
      assert.strictEqual((yield* media(url)).status, 200)
    }).pipe(fresh)
  )

  it.effect("An image is shown only while it is queued, checking or cleared, and not held", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { sent, url } = yield* shown()
      for (const state of ["receiving", "queued", "checking", "cleared", "rejected", "failed", "cancelled"]) {
        for (const held of [false, true]) {
          yield* sql`update upload_operations set state = ${state}, held = ${held} where id = ${idOf(sent)}`
          const isShown = ["queued", "checking", "cleared"].includes(state) && !held
          assert.strictEqual((yield* media(url)).status, isShown ? 200 : 404, `${state}, held ${held}`)
        }
      }
    }).pipe(fresh)
  )

  it.effect("An unavailable storage is 503, a deleted object 404, and neither is cached", () =>
    Effect.gen(function* () {
      const { sent, url } = yield* shown()
      const memory = yield* ObjectStorageMemory
      yield* memory.failNext("get", 1)
      const away = yield* media(url)
      assert.strictEqual(away.status, 503)
      assert.notInclude(header(away, "cache-control") ?? "", "immutable")
      assert.strictEqual((yield* media(url)).status, 200)
      yield* (yield* ObjectStorage).remove(ObjectKey.make(publicKey(sent)))
      const gone = yield* media(url)
      assert.strictEqual(gone.status, 404)
      assert.notInclude(header(gone, "cache-control") ?? "", "immutable")
    }).pipe(fresh)
  )
})
