import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import * as ImageDecoderSharp from "../../../layers/images/ImageDecoderSharp.ts"
import {
  animation,
  apngOf,
  gifOfEqualFrames,
  plain,
  type Raw
} from "../../publishing/image-formats/png/decodeSamples.ts"
import { inspect, made, reasonOf } from "./inspecting.ts"

const distinct = (count: number) =>
  Array.from({ length: count }, (_, number) => plain(4, 4, number, 255 - number, 7, 255))
const lossless = (frames: ReadonlyArray<Raw>) =>
  animation(frames).webp({ lossless: true, loop: 0 }).toBuffer()

describe("images that are decoded with sharp", () => {
  layer(ImageDecoderSharp.layer())((it) => {
    it.effect("Frames too large to decode together are decoded", () =>
      Effect.gen(function* () {
        const frames = Array.from({ length: 9 }, (_, red) => plain(2000, 2000, red * 20, 0, 0, 255))
        const { representations } = yield* inspect(
          yield* made(animation(frames).gif({ effort: 1, loop: 0 }).toBuffer()),
          "gif"
        )
        assert.lengthOf(representations, 9)
      })
    )

    it.effect("An image with ten thousand equal frames is decoded", () =>
      Effect.gen(function* () {
        const { frames, representations } = yield* inspect(gifOfEqualFrames(10_000), "gif")
        assert.strictEqual(frames, 10_000)
        assert.lengthOf(representations, 1)
      })
    )

    it.effect("An image may show at most 128 distinct pictures", () =>
      Effect.gen(function* () {
        const most = yield* inspect(yield* made(lossless(distinct(128))), "webp")
        assert.lengthOf(most.representations, 128)
        assert.strictEqual(
          yield* reasonOf(yield* made(lossless(distinct(129))), "webp"),
          "too_many_representations"
        )
      })
    )

    it.effect("An image may have at most 32,000,000 pixels in a frame", () =>
      Effect.gen(function* () {
        const bytes = (width: number, height: number) =>
          made(
            sharp(Buffer.alloc(width * height), { raw: { width, height, channels: 1 } })
              .png({ compressionLevel: 1 })
              .toBuffer()
          )
        assert.strictEqual((yield* inspect(yield* bytes(8000, 4000), "png")).frames, 1)
        assert.strictEqual(yield* reasonOf(yield* bytes(8000, 4001), "png"), "too_many_pixels")
      })
    )

    it.effect("An image may have at most 128,000,000 pixels in all frames", () =>
      Effect.gen(function* () {
        const bytes = gifOfEqualFrames(5, 8000, 4000)
        assert.strictEqual(yield* reasonOf(bytes, "gif"), "too_many_pixels")
      })
    )

    it.effect("The pictures of an animated PNG are counted", () =>
      Effect.gen(function* () {
        const frames = distinct(129).map((picture) => ({ picture }))
        assert.strictEqual(yield* reasonOf(yield* made(apngOf(frames)), "png"), "too_many_representations")
        assert.strictEqual((yield* inspect(yield* made(apngOf(frames.slice(1))), "png")).frames, 128)
      })
    )
  })
})
