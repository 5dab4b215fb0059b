import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import sharp from "sharp"
import { mediaTypeOf, type ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { readContainer } from "../../../src/publishing/image-formats/container.ts"
import { publicCopyOf } from "../../../src/publishing/image-formats/publicCopy.ts"
import { sniffMismatch } from "../../../src/publishing/image-formats/sniff.ts"
import { gifOf } from "./gif/makeGif.ts"
import { jpegOf } from "./jpeg/makeJpeg.ts"
import { bombs, liars, polyglots } from "./makeHostile.ts"
import { pngOf } from "./png/makePng.ts"
import { containerOf, refusalOf } from "./results.ts"
import { bytesOf, placeOf } from "./shared/makeBytes.ts"
import { planted, plantedIn } from "./shared/makeMetadata.ts"
import { webpOf } from "./webp/makeWebp.ts"

const images = Effect.promise(async () => ({
  png: pngOf(),
  jpeg: await jpegOf(),
  webp: await webpOf(),
  gif: gifOf()
}))

const others: Readonly<Record<string, Uint8Array>> = {
  svg: bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  pdf: bytesOf("%PDF-1.7\n%"),
  zip: bytesOf("PK\u0003\u0004", new Uint8Array(30)),
  avif: bytesOf([0, 0, 0, 28], "ftypavif", new Uint8Array(20)),
  bmp: bytesOf("BM", new Uint8Array(60)),
  wave: bytesOf("RIFF", [40, 0, 0, 0], "WAVEfmt ", new Uint8Array(40)),
  gif88: bytesOf("GIF88a", new Uint8Array(30)),
  nothing: new Uint8Array(64)
}

describe("the media type and the signature of an image", () => {
  it.effect("The media type and the signature have to agree", () =>
    Effect.gen(function* () {
      const formats = Object.entries(yield* images)
      for (const [format, bytes] of formats) {
        for (const [declared, type] of Object.entries(mediaTypeOf)) {
          const result = readContainer(bytes, type)
          const code = Result.isFailure(result) ? result.failure.code : null
          assert.strictEqual(code, format === declared ? null : "mismatch", `${format} as ${type}`)
        }
      }
    })
  )

  it.effect("Only PNG, JPEG, WebP and GIF are supported", () =>
    Effect.gen(function* () {
      for (const [name, bytes] of Object.entries(others)) {
        for (const format of Object.keys(mediaTypeOf)) {
          assert.strictEqual(refusalOf(bytes, format as ImageFormat), "unsupported_type", name)
        }
      }
      const { png } = yield* images
      for (const type of [
        "image/svg+xml",
        "image/apng",
        "application/pdf",
        "image/jpg",
        "image",
        "",
        "toString"
      ]) {
        assert.strictEqual(sniffMismatch(png, type)?.code, "unsupported_type", type)
      }
      for (const type of ["IMAGE/PNG", "image/png; charset=binary", " image/png "]) {
        assert.isUndefined(sniffMismatch(png, type), type)
      }
    })
  )

  it.effect("The first bytes decide, as many as have arrived, up to twelve", () =>
    Effect.gen(function* () {
      for (const [format, bytes] of Object.entries(yield* images)) {
        for (let length = 0; length <= 12; length++) {
          assert.isUndefined(sniffMismatch(bytes.subarray(0, length), mediaTypeOf[format as ImageFormat]))
        }
      }
      const { gif, webp } = yield* images
      assert.strictEqual(sniffMismatch(gif.subarray(0, 1), "image/png")?.code, "mismatch")
      assert.strictEqual(sniffMismatch(webp.subarray(0, 12), "image/gif")?.code, "mismatch")
      assert.strictEqual(sniffMismatch(others.wave!.subarray(0, 10), "image/webp")?.code, "unsupported_type")
      assert.strictEqual(refusalOf(new Uint8Array(0), "png"), "malformed")
    })
  )
})

describe("decompression bombs", () => {
  it("A decompression bomb is out of range by its container alone", () => {
    assert.isBelow(bombs.png().length, 100)
    for (const [name, format] of [
      ["png", "png"],
      ["gif", "gif"],
      ["apng", "png"],
      ["webp", "webp"]
    ] as const) {
      assert.strictEqual(refusalOf(bombs[name](), format), "out_of_range", name)
    }
  })
})

describe("polyglot files", () => {
  it.effect("A polyglot file loses the rest in its public copy", () =>
    Effect.gen(function* () {
      const script = polyglots.gifScript()
      assert.isAbove(placeOf(script, planted.comment), 0)
      assert.strictEqual(containerOf(script, "gif").width, 0x2a2f)
      const files = [
        ["gif", script],
        ["jpeg", yield* Effect.promise(polyglots.jpegZip)],
        ["jpeg", yield* Effect.promise(polyglots.jpegHtml)],
        ["png", polyglots.pngHtml()],
        ["gif", polyglots.gifZip()],
        ["webp", yield* Effect.promise(polyglots.webpHtml)]
      ] as const
      for (const [format, bytes] of files) {
        assert.isNotEmpty(plantedIn(bytes))
        const copy = publicCopyOf(bytes, containerOf(bytes, format))
        assert.deepStrictEqual(plantedIn(copy), [], format)
        for (const text of ["<script>", "alert(", "PK\u0005\u0006"])
          assert.strictEqual(placeOf(copy, text), -1, format)
      }
    })
  )
})

describe("images that say one size and have another", () => {
  it.effect("A false size is refused by the container, or else by decoding", () =>
    Effect.gen(function* () {
      assert.strictEqual(refusalOf(yield* Effect.promise(liars.webp), "webp"), "malformed")
      assert.strictEqual(refusalOf(yield* Effect.promise(liars.animatedWebp), "webp"), "malformed")
      assert.deepStrictEqual(containerOf(liars.gif(), "gif"), {
        format: "gif",
        width: 8,
        height: 4,
        frames: 1
      })
      const png = liars.png()
      assert.strictEqual(containerOf(png, "png").width, 64)
      const decoded = yield* Effect.result(
        Effect.tryPromise(() => sharp(png, { failOn: "warning" }).raw().toBuffer())
      )
      assert.isTrue(Result.isFailure(decoded))
    })
  )
})
