import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, assertTruncationsRefused, containerOf, refusalOf } from "../results.ts"
import { bytesOf, le32, patched } from "../shared/makeBytes.ts"
import { plantedExif } from "../shared/makeMetadata.ts"
import {
  animatedWebpOf,
  webpAnimation,
  webpChunk,
  webpFrame,
  webpHeader,
  webpOf,
  webpOfChunks,
  webpPicture,
  webpStub,
  webpWithMetadata
} from "./makeWebp.ts"

const stubs = (width: number, height: number, frames: number) =>
  webpOfChunks(
    webpHeader(2, width, height),
    webpAnimation,
    ...Array.from({ length: frames }, () => webpFrame(1, 1, webpStub(1, 1)))
  )

describe("the container of a WebP", () => {
  it.effect("A WebP says its frames and dimensions, lossy, lossless and transparent", () =>
    Effect.gen(function* () {
      const expected = { format: "webp", width: 16, height: 8, frames: 1 }
      for (const options of [
        {},
        { isLossless: true },
        { hasAlpha: true },
        { isLossless: true, hasAlpha: true }
      ]) {
        const bytes = yield* Effect.promise(() => webpOf(options))
        assert.deepStrictEqual(containerOf(bytes, "webp"), expected)
      }
      const animated = yield* Effect.promise(() => animatedWebpOf(5))
      assert.deepStrictEqual(containerOf(animated, "webp"), { ...expected, frames: 5 })
    })
  )

  it("A WebP may have 32,000,000 pixels a frame and 128,000,000 in all", () => {
    assert.strictEqual(refusalOf(webpOfChunks(webpStub(8000, 4000)), "webp"), null)
    assert.strictEqual(refusalOf(webpOfChunks(webpStub(8000, 4001)), "webp"), "out_of_range")
    assert.strictEqual(refusalOf(stubs(8000, 4000, 4), "webp"), null)
    assert.strictEqual(refusalOf(stubs(8000, 4000, 5), "webp"), "out_of_range")
    assert.strictEqual(refusalOf(stubs(8000, 4001, 1), "webp"), "out_of_range")
    assert.strictEqual(refusalOf(stubs(0x100_0000, 0x100_0000, 1), "webp"), "out_of_range")
  })

  it.effect("A WebP with a missing, wrong or misplaced chunk is refused", () =>
    Effect.gen(function* () {
      const lossy = webpPicture(yield* Effect.promise(() => webpOf()))
      const stub = webpStub(16, 8)
      const header = (flags: number) => webpHeader(flags, 16, 8)
      const frame = webpFrame(16, 8, stub)
      assertRefused("webp", "malformed", {
        "nothing in it": webpOfChunks(),
        "picture not first": webpOfChunks(webpChunk("EXIF", plantedExif(6)), lossy),
        "two pictures": webpOfChunks(lossy, lossy),
        "no key frame": webpOfChunks(patched(lossy, 8, [(lossy[8] ?? 0) | 1])),
        "no start code": webpOfChunks(patched(lossy, 11, [0])),
        "no width": webpOfChunks(patched(lossy, 14, [0, 0])),
        "lossless signature": webpOfChunks(patched(stub, 8, [0])),
        "lossless version": webpOfChunks(patched(stub, 12, [0xff])),
        "short lossless": webpOfChunks(webpChunk("VP8L", 0x2f, 0)),
        "short header": webpOfChunks(webpChunk("VP8X", [0, 0, 0, 0]), stub),
        "two headers": webpOfChunks(header(0), header(0), stub),
        "picture missing": webpOfChunks(header(0)),
        "picture smaller": webpOfChunks(webpHeader(0, 17, 8), stub),
        "frames without the flag": webpOfChunks(header(0), webpAnimation, frame),
        "frame beside the picture": webpOfChunks(header(0), stub, frame),
        "picture with the flag": webpOfChunks(header(2), webpAnimation, stub),
        "picture beside frames": webpOfChunks(header(2), webpAnimation, frame, stub),
        "no ANIM": webpOfChunks(header(2), frame),
        "ANIM after": webpOfChunks(header(2), frame, webpAnimation),
        "no frames": webpOfChunks(header(2), webpAnimation),
        "frame without a picture": webpOfChunks(
          header(2),
          webpAnimation,
          webpFrame(16, 8, new Uint8Array(0))
        ),
        "frame smaller": webpOfChunks(header(2), webpAnimation, webpFrame(15, 8, stub)),
        "frame beyond": webpOfChunks(header(2), webpAnimation, webpFrame(16, 8, stub, 2, 0)),
        "frame with broken chunks": webpOfChunks(
          header(2),
          webpAnimation,
          webpFrame(16, 8, bytesOf(stub, "VP8L"))
        ),
        "length beyond the end": patched(webpOfChunks(stub), 16, le32(0xffff_fff0)),
        "RIFF beyond the end": patched(webpOfChunks(stub), 4, le32(0xffff_fff0)),
        "RIFF too short": patched(webpOfChunks(stub), 4, le32(4))
      })
      assert.strictEqual(refusalOf(webpOfChunks(header(2), webpAnimation, frame), "webp"), null)
    })
  )

  it.effect("A WebP that is cut off before the end that RIFF states is refused", () =>
    Effect.gen(function* () {
      const bytes = yield* Effect.promise(() => webpOf({ hasAlpha: true }))
      assertTruncationsRefused("webp", bytes)
      const picture = { width: 16, height: 8, chunks: webpPicture(bytes) }
      assertTruncationsRefused("webp", webpWithMetadata(picture, 6))
      assertTruncationsRefused("webp", yield* Effect.promise(() => animatedWebpOf(2)))
    })
  )
})
