import { assert, describe, it } from "@effect/vitest"
import { assertRefused, containerOf, refusalOf } from "../results.ts"
import { bytesOf, patched } from "../shared/makeBytes.ts"
import {
  gifComment,
  gifControl,
  gifExtension,
  gifMetadata,
  gifOf,
  gifOfBlocks,
  gifOfStubs,
  gifStub
} from "./makeGif.ts"

describe("the container of a GIF", () => {
  it("A GIF says its dimensions and its frames", () => {
    const expected = { format: "gif", width: 4, height: 3, frames: 1 }
    assert.deepStrictEqual(containerOf(gifOf(), "gif"), expected)
    assert.deepStrictEqual(containerOf(patched(gifOf(), 0, bytesOf("GIF87a")), "gif"), expected)
    assert.strictEqual(containerOf(gifOf({ frames: 7, before: gifMetadata() }), "gif").frames, 7)
    assert.strictEqual(containerOf(gifOfStubs(1, 1, 12_800), "gif").frames, 12_800)
  })

  it("A canvas holds the screen and every frame", () => {
    const canvas = (...blocks: ReadonlyArray<Uint8Array>) => {
      const { width, height } = containerOf(gifOfBlocks(10, 10, ...blocks), "gif")
      return [width, height]
    }
    assert.deepStrictEqual(canvas(gifStub(2, 2)), [10, 10])
    assert.deepStrictEqual(canvas(gifStub(20, 2), gifStub(2, 4, 0, 9)), [20, 13])
    assert.deepStrictEqual(canvas(gifStub(1, 1, 999, 0)), [1000, 10])
    assert.strictEqual(refusalOf(gifOfBlocks(1, 1, gifStub(1, 1, 65_535, 65_535)), "gif"), "out_of_range")
    assert.deepStrictEqual(containerOf(gifOfBlocks(0, 0, gifStub(5, 6)), "gif").width, 5)
  })

  it("A GIF may have 32,000,000 pixels a frame and 128,000,000 in all", () => {
    assert.strictEqual(refusalOf(gifOfStubs(8000, 4000, 4), "gif"), null)
    assert.strictEqual(refusalOf(gifOfStubs(8000, 4000, 5), "gif"), "out_of_range")
    assert.strictEqual(refusalOf(gifOfStubs(8000, 4001, 1), "gif"), "out_of_range")
    // A frame counts with the whole canvas, however small it is.
    assert.strictEqual(
      refusalOf(gifOfBlocks(8000, 4000, ...Array.from({ length: 4 }, () => gifStub(1, 1))), "gif"),
      null
    )
    assert.strictEqual(
      refusalOf(gifOfBlocks(8000, 4000, ...Array.from({ length: 5 }, () => gifStub(1, 1))), "gif"),
      "out_of_range"
    )
  })

  it("A GIF with a missing or wrong block is refused", () => {
    assertRefused("gif", "malformed", {
      "no frame": gifOfBlocks(4, 3, gifComment("nothing")),
      "no width": gifOfBlocks(4, 3, gifStub(0, 3)),
      "no height": gifOfBlocks(4, 3, gifStub(4, 0)),
      "unknown block": gifOfBlocks(4, 3, gifStub(4, 3), bytesOf(0x2d)),
      "zero between blocks": gifOfBlocks(4, 3, bytesOf(0), gifStub(4, 3)),
      "control of 3 bytes": gifOfBlocks(4, 3, gifExtension(0xf9, new Uint8Array(3)), gifStub(4, 3)),
      "control in two blocks": gifOfBlocks(
        4,
        3,
        gifExtension(0xf9, new Uint8Array(4), new Uint8Array(4)),
        gifStub(4, 3)
      ),
      "colours missing": bytesOf("GIF89a", [4, 0, 3, 0, 0xf7, 0, 0], 0x3b)
    })
    assert.strictEqual(refusalOf(gifOfBlocks(4, 3, gifControl(), gifControl(), gifStub(4, 3)), "gif"), null)
  })

  it("A GIF is cut off within its blocks, and ends after any of them", () => {
    const bytes = gifOf({ frames: 2, before: gifMetadata() })
    const ends = Array.from({ length: bytes.length }, (_, length) => length).filter(
      (length) => refusalOf(bytes.subarray(0, length), "gif") === null
    )
    // After the first frame, after the control of the second, and after the second.
    assert.deepStrictEqual(
      ends.map((end) => containerOf(bytes.subarray(0, end), "gif").frames),
      [1, 1, 2]
    )
    assert.strictEqual(ends.at(-1), bytes.length - 1)
    for (let length = 12; length < bytes.length; length++)
      if (!ends.includes(length)) assert.strictEqual(refusalOf(bytes.subarray(0, length), "gif"), "malformed")
  })
})
