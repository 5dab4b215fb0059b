import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import {
  DECODED_PIXELS_MAX,
  FRAME_PIXELS_MAX,
  imageFormats,
  mediaTypeOf,
  type ImageFormat
} from "../../../schemas/publishing/uploads/limits.ts"
import { readContainer } from "../../../src/publishing/image-formats/container.ts"
import { publicCopyOf } from "../../../src/publishing/image-formats/publicCopy.ts"
import { orientationOf } from "../../../src/publishing/image-formats/shared/exif.ts"
import type { ImageRefusal } from "../../../src/publishing/image-formats/shared/refusal.ts"
import { gifMetadata, gifOf } from "./gif/makeGif.ts"
import { jpegMetadata, jpegOf } from "./jpeg/makeJpeg.ts"
import { apngOf, pngChunk, pngMetadata, pngOfChunks } from "./png/makePng.ts"
import { bytesOf, inserted } from "./shared/makeBytes.ts"
import { plantedExif } from "./shared/makeMetadata.ts"
import { animatedWebpOf, webpOf, webpPicture, webpWithMetadata } from "./webp/makeWebp.ts"

const signatures: Readonly<Record<ImageFormat, Uint8Array>> = {
  png: bytesOf([0x89], "PNG\r\n", [0x1a, 0x0a]),
  jpeg: bytesOf([0xff, 0xd8, 0xff]),
  webp: bytesOf("RIFF", [0, 0, 0, 0], "WEBP"),
  gif: bytesOf("GIF89a")
}

const images = Effect.promise(async () => {
  const webp = webpPicture(await webpOf({ hasAlpha: true }))
  return [
    ["png", apngOf({ before: pngMetadata(6) })],
    ["jpeg", await jpegOf({ segments: jpegMetadata(6) })],
    ["jpeg", await jpegOf({ isProgressive: true, colours: "cmyk" })],
    ["gif", gifOf({ frames: 3, before: gifMetadata() })],
    ["webp", webpWithMetadata({ width: 16, height: 8, chunks: webp }, 6)],
    ["webp", await animatedWebpOf(3, { hasAlpha: true })]
  ] as const
})

/** The end of a refusal, which says what its reader can do. */
const ADVICE = /[.;] .*?\b(?:Save|Send|Make|Shorten|Export) [^.]+\.$/
const isAboutType = ({ code, message }: ImageRefusal) =>
  code === "mismatch" || (code === "unsupported_type" && !message.startsWith("This kind of JPEG"))

/** Asserts a refusal that says what to do, or an image within the budget with an equivalent, idempotent public copy. */
const assertSound = (bytes: Uint8Array, format: ImageFormat) => {
  const mediaType = mediaTypeOf[format]
  const result = readContainer(bytes, mediaType)
  if (Result.isFailure(result)) {
    assert.include(["unsupported_type", "mismatch", "malformed", "out_of_range"], result.failure.code)
    // `typeRefusal` words what is about the type of an image, and knows more of it.
    if (!isAboutType(result.failure)) assert.match(result.failure.message, ADVICE)
    return false
  }
  const { frames, height, width } = result.success
  assert.isTrue([frames, height, width].every((it) => Number.isSafeInteger(it) && it > 0))
  assert.isAtMost(width * height, FRAME_PIXELS_MAX)
  assert.isAtMost(width * height * frames, DECODED_PIXELS_MAX)
  const copy = publicCopyOf(bytes, result.success)
  assert.isAtMost(copy.length, bytes.length + 64)
  assert.deepStrictEqual(readContainer(copy, mediaType), result)
  assert.deepStrictEqual(publicCopyOf(copy, result.success), copy)
  return true
}

/** Wraps bytes to count each read; `indexOf` counts all bytes that it skips. */
const counted = (bytes: Uint8Array) => {
  const reads = { count: 0, outside: 0 }
  const watch = (part: Uint8Array): Uint8Array =>
    new Proxy(part, {
      get: (target, name) => {
        if (typeof name === "string" && /^-?\d+$/.test(name)) {
          reads.count++
          if (!(Number(name) < target.length)) reads.outside++
          return target[Number(name)]
        }
        const value: unknown = Reflect.get(target, name, target)
        if (name === "subarray") return (from: number, to?: number) => watch(target.subarray(from, to))
        if (name === "indexOf") {
          return (searched: number, from = 0) => {
            const found = target.indexOf(searched, from)
            reads.count += (found < 0 ? target.length : found) - from
            return found
          }
        }
        return typeof value === "function" ? value.bind(target) : value
      }
    })
  return { reads, bytes: watch(bytes) }
}

describe("any bytes", () => {
  it("Any bytes are read or refused, and never throw", () => {
    fc.assert(
      fc.property(fc.constantFrom(...imageFormats), fc.uint8Array({ maxLength: 400 }), (format, bytes) => {
        assert.isFalse(assertSound(bytes, format))
        assertSound(bytesOf(signatures[format], bytes), format)
      }),
      { numRuns: 1000 }
    )
  })

  it.effect("Changed bytes of an image are read or refused, and what is read has a sound public copy", () =>
    Effect.gen(function* () {
      const valid = yield* images
      for (const [format, bytes] of valid) assert.isTrue(assertSound(bytes, format), format)
      let taken = 0
      const change = fc.record({
        at: fc.nat(),
        how: fc.constantFrom("put", "insert", "remove", "repeat"),
        what: fc.uint8Array({ minLength: 1, maxLength: 6 })
      })
      const mutate = (
        bytes: Uint8Array,
        { at, how, what }: { at: number; how: string; what: Uint8Array }
      ) => {
        const place = at % (bytes.length + 1)
        if (how === "insert") return inserted(bytes, place, what)
        if (how === "repeat") return inserted(bytes, place, bytes.subarray(place, place + 64))
        const rest = bytes.subarray(place + what.length)
        return bytesOf(bytes.subarray(0, place), how === "put" ? what : [], rest)
      }
      fc.assert(
        fc.property(
          fc.constantFrom(...valid),
          fc.array(change, { minLength: 1, maxLength: 3 }),
          (image, changes) => {
            if (assertSound(changes.reduce(mutate, image[1]), image[0])) taken++
          }
        ),
        { numRuns: 3000, seed: 1 }
      )
      // Fewer accepted images would leave public copies untested.
      assert.isAbove(taken, 300)
    })
  )

  it("PNG chunks in any order with right checksums are read or refused", () => {
    const names = [
      "IHDR",
      "PLTE",
      "IDAT",
      "IDAT",
      "acTL",
      "fcTL",
      "fdAT",
      "eXIf",
      "gAMA",
      "tRNS",
      "iCCP",
      "tEXt"
    ]
    const small = pngChunk("IHDR", Uint8Array.of(0, 0, 0, 2, 0, 0, 0, 2, 8, 6, 0, 0, 0))
    const chunk = fc
      .tuple(fc.constantFrom(...names), fc.uint8Array({ maxLength: 30 }))
      .map(([name, data]) => pngChunk(name, data))
    let taken = 0
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 6 }), (chunks) => {
        if (assertSound(pngOfChunks(small, ...chunks, pngChunk("IEND")), "png")) taken++
      }),
      { numRuns: 2000, seed: 1 }
    )
    assert.isAbove(taken, 50)
  })

  it.effect("Bytes are read a bounded number of times, and hardly beyond their end", () =>
    Effect.gen(function* () {
      const valid = yield* images
      fc.assert(
        fc.property(
          fc.constantFrom(...valid),
          fc.nat(),
          fc.integer({ min: 0, max: 255 }),
          (image, at, value) => {
            const changed = Uint8Array.from(image[1])
            changed[at % changed.length] = value
            const { bytes, reads } = counted(changed)
            const result = readContainer(bytes, mediaTypeOf[image[0]])
            assert.isAtMost(reads.count, 8 * changed.length + 200)
            assert.isAtMost(reads.outside, 64)
            if (Result.isSuccess(result)) assert.strictEqual(reads.outside, 0)
          }
        ),
        { numRuns: 600 }
      )
    })
  )
})

describe("EXIF", () => {
  it("Any bytes of EXIF give an orientation or none", () => {
    for (let orientation = 0; orientation < 12; orientation++) {
      const exif = plantedExif(orientation)
      const expected = orientation >= 2 && orientation <= 8 ? orientation : undefined
      assert.strictEqual(orientationOf(exif, 0, exif.length), expected)
    }
    const little = bytesOf("II*\0", [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0])
    assert.strictEqual(orientationOf(little, 0, little.length), 6)
    assert.isUndefined(orientationOf(little, 0, little.length - 1))
    fc.assert(
      fc.property(fc.constantFrom("II*\0", "MM\0*"), fc.uint8Array({ maxLength: 100 }), (order, rest) => {
        const bytes = bytesOf(order, rest)
        assert.include([undefined, 2, 3, 4, 5, 6, 7, 8], orientationOf(bytes, 0, bytes.length))
      })
    )
  })
})
