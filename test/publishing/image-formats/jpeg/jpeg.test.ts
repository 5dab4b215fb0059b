import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, assertTruncationsRefused, containerOf, refusalOf } from "../results.ts"
import { be16, bytesOf, inserted, patched, type Part } from "../shared/makeBytes.ts"
import { jpegContainer, jpegMetadata, jpegOf, jpegSegment } from "./makeJpeg.ts"

const START = [0xff, 0xd8]
const END = [0xff, 0xd9]
const frame = (...fields: ReadonlyArray<number>) => jpegSegment(0xc0, fields)
const valid = frame(8, 0, 8, 0, 16, 1, 1, 0x11, 0)
const scan = jpegSegment(0xda, 1, [1, 0, 0, 63, 0])
const jpeg = (...parts: ReadonlyArray<Part>) => bytesOf(START, ...parts, END)

describe("the container of a JPEG", () => {
  it.effect("A JPEG says its dimensions, baseline or progressive, in colour, grey and CMYK", () =>
    Effect.gen(function* () {
      const expected = { format: "jpeg", width: 16, height: 8, frames: 1 }
      for (const options of [
        {},
        { isProgressive: true },
        { colours: "cmyk" },
        { colours: "b-w" },
        { segments: jpegMetadata(4) }
      ] as const) {
        const bytes = yield* Effect.promise(() => jpegOf(options))
        assert.deepStrictEqual(containerOf(bytes, "jpeg"), expected)
      }
      assert.deepStrictEqual(containerOf(jpeg(valid, scan, 1, 2), "jpeg"), expected)
    })
  )

  it("A JPEG may have 32,000,000 pixels", () => {
    assert.strictEqual(refusalOf(jpegContainer(8000, 4000), "jpeg"), null)
    assert.strictEqual(refusalOf(jpegContainer(8000, 4001), "jpeg"), "out_of_range")
  })

  it("A JPEG has at most 100 scans", () => {
    const scans = (count: number) => Array.from({ length: count }, () => scan)
    assert.strictEqual(refusalOf(jpeg(valid, ...scans(100)), "jpeg"), null)
    assert.strictEqual(refusalOf(jpeg(valid, ...scans(101)), "jpeg"), "out_of_range")
  })

  it("A JPEG may have stuffed bytes, restarts and fill bytes among its coded pixels", () => {
    const coded = [1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xff, 0xd7, 4, 0xff, 0xff, 0, 5, 0xff, 0xff]
    assert.strictEqual(refusalOf(jpeg(valid, scan, coded, scan, coded), "jpeg"), null)
    assert.strictEqual(refusalOf(jpeg([0xff, 0xff], valid, scan), "jpeg"), null)
  })

  it("A lossless, hierarchical, arithmetic or 12-bit JPEG is unsupported", () => {
    for (const marker of [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf]) {
      assert.strictEqual(refusalOf(jpegContainer(16, 8, marker), "jpeg"), "unsupported_type")
    }
    for (const marker of [0xc0, 0xc1, 0xc2]) assert.isNull(refusalOf(jpegContainer(16, 8, marker), "jpeg"))
    assertRefused("jpeg", "unsupported_type", {
      "12 bits": jpeg(frame(12, 0, 8, 0, 16, 1, 1, 0x11, 0), scan),
      "arithmetic conditions": jpeg(jpegSegment(0xcc, 0), valid, scan),
      hierarchical: jpeg(jpegSegment(0xde, 0), valid, scan),
      extension: jpeg(jpegSegment(0xf7, 0), valid, scan)
    })
  })

  it("A JPEG with a missing, wrong or misplaced segment is refused", () => {
    assertRefused("jpeg", "malformed", {
      "nothing in it": bytesOf(START, END),
      "no header": jpeg(scan),
      "no scan": jpeg(valid),
      "two headers": jpeg(valid, valid, scan),
      "a header behind the scan": jpeg(valid, scan, valid),
      "scan first": jpeg(scan, valid),
      "no width": jpegContainer(0, 8),
      "no height": jpegContainer(16, 0),
      "no components": jpeg(frame(8, 0, 8, 0, 16, 0), scan),
      "components missing": jpeg(frame(8, 0, 8, 0, 16, 3, 1, 0x11, 0), scan),
      "short header": jpeg(frame(8, 0, 8), scan),
      "short scan": jpeg(valid, jpegSegment(0xda, 1)),
      "no length": jpeg([0xff, 0xe1, 0, 0], valid, scan),
      "length of one": jpeg([0xff, 0xe1, 0, 1], valid, scan),
      "length beyond the end": jpeg(valid, [0xff, 0xe1, 0xff, 0xff], scan),
      "a restart among bytes between segments": jpeg(valid, [0, 0xff, 0xd0], scan),
      "second start": jpeg(START, valid, scan),
      "restart between segments": jpeg([0xff, 0xd0], valid, scan),
      "reserved marker": jpeg(jpegSegment(0x02, 0), valid, scan),
      "height behind the pixels": jpeg(valid, scan, jpegSegment(0xdc, be16(9)))
    })
    assert.strictEqual(refusalOf(inserted(jpegContainer(16, 8), 2, jpegSegment(0xfe)), "jpeg"), null)
  })

  it.effect("A JPEG is read to EOI, which anything may follow, and refused without it", () =>
    Effect.gen(function* () {
      const bytes = yield* Effect.promise(() => jpegOf({ isProgressive: true, segments: jpegMetadata(6) }))
      assertTruncationsRefused("jpeg", bytes)
      assert.strictEqual(refusalOf(bytesOf(bytes, bytes), "jpeg"), null)
      assert.strictEqual(refusalOf(bytesOf(bytes, "a film"), "jpeg"), null)
      assert.strictEqual(refusalOf(patched(bytes, bytes.length - 2, [0xff, 0xff]), "jpeg"), "malformed")
    })
  )
})
