import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as ImageDecoderSharp from "../../../layers/images/ImageDecoderSharp.ts"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { ignoringImages } from "../../publishing/image-formats/ignored.ts"
import {
  animation,
  apngOf,
  image,
  plain,
  rawOf,
  type Raw,
  scene
} from "../../publishing/image-formats/png/decodeSamples.ts"
import { inspect, made, reasonOf } from "./inspecting.ts"

const only = Effect.fnUntraced(function* (bytes: Promise<Buffer>, format: ImageFormat) {
  const { frames, representations } = yield* inspect(yield* made(bytes), format)
  assert.strictEqual(frames, 1)
  assert.lengthOf(representations, 1)
  return representations[0]!
})

/** Returns the number of bits, of 64, in which two perceptual hashes differ. */
const distance = (one: string, other: string) =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll("0", "").length

const formats = ["png", "jpeg", "webp", "gif"] as const
const encode = (raw: Raw, format: ImageFormat) => image(raw).toFormat(format).toBuffer()

describe("images that are decoded with sharp", () => {
  layer(ImageDecoderSharp.layer())((it) => {
    for (const format of formats) {
      it.effect(`An image shows one picture (${format})`, () =>
        Effect.gen(function* () {
          const { perceptual, pixels } = yield* only(encode(scene(120, 80, 1), format), format)
          assert.match(pixels, /^[0-9a-f]{64}$/u)
          assert.match(perceptual, /^[0-9a-f]{16}$/u)
        })
      )

      it.effect(`An image is undecodable under another name (${format})`, () =>
        Effect.gen(function* () {
          const bytes = yield* made(encode(scene(12, 8, 1), format))
          for (const other of formats.filter((it) => it !== format)) {
            assert.strictEqual(yield* reasonOf(bytes, other), "undecodable")
          }
        })
      )

      it.effect(`A cut image is undecodable (${format})`, () =>
        Effect.gen(function* () {
          const bytes = yield* made(encode(scene(120, 80, 1), format))
          for (const part of [0.1, 0.5, 0.9]) {
            assert.strictEqual(yield* reasonOf(bytes.subarray(0, bytes.length * part), format), "undecodable")
          }
        })
      )
    }

    it.effect("An image has equal pixels in every lossless format, and others when one pixel changes", () =>
      Effect.gen(function* () {
        const raw = scene(60, 40, 2)
        const png = yield* only(encode(raw, "png"), "png")
        assert.deepStrictEqual(yield* only(image(raw).webp({ lossless: true }).toBuffer(), "webp"), png)
        assert.deepStrictEqual(yield* only(image(raw).png({ progressive: true }).toBuffer(), "png"), png)
        assert.deepStrictEqual(yield* only(image(raw).removeAlpha().png().toBuffer(), "png"), png)
        raw.pixels[400] = (raw.pixels[400] ?? 0) ^ 1
        assert.notStrictEqual((yield* only(encode(raw, "png"), "png")).pixels, png.pixels)
      })
    )

    it.effect("Pictures of the same pixels in different dimensions are distinguished", () =>
      Effect.gen(function* () {
        const wide = yield* only(encode(plain(8, 2, 1, 2, 3, 255), "png"), "png")
        const high = yield* only(encode(plain(2, 8, 1, 2, 3, 255), "png"), "png")
        assert.notStrictEqual(wide.pixels, high.pixels)
      })
    )

    it.effect("Colour does not count where pixels are transparent", () =>
      Effect.gen(function* () {
        const hidden = (red: number) => rawOf(8, 8, (x) => (x < 4 ? [red, 0, 0, 0] : [0, 9, 0, 255]))
        const one = yield* only(encode(hidden(1), "png"), "png")
        assert.deepStrictEqual(yield* only(encode(hidden(200), "png"), "png"), one)
      })
    )

    it.effect("Similar pictures have near perceptual hashes, and other pictures distant ones", () =>
      Effect.gen(function* () {
        const raw = scene(300, 200, 3)
        const { perceptual } = yield* only(encode(raw, "png"), "png")
        const jpeg = yield* only(image(raw).resize(150, 100).jpeg({ quality: 60 }).toBuffer(), "jpeg")
        assert.isAtMost(distance(perceptual, jpeg.perceptual), 5)
        const other = yield* only(encode(scene(300, 200, 0), "png"), "png")
        assert.isAbove(distance(perceptual, other.perceptual), 10)
      })
    )

    it.effect("An image is decoded as it is shown, turned as its orientation says", () =>
      Effect.gen(function* () {
        const raw = scene(60, 40, 1)
        const turned = yield* made(image(raw).rotate(90).png().toBuffer())
        const shown = yield* inspect(turned, "png")
        const bytes = yield* made(image(raw).withMetadata({ orientation: 6 }).png().toBuffer())
        assert.deepStrictEqual(yield* inspect(bytes, "png"), shown)
      })
    )

    it.effect("An image with bytes that every decoder ignores shows the same pictures as without them", () =>
      Effect.gen(function* () {
        for (const { bytes, format, name, plain } of yield* Effect.promise(ignoringImages))
          assert.deepStrictEqual(
            yield* inspect(bytes, format),
            yield* inspect(plain, format),
            `${format} with ${name}`
          )
      })
    )

    it.effect("Every kind of pixel is decoded", () =>
      Effect.gen(function* () {
        const raw = scene(30, 20, 1)
        const kinds = [
          image(raw).removeAlpha().toColourspace("cmyk").jpeg().toBuffer(),
          image(raw).greyscale().jpeg().toBuffer()
        ]
        for (const bytes of kinds) yield* only(bytes, "jpeg")
        for (const space of ["rgb16", "grey16", "b-w"]) {
          yield* only(image(raw).toColourspace(space).png().toBuffer(), "png")
        }
        yield* only(image(raw).png({ palette: true }).toBuffer(), "png")
      })
    )

    for (const format of ["gif", "webp"] as const) {
      it.effect(`Each distinct picture of an animation is shown once, in order (${format})`, () =>
        Effect.gen(function* () {
          const [one, two] = [plain(20, 20, 255, 0, 0, 255), plain(20, 20, 0, 0, 255, 255)]
          const frames = animation([one, two, one, two, one])
          const bytes = yield* made(
            format === "gif"
              ? frames.gif({ loop: 0, keepDuplicateFrames: true }).toBuffer()
              : frames.webp({ lossless: true, loop: 0 }).toBuffer()
          )
          const inspection = yield* inspect(bytes, format)
          assert.strictEqual(inspection.frames, 5)
          assert.deepStrictEqual(inspection.representations, [
            yield* only(encode(one, "png"), "png"),
            yield* only(encode(two, "png"), "png")
          ])
        })
      )
    }

    it.effect("An animated PNG shows the canvas after each frame, and its default picture", () =>
      Effect.gen(function* () {
        const [canvas, part, hidden] = [scene(40, 30, 1), plain(10, 10, 255, 0, 0, 255), scene(40, 30, 4)]
        const bytes = yield* made(
          apngOf([{ picture: canvas }, { picture: part, x: 5, y: 5 }, { picture: canvas }], hidden)
        )
        const composed = yield* made(
          image(canvas)
            .composite([{ input: yield* made(encode(part, "png")), left: 5, top: 5 }])
            .png()
            .toBuffer()
        )
        const [shown] = (yield* inspect(composed, "png")).representations
        assert.deepStrictEqual(yield* inspect(bytes, "png"), {
          frames: 4,
          representations: [
            yield* only(encode(hidden, "png"), "png"),
            yield* only(encode(canvas, "png"), "png"),
            shown!
          ]
        })
      })
    )

    it.effect("An animated PNG with a broken later frame is undecodable", () =>
      Effect.gen(function* () {
        const bytes = yield* made(apngOf([{ picture: scene(40, 30, 1) }, { picture: scene(40, 30, 2) }]))
        const inside = bytes.lastIndexOf("fdAT") + 200
        bytes.fill(0xaa, inside, inside + 50)
        assert.strictEqual(yield* reasonOf(bytes, "png"), "undecodable")
      })
    )

    it.effect("Anything outside of the four formats is undecodable, under any name", () =>
      Effect.gen(function* () {
        const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
        const others = [
          svg,
          yield* made(
            image(scene(9, 9, 1))
              .tiff()
              .toBuffer()
          ),
          Buffer.alloc(0),
          Buffer.alloc(99)
        ]
        for (const bytes of others) {
          for (const format of formats) assert.strictEqual(yield* reasonOf(bytes, format), "undecodable")
        }
      })
    )
  })
})
