import { crc32 as zlibCrc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { crc32 } from "../../../../src/publishing/image-formats/shared/crc32.ts"
import { assertRefused, assertTruncationsRefused, containerOf, refusalOf } from "../results.ts"
import { be32, bytesOf, patched } from "../shared/makeBytes.ts"
import {
  apngOf,
  frameControl,
  pngChunk,
  pngContainer,
  pngHeader,
  pngMetadata,
  pngOf,
  pngOfChunks,
  pngPixels
} from "./makePng.ts"

const picture = pngChunk("IDAT", pngPixels(4, 3))
const end = pngChunk("IEND")
const palette = pngChunk("PLTE", new Uint8Array(6))
const animation = (frames: number) => pngChunk("acTL", bytesOf(be32(frames), be32(0)))
const frameData = (sequence: number) => pngChunk("fdAT", bytesOf(be32(sequence), pngPixels(4, 3)))
const png = (...chunks: ReadonlyArray<Uint8Array>) => pngOfChunks(pngHeader(4, 3), ...chunks)

describe("the container of a PNG", () => {
  it("A PNG says its dimensions, and one frame", () => {
    assert.deepStrictEqual(containerOf(pngOf(), "png"), { format: "png", width: 4, height: 3, frames: 1 })
    assert.strictEqual(refusalOf(pngOf({ before: pngMetadata(6), after: pngMetadata(6) }), "png"), null)
  })

  it("A PNG may have 32,000,000 pixels", () => {
    assert.strictEqual(refusalOf(pngContainer(8000, 4000), "png"), null)
    assert.strictEqual(refusalOf(pngContainer(8000, 4001), "png"), "out_of_range")
    assert.strictEqual(refusalOf(pngContainer(0x7fff_ffff, 0x7fff_ffff), "png"), "out_of_range")
  })

  it("An animation counts its declared or actual frames, and a plain picture outside of them", () => {
    assert.strictEqual(containerOf(apngOf({ frames: 3 }), "png").frames, 3)
    assert.strictEqual(containerOf(apngOf({ frames: 3, declared: 1 }), "png").frames, 3)
    assert.strictEqual(containerOf(apngOf({ frames: 3, declared: 9 }), "png").frames, 9)
    assert.strictEqual(containerOf(apngOf({ frames: 3, isDefaultHidden: true }), "png").frames, 4)
    const declared = (frames: number) =>
      pngOfChunks(
        pngHeader(8000, 4000),
        animation(frames),
        frameControl(0, 8000, 4000),
        pngChunk("IDAT", Uint8Array.of(0)),
        end
      )
    assert.strictEqual(refusalOf(declared(4), "png"), null)
    assert.strictEqual(refusalOf(declared(5), "png"), "out_of_range")
    assert.strictEqual(refusalOf(declared(0xffff_ffff), "png"), "out_of_range")
  })

  it("A PNG with a missing, wrong or misplaced chunk is refused", () => {
    const header = (...fields: Parameters<typeof pngHeader>) =>
      pngOfChunks(pngHeader(...fields), picture, end)
    assertRefused("png", "malformed", {
      "no header": pngOfChunks(picture, end),
      "header not first": pngOfChunks(pngChunk("gAMA", new Uint8Array(4)), pngHeader(4, 3), picture, end),
      "two headers": png(pngHeader(4, 3), picture, end),
      "header after": png(picture, pngHeader(4, 3), end),
      "short header": pngOfChunks(pngChunk("IHDR", new Uint8Array(12)), picture, end),
      "no width": header(0, 3),
      "no height": header(4, 0),
      "too wide": header(0x8000_0000, 3),
      "depth 3": header(4, 3, 3, 0),
      "depth 4 with colour": header(4, 3, 4, 6),
      "colour type 5": header(4, 3, 8, 5),
      "no picture": png(end),
      "picture in pieces": png(picture, pngChunk("tIME"), picture, end),
      "palette missing": header(4, 3, 8, 3),
      "palette after": pngOfChunks(pngHeader(4, 3), picture, palette, end),
      "two palettes": png(palette, palette, picture, end),
      "palette of 4 bytes": png(pngChunk("PLTE", new Uint8Array(4)), picture, end),
      "palette for grey": pngOfChunks(pngHeader(4, 3, 8, 0), palette, picture, end),
      "unknown critical chunk": png(pngChunk("CgBI", new Uint8Array(4)), picture, end),
      "data in the end": png(picture, pngChunk("IEND", new Uint8Array(1))),
      "no letter in a name": png(pngChunk("te1t"), picture, end),
      "no end": png(picture),
      "length beyond the end": patched(pngOf(), 33, be32(0x7fff_ffff)),
      "length of 4 GiB": patched(pngOf(), 33, be32(0xffff_ffff))
    })
    assert.strictEqual(refusalOf(png(palette, picture, end), "png"), null)
    assert.strictEqual(refusalOf(png(picture, picture, end), "png"), null)
  })

  it("A PNG with a wrong checksum in its picture or its animation is refused", () => {
    const damaged = (chunk: Uint8Array) => patched(chunk, chunk.length - 1, [(chunk.at(-1) ?? 0) ^ 1])
    const control = frameControl(0, 4, 3)
    const later = [frameControl(1, 4, 3), frameData(2)] as const
    assertRefused("png", "malformed", {
      picture: png(damaged(picture), end),
      palette: png(damaged(palette), picture, end),
      end: png(picture, damaged(end)),
      header: patched(pngOf(), 16, be32(5)),
      animation: png(damaged(animation(2)), control, picture, ...later, end),
      control: png(animation(2), damaged(control), picture, ...later, end),
      "data of a frame": png(animation(2), control, picture, later[0], damaged(later[1]), end)
    })
    assert.strictEqual(refusalOf(png(animation(2), control, picture, ...later, end), "png"), null)
    assert.strictEqual(refusalOf(png(pngChunk("tEXt", bytesOf("a\0b"), 1), picture, end), "png"), null)
  })

  it("A PNG with a wrong or misplaced animation is refused", () => {
    const control = frameControl
    assertRefused("png", "malformed", {
      "frames without a header": png(control(0, 4, 3), picture, end),
      "header after": png(picture, animation(1), end),
      "two headers": png(animation(1), animation(1), control(0, 4, 3), picture, end),
      "no frames declared": png(animation(0), control(0, 4, 3), picture, end),
      "short header": png(pngChunk("acTL", new Uint8Array(4)), control(0, 4, 3), picture, end),
      "sequence from 1": png(animation(1), control(1, 4, 3), picture, end),
      "sequence twice": png(animation(2), control(0, 4, 3), picture, control(0, 4, 3), frameData(1), end),
      "two before the picture": png(animation(2), control(0, 4, 3), control(1, 4, 3), picture, end),
      "first frame smaller": png(animation(1), control(0, 3, 3), picture, end),
      "frame too wide": png(animation(1), picture, control(0, 5, 3), frameData(1), end),
      "frame beyond": png(animation(1), picture, control(0, 2, 2, 3, 0), frameData(1), end),
      "frame without pixels": png(animation(1), picture, control(0, 0, 3), frameData(1), end),
      "data without a frame": png(animation(1), picture, frameData(0), end),
      "data of the first frame": png(animation(1), control(0, 4, 3), picture, frameData(1), end),
      "data before the picture": png(animation(1), control(0, 4, 3), frameData(1), picture, end)
    })
    assert.strictEqual(
      refusalOf(png(animation(1), picture, control(0, 2, 2, 2, 1), frameData(1), end), "png"),
      null
    )
  })

  it("A PNG that is cut off before IEND is refused", () => {
    const whole = apngOf({ before: pngMetadata(6) })
    assert.strictEqual(refusalOf(whole, "png"), null)
    assertTruncationsRefused("png", whole)
  })
})

describe("CRC-32", () => {
  it("The checksum equals zlib's", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(9), (bytes, from) => {
        const start = Math.min(from, bytes.length)
        assert.strictEqual(crc32(bytes, start, bytes.length), zlibCrc32(bytes.subarray(start)))
      })
    )
  })
})
