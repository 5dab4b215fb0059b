import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refusalOf } from "../../../support/actors/author.ts"
import { pngFile, uploaderOf } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { gifOf, gifOfStubs } from "../../image-formats/gif/makeGif.ts"
import { jpegContainer, jpegOf } from "../../image-formats/jpeg/makeJpeg.ts"
import { bombs, polyglots } from "../../image-formats/makeHostile.ts"
import { apngOf, pngContainer, pngOf } from "../../image-formats/png/makePng.ts"
import { bytesOf } from "../../image-formats/shared/makeBytes.ts"
import { webpOf } from "../../image-formats/webp/makeWebp.ts"
import { leavingNothing } from "./remains.ts"

let uploaders = 0
const uploader = Effect.suspend(() => uploaderOf(++uploaders))

/** Makes the file part of a form from these bytes and this media type. */
const fileOf = (content: Uint8Array | string, mediaType: string) => [
  { name: "file", fileName: "file", mediaType, content }
]

layer(service(database("test_upload_formats")))("the formats of images (4.4)", (it) => {
  it.effect("PNG, JPEG, WebP and GIF with matching MIME type and file signature are received", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const images = [
        ["png", pngOf(), "image/png"],
        ["png", apngOf(), "image/png"],
        ["jpg", yield* Effect.promise(() => jpegOf()), "image/jpeg"],
        ["webp", yield* Effect.promise(() => webpOf()), "image/webp"],
        ["gif", gifOf({ frames: 2 }), "image/gif"],
        ["png", pngOf({ seed: 2 }), "Image/PNG; charset=binary"]
      ] as const
      for (const [extension, bytes, mediaType] of images) {
        const answer = yield* author.avatar({ parts: fileOf(bytes, mediaType) })
        assert.strictEqual(answer.status, 202, answer.text)
        const { publicUrl, safety } = answer.body
        assert.deepStrictEqual([safety.state, safety.received, safety.targetKey], ["queued", true, ""])
        assert.strictEqual(publicUrl, `https://press.test/media/${safety.operationId}.${extension}`)
        // Authors read it in their texts.
        assert.isAtMost(new URL(publicUrl).pathname.length, 60)
      }
    })
  )

  it.effect("A format under the MIME type of another is 422, and leaves nothing", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const images = {
        "image/png": pngOf(),
        "image/jpeg": yield* Effect.promise(() => jpegOf()),
        "image/webp": yield* Effect.promise(() => webpOf()),
        "image/gif": gifOf()
      }
      for (const [format, bytes] of Object.entries(images)) {
        for (const mediaType of Object.keys(images).filter((it) => it !== format)) {
          const answer = yield* leavingNothing(author, author.avatar({ parts: fileOf(bytes, mediaType) }))
          assert.deepStrictEqual(refusalOf(answer), [422, "validation", "file mismatch"], mediaType)
        }
        for (const mediaType of ["image/svg+xml", "image/avif", "application/pdf", "image/*"]) {
          const answer = yield* leavingNothing(author, author.avatar({ parts: fileOf(bytes, mediaType) }))
          assert.deepStrictEqual(refusalOf(answer), [422, "validation", "file unsupported_type"], mediaType)
        }
      }
    })
  )

  it.effect("A part without a type, or with image/jpg, is the image that its bytes are", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const images = [
        ["png", pngOf()],
        ["jpg", yield* Effect.promise(() => jpegOf())],
        ["webp", yield* Effect.promise(() => webpOf())],
        ["gif", gifOf()]
      ] as const
      for (const [extension, content] of images) {
        for (const type of [{ mediaType: "application/octet-stream" }, {}]) {
          const answer = yield* author.avatar({ parts: [{ name: "file", fileName: "a", content, ...type }] })
          assert.strictEqual(answer.status, 202, answer.text)
          assert.match(answer.body.publicUrl, new RegExp(`\\.${extension}$`))
        }
      }
      const jpg = yield* author.avatar({ parts: fileOf(images[1][1], "image/jpg") })
      assert.strictEqual(jpg.status, 202, jpg.text)
    })
  )

  it.effect("A refusal names the type of the part and the type of its bytes", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const webp = yield* Effect.promise(() => webpOf())
      for (const [content, mediaType, message] of [
        [webp, "image/png", "The part says image/png, and its bytes are WebP. Send it as image/webp."],
        [webp, "video/mp4", "The part says video/mp4, and its bytes are WebP. Send it as image/webp."],
        [
          bytesOf("%PDF-1.7\n%"),
          "application/octet-stream",
          "The part says application/octet-stream, and its bytes are none of PNG, JPEG, WebP and GIF. Send one of these."
        ]
      ] as const) {
        const { body } = yield* leavingNothing(author, author.avatar({ parts: fileOf(content, mediaType) }))
        assert.strictEqual(body.errors[0].message, message)
      }
    })
  )

  it.effect("SVG, PDF, office documents, video and HTML are 422 under their own type and an image's", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const others = [
        ['<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"],
        ["%PDF-1.7\n%\u00e2\u00e3\n1 0 obj\n<<>>\nendobj\n", "application/pdf"],
        ["\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1", "application/msword"],
        ["PK\u0003\u0004\u0014\0\0\0\0\0", "application/zip"],
        [bytesOf([0, 0, 0, 0x18], "ftypmp42", [0, 0, 0, 0], "mp42isom"), "video/mp4"],
        [bytesOf([0, 0, 0, 0x18], "ftypavif", [0, 0, 0, 0], "avifmif1"), "image/avif"],
        [bytesOf([0x1a, 0x45, 0xdf, 0xa3]), "video/webm"],
        ["RIFF\x04\0\0\0AVI LIST", "video/x-msvideo"],
        ["<!doctype html><script>alert(1)</script>", "text/html"],
        ["BM\x1e\0\0\0\0\0\0\0", "image/bmp"],
        ["GIF88a", "image/gif"]
      ] as const
      for (const [content, own] of others) {
        const bytes = typeof content === "string" ? bytesOf(content) : content
        for (const mediaType of [own, "image/png", "image/jpeg", "image/webp", "image/gif"]) {
          const answer = yield* leavingNothing(author, author.avatar({ parts: fileOf(bytes, mediaType) }))
          assert.deepStrictEqual(refusalOf(answer), [422, "validation", "file unsupported_type"], own)
        }
      }
    })
  )

  it.effect("An empty file, a truncated one and a polyglot are 422", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const whole = pngOf()
      for (const bytes of [new Uint8Array(0), whole.subarray(0, 8), whole.subarray(0, -1)]) {
        const answer = yield* leavingNothing(author, author.avatar({ parts: fileOf(bytes, "image/png") }))
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(answer.body.errors[0].field, "file")
      }
      const script = yield* leavingNothing(
        author,
        author.avatar({ parts: fileOf(polyglots.gifScript().subarray(0, 20), "image/gif") })
      )
      assert.deepStrictEqual(refusalOf(script), [422, "validation", "file invalid"])
    })
  )
})

layer(service(database("test_upload_budget")))("the decode budget at admission (4.4, 8)", (it) => {
  const pngs = [
    [8000, 4000],
    [32_000, 1000]
  ] as const

  it.effect("A canvas of 32,000,000 pixels is received, and one column more is 422", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (const [width, height] of pngs) {
        const fits = fileOf(pngContainer(width, height), "image/png")
        assert.strictEqual((yield* author.avatar({ parts: fits })).status, 202)
        const larger = fileOf(pngContainer(width + 1, height), "image/png")
        const answer = yield* leavingNothing(author, author.avatar({ parts: larger }))
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", "file out_of_range"])
      }
      const jpeg = fileOf(jpegContainer(8001, 4000), "image/jpeg")
      const answer = yield* leavingNothing(author, author.avatar({ parts: jpeg }))
      assert.deepStrictEqual(refusalOf(answer), [422, "validation", "file out_of_range"])
    })
  )

  it.effect("Any number of frames with 128,000,000 pixels is received, and one frame more is 422", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      for (const [width, height, frames] of [
        [1000, 1000, 128],
        [100, 100, 12_800]
      ] as const) {
        const fits = fileOf(gifOfStubs(width, height, frames), "image/gif")
        assert.strictEqual((yield* author.avatar({ parts: fits })).status, 202)
        const more = fileOf(gifOfStubs(width, height, frames + 1), "image/gif")
        const answer = yield* leavingNothing(author, author.avatar({ parts: more }))
        assert.deepStrictEqual(refusalOf(answer), [422, "validation", "file out_of_range"])
      }
    })
  )

  it.effect("A few bytes that would decode to very many pixels are 422", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const post = yield* author.draft()
      const sent = [
        fileOf(bombs.png(), "image/png"),
        fileOf(bombs.gif(), "image/gif"),
        fileOf(bombs.apng(), "image/png"),
        fileOf(bombs.webp(), "image/webp")
      ]
      for (const parts of sent) {
        const answer = yield* leavingNothing(author, author.inline(post, { parts }))
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(answer.body.errors[0].field, "file")
      }
    })
  )

  it.effect("An image that was refused frees its key for the right one", () =>
    Effect.gen(function* () {
      const author = yield* uploader
      const key = "one"
      const wrong = yield* author.avatar({ key, parts: fileOf(bombs.png(), "image/png") })
      assert.strictEqual(wrong.status, 422)
      const header = yield* author.header({ key, parts: [pngFile(3)] })
      assert.deepStrictEqual(
        [header.status, header.body.replayed, header.body.safety.generation],
        [202, false, 1]
      )
    })
  )
})
