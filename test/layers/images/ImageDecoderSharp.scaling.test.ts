import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import * as ImageDecoderSharp from "../../../layers/images/ImageDecoderSharp.ts"
import { FACE_WIDTH, type ImageFormat, VARIANT_WIDTHS } from "../../../schemas/publishing/uploads/limits.ts"
import { ImageDecoder } from "../../../src/platform/ports/ImageDecoder.ts"
import { publicCopyOf } from "../../../src/publishing/image-formats/publicCopy.ts"
import { jpegMetadata, jpegOf } from "../../publishing/image-formats/jpeg/makeJpeg.ts"
import { containerOf } from "../../publishing/image-formats/results.ts"
import { bytesOf, noise } from "../../publishing/image-formats/shared/makeBytes.ts"
import { planted, plantedIn } from "../../publishing/image-formats/shared/makeMetadata.ts"
import { made } from "./inspecting.ts"

const scale = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  format: ImageFormat,
  widths?: ReadonlyArray<number>
) {
  return yield* (yield* ImageDecoder).scale(bytes, format, widths)
})

const reasonOf = (bytes: Uint8Array, format: ImageFormat) =>
  Effect.map(Effect.flip(scale(bytes, format)), (error) =>
    error._tag === "ImageUnreadable" ? error.reason : error._tag
  )

/** A picture whose halves have these colours: left, right. */
const halves = (width: number, height: number, left: string, right: string) =>
  sharp({ create: { width, height, channels: 4, background: left } }).composite([
    {
      input: { create: { width: Math.ceil(width / 2), height, channels: 4, background: right } },
      gravity: "east"
    }
  ])

/** Noise, which no encoder makes small. */
const grain = (width: number, height: number) =>
  sharp(noise(5, width * height * 3), { raw: { width, height, channels: 3 } })

/** Returns the colour of the point at these parts of the width and the height. */
const colourAt = Effect.fnUntraced(function* (webp: Uint8Array, x: number, y: number) {
  const { data, info } = yield* Effect.promise(() =>
    sharp(webp).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  )
  const at = 4 * (Math.floor(info.height * y) * info.width + Math.floor(info.width * x))
  return [...data.subarray(at, at + 4)]
})

const near = (one: ReadonlyArray<number>, other: ReadonlyArray<number>, by = 12) =>
  assert.isTrue(
    one.every((value, index) => Math.abs(value - (other[index] ?? 0)) <= by),
    `${one.join()} is not ${other.join()}`
  )

const formats = ["png", "jpeg", "webp", "gif"] as const

describe("smaller copies of images", () => {
  layer(ImageDecoderSharp.layer())((it) => {
    for (const format of formats) {
      it.effect(`A large ${format} has three smaller copies that are plain WebPs`, () =>
        Effect.gen(function* () {
          // The encoder of GIFs takes long for noise in colours.
          const picture = format === "gif" ? grain(1300, 650).greyscale() : grain(1300, 650)
          // A PNG would get a palette by the option, which takes ten seconds.
          const bytes = yield* made(
            picture.toFormat(format, format === "gif" ? { dither: 0 } : {}).toBuffer()
          )
          const copies = yield* scale(bytes, format)
          assert.deepStrictEqual(
            copies.map(({ webp, width }) => {
              const container = containerOf(webp, "webp")
              assert.isBelow(webp.length, bytes.length)
              assert.deepStrictEqual(publicCopyOf(webp, container), new Uint8Array(webp), "nothing to strip")
              return [width, container]
            }),
            [320, 640, 1280].map((width) => [width, { format: "webp", width, height: width / 2, frames: 1 }])
          )
        })
      )

      it.effect(`A ${format} that is cut, or has another name, has no smaller copies`, () =>
        Effect.gen(function* () {
          const bytes = yield* made(halves(700, 500, "#f00", "#00f").toFormat(format).toBuffer())
          assert.strictEqual(yield* reasonOf(bytes.subarray(0, bytes.length / 2), format), "undecodable")
          for (const other of formats.filter((it) => it !== format))
            assert.strictEqual(yield* reasonOf(bytes, other), "undecodable")
        })
      )
    }

    it.effect("A copy is never wider than its image, and may be as wide", () =>
      Effect.gen(function* () {
        const widths = Effect.fnUntraced(function* (width: number) {
          const bytes = yield* made(grain(width, 40).png().toBuffer())
          return (yield* scale(bytes, "png")).map((it) => it.width)
        })
        assert.deepStrictEqual(yield* widths(319), [])
        assert.deepStrictEqual(yield* widths(320), [320])
        assert.deepStrictEqual(yield* widths(1279), [320, 640])
        assert.deepStrictEqual(yield* widths(1280), [320, 640, 1280])
        const portrait = yield* made(grain(512, 512).jpeg().toBuffer())
        const copies = yield* scale(portrait, "jpeg", [FACE_WIDTH, ...VARIANT_WIDTHS])
        assert.deepStrictEqual(
          copies.map(({ width }) => width),
          [96, 320]
        )
        assert.isBelow(copies[0]?.webp.length ?? 0, 6_000)
      })
    )

    it.effect("A copy with more bytes than its image is left out", () =>
      Effect.gen(function* () {
        const coarse = yield* made(grain(1300, 1300).webp({ quality: 1 }).toBuffer())
        const copies = yield* scale(coarse, "webp")
        assert.notInclude(
          copies.map((it) => it.width),
          1280
        )
        for (const { webp } of copies) assert.isBelow(webp.length, coarse.length)
      })
    )

    it.effect("A copy that would be higher than a WebP can be, or too many bytes, is left out", () =>
      Effect.gen(function* () {
        const tower = yield* made(
          sharp({ create: { width: 640, height: 33_000, channels: 3, background: "#369" } })
            .png()
            .toBuffer()
        )
        assert.deepStrictEqual(
          (yield* scale(tower, "png")).map((it) => it.width),
          []
        )
        const long = yield* made(grain(640, 4_000).png({ compressionLevel: 0 }).toBuffer())
        // Two and a half million pixels of noise.
        assert.notInclude(
          (yield* scale(long, "png")).map((it) => it.width),
          640
        )
      })
    )

    it.effect("Copies are turned and mirrored as browsers do it: by the EXIF, but not that of a WebP", () =>
      Effect.gen(function* () {
        const cases = [
          ...[1, 2, 3, 4, 5, 6, 7, 8].map((orientation) => ["jpeg", orientation] as const),
          ...(["png", "webp"] as const).flatMap((format) => [[format, 3] as const, [format, 6] as const])
        ]
        const plain = yield* made(grain(48, 20).resize(960, 400).png({ compressionLevel: 0 }).toBuffer())
        for (const [format, orientation] of cases) {
          const name = `${format} ${orientation}`
          const bytes = yield* made(sharp(plain).withMetadata({ orientation }).toFormat(format).toBuffer())
          const seen = format === "webp" ? sharp(bytes) : sharp(bytes).autoOrient()
          const expected = yield* made(seen.png({ compressionLevel: 0 }).toBuffer())
          const { height, width } = containerOf(bytes, format)
          const copies = yield* scale(bytes, format)
          assert.deepStrictEqual(
            copies.map((it) => it.width),
            width < height ? [320] : [320, 640],
            name
          )
          for (const { webp } of copies) {
            const copy = containerOf(webp, "webp")
            assert.strictEqual(copy.height, Math.round((copy.width * height) / width), name)
            for (const [x, y] of [
              [0.1, 0.1],
              [0.9, 0.9],
              [0.1, 0.9]
            ] as const)
              near(yield* colourAt(webp, x, y), yield* colourAt(expected, x, y), 40)
          }
        }
      })
    )

    it.effect("Copies have neither metadata nor what follows the end of the image", () =>
      Effect.gen(function* () {
        const photo = yield* Effect.promise(() =>
          jpegOf({ width: 700, height: 300, segments: jpegMetadata(6) })
        )
        const bytes = bytesOf(photo, planted.trailer)
        assert.isNotEmpty(plantedIn(bytes))
        for (const { webp } of yield* scale(bytes, "jpeg")) {
          assert.deepStrictEqual(plantedIn(webp), [])
          const { exif, icc, xmp } = yield* Effect.promise(() => sharp(webp).metadata())
          assert.deepStrictEqual([exif, icc, xmp], [undefined, undefined, undefined])
        }
      })
    )

    it.effect("Colours are those of the profile, and invisible parts stay invisible", () =>
      Effect.gen(function* () {
        const srgb = halves(700, 300, "#e00000", "#0000e0")
        const wide = yield* made(
          srgb.clone().keepIccProfile().withIccProfile("p3").jpeg({ quality: 100 }).toBuffer()
        )
        const grey = yield* made(srgb.clone().greyscale().png().toBuffer())
        const deep = yield* made(srgb.clone().toColourspace("rgb16").png().toBuffer())
        const ink = yield* made(
          srgb.clone().flatten().toColourspace("cmyk").jpeg({ quality: 100 }).toBuffer()
        )
        for (const [bytes, format, by] of [
          [wide, "jpeg", 12],
          [deep, "png", 12]
        ] as const) {
          for (const { webp } of yield* scale(bytes, format)) {
            near(yield* colourAt(webp, 0.1, 0.5), [0xe0, 0, 0, 255], by)
            near(yield* colourAt(webp, 0.9, 0.5), [0, 0, 0xe0, 255], by)
          }
        }
        for (const { webp } of yield* scale(ink, "jpeg")) {
          const [left, right] = [yield* colourAt(webp, 0.1, 0.5), yield* colourAt(webp, 0.9, 0.5)]
          assert.isAbove(left[0]! - left[2]!, 100)
          assert.isAbove(right[2]! - right[0]!, 80)
        }
        for (const { webp } of yield* scale(grey, "png")) {
          const [r = 0, g = 0, b = 0] = yield* colourAt(webp, 0.1, 0.5)
          near([r, r, r], [r, g, b], 3)
        }
        const clear = yield* made(halves(700, 300, "#f000", "#00f").png().toBuffer())
        const copies = yield* scale(clear, "png")
        for (const { webp } of copies) {
          assert.strictEqual((yield* colourAt(webp, 0.1, 0.5))[3], 0)
          near(yield* colourAt(webp, 0.9, 0.5), [0, 0, 255, 255])
        }
      })
    )
  })

  const hanging = { program: new URL("../process-pool/hangingProcess.ts", import.meta.url), nodeOptions: [] }
  layer(ImageDecoderSharp.layer(hanging))((it) => {
    it.effect("The answer to another question is no copy", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf(Buffer.alloc(9), "gif"), "ImageDecodingFailed")
      })
    )
  })
})
