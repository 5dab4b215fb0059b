import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { mediaTypeOf, type ImageFormat } from "../../../../schemas/publishing/uploads/limits.ts"
import { readContainer } from "../../../../src/publishing/image-formats/container.ts"
import { gifControl, gifExtension, gifOfBlocks, gifOfStubs, gifStub } from "../gif/makeGif.ts"
import { jpegContainer } from "../jpeg/makeJpeg.ts"
import { frameControl, pngChunk, pngHeader, pngOfChunks, pngPixels } from "../png/makePng.ts"
import { webpAnimation, webpChunk, webpFrame, webpHeader, webpStub } from "../webp/makeWebp.ts"
import { be32, bytesOf, le32 } from "./makeBytes.ts"

/** Joins many bytes faster than `bytesOf`. */
const joined = (...parts: ReadonlyArray<Uint8Array>) => new Uint8Array(Buffer.concat(parts))

const times = (part: Uint8Array, count: number) =>
  new Uint8Array(Buffer.concat(Array.from({ length: count }, () => part)))

const webp = (...chunks: ReadonlyArray<Uint8Array>) => {
  const content = joined(bytesOf("WEBP"), ...chunks)
  return joined(bytesOf("RIFF", le32(content.length)), content)
}

/** Returns the code and message of a refusal; null for an accepted image. */
const refusalOf = (bytes: Uint8Array, format: ImageFormat) => {
  const result = readContainer(bytes, mediaTypeOf[format])
  return Result.isFailure(result) ? [result.failure.code, result.failure.message] : null
}

const picture = [pngHeader(4, 3), pngChunk("IDAT", pngPixels(4, 3)), pngChunk("IEND")] as const
const gif = (blocks: Uint8Array) => {
  const empty = gifOfBlocks(1, 1)
  return joined(empty.subarray(0, -1), blocks, gifStub(1, 1), bytesOf(0x3b))
}
const jpeg = jpegContainer(16, 16)

describe("the parts of an image", () => {
  /** Makes images with `parts` extra parts beside those of the picture. */
  const images: Readonly<Record<string, readonly [ImageFormat, string, (parts: number) => Uint8Array]>> = {
    "PNG chunks": [
      "png",
      "chunks",
      (parts) => joined(pngOfChunks(picture[0]), times(pngChunk("teXt"), parts - 3), picture[1], picture[2])
    ],
    "PNG chunks of pixels": [
      "png",
      "chunks",
      (parts) => joined(pngOfChunks(picture[0]), times(pngChunk("IDAT"), parts - 3), picture[1], picture[2])
    ],
    "JPEG segments": [
      "jpeg",
      "segments",
      (parts) => joined(jpeg.subarray(0, 2), times(bytesOf([0xff, 0xfe, 0, 2]), parts - 2), jpeg.subarray(2))
    ],
    "GIF blocks": ["gif", "blocks", (parts) => gif(times(bytesOf([0x21, 0x42, 0]), parts - 1))],
    "WebP chunks": [
      "webp",
      "chunks",
      (parts) => webp(webpHeader(0, 1, 1), times(webpChunk("PRIV"), parts - 2), webpStub(1, 1))
    ]
  }

  it("An image has at most 65,536 parts, and the refusal names the bound", () => {
    for (const [name, [format, parts, make]] of Object.entries(images)) {
      assert.isNull(refusalOf(make(65_536), format), name)
      const [code, message] = refusalOf(make(65_537), format) ?? []
      assert.strictEqual(code, "out_of_range", name)
      assert.include(message, `more than 65,536 ${parts}`, name)
    }
  })

  it("A GIF has at most 262,144 sub-blocks in all", () => {
    const extension = (subBlocks: number) =>
      joined(bytesOf(0x21, 0x42), times(bytesOf(1, 7), subBlocks), bytesOf(0))
    // The picture has one sub-block.
    assert.isNull(refusalOf(gif(joined(extension(200_000), extension(62_143))), "gif"))
    const [code, message] = refusalOf(gif(joined(extension(200_000), extension(62_144))), "gif") ?? []
    assert.strictEqual(code, "out_of_range")
    assert.include(message, "more than 262,144 sub-blocks")
  })

  it("A frame of a WebP has at most eight parts", () => {
    const animated = (parts: number) =>
      webp(
        webpHeader(2, 1, 1),
        webpAnimation,
        webpFrame(1, 1, joined(times(webpChunk("PRIV"), parts - 1), webpStub(1, 1)))
      )
    assert.isNull(refusalOf(animated(8), "webp"))
    assert.strictEqual(refusalOf(animated(9), "webp")?.[0], "malformed")
  })
})

describe("the frames of an image", () => {
  const apng = (frames: number) => {
    const data = (n: number) => pngChunk("fdAT", bytesOf(be32(2 * n), [1]))
    const more = Array.from({ length: frames - 1 }, (_, at) =>
      joined(frameControl(2 * at + 1, 1, 1), data(at + 1))
    )
    return joined(
      pngOfChunks(pngHeader(1, 1), pngChunk("acTL", bytesOf(be32(frames), be32(0))), frameControl(0, 1, 1)),
      pngChunk("IDAT", pngPixels(1, 1)),
      ...more,
      pngChunk("IEND")
    )
  }
  const webpOfFrames = (frames: number) =>
    webp(webpHeader(2, 1, 1), webpAnimation, times(webpFrame(1, 1, webpStub(1, 1)), frames))

  it("A frame counts as at least 10,000 pixels, so at most 12,800 frames fit", () => {
    const makes = [
      ["png", apng],
      ["gif", (frames: number) => gifOfStubs(1, 1, frames)],
      ["webp", webpOfFrames]
    ] as const
    for (const [format, make] of makes) {
      assert.isNull(refusalOf(make(12_800), format), format)
      assert.deepStrictEqual(
        refusalOf(make(12_801), format),
        [
          "out_of_range",
          "The image has 12,801 frames; at most 12,800 of its size are supported. Shorten it."
        ],
        format
      )
    }
  })

  it("A frame counts with its canvas when that is larger", () => {
    assert.isNull(refusalOf(gifOfStubs(500, 500, 512), "gif"))
    assert.include(refusalOf(gifOfStubs(500, 500, 513), "gif")?.[1], "513 frames; at most 512")
    const large = joined(pngOfChunks(pngHeader(8000, 4001)), picture[1], picture[2])
    assert.include(refusalOf(large, "png")?.[1], "32,008,000 pixels; at most 32,000,000")
  })

  it("Each frame of a GIF may have a control and a comment", () => {
    const frame = joined(gifControl(), gifExtension(0xfe, bytesOf("hello")), gifStub(1, 1))
    assert.isNull(refusalOf(gifOfBlocks(1, 1, times(frame, 12_800)), "gif"))
  })
})
