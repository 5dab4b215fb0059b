import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { pngChunks } from "../../../src/publishing/image-formats/png/pngChunks.ts"
import { publicCopyOf } from "../../../src/publishing/image-formats/publicCopy.ts"
import { gifMetadata, gifOf } from "./gif/makeGif.ts"
import { ignoringImages } from "./ignored.ts"
import { jpegMetadata, jpegOf, jpegProfile, jpegSegment } from "./jpeg/makeJpeg.ts"
import { apngOf, pngChunk, pngMetadata, pngOf, pngProfile } from "./png/makePng.ts"
import { containerOf, refusalOf } from "./results.ts"
import { bytesOf, noise, placeOf } from "./shared/makeBytes.ts"
import { planted, plantedExif, plantedIn } from "./shared/makeMetadata.ts"
import {
  animatedWebpOf,
  webpAnimation,
  webpChunk,
  webpFrame,
  webpHeader,
  webpOf,
  webpOfChunks,
  webpPicture,
  webpWithMetadata
} from "./webp/makeWebp.ts"

/** Returns every pixel of every frame, decoded by libvips. */
const pixelsOf = (bytes: Uint8Array) =>
  Effect.promise(() =>
    sharp(bytes, { animated: true, failOn: "warning" }).raw().toBuffer({ resolveWithObject: true })
  )

const metadataOf = (bytes: Uint8Array) => Effect.promise(() => sharp(bytes, { animated: true }).metadata())

/** Makes a public copy. Asserts that it has the same pixels and header, lacks metadata and is its own copy. */
const copied = Effect.fnUntraced(function* (bytes: Uint8Array, format: ImageFormat) {
  const container = containerOf(bytes, format)
  const copy = publicCopyOf(bytes, container)
  assert.deepStrictEqual(containerOf(copy, format), container)
  assert.deepStrictEqual(publicCopyOf(copy, container), copy)
  assert.deepStrictEqual(plantedIn(copy), [])
  const [before, after] = [yield* pixelsOf(bytes), yield* pixelsOf(copy)]
  assert.deepStrictEqual(after.info, before.info)
  assert.isTrue(after.data.equals(before.data))
  const [told, kept] = [yield* metadataOf(bytes), yield* metadataOf(copy)]
  assert.strictEqual(kept.orientation ?? 1, told.orientation ?? 1)
  assert.strictEqual(kept.space, told.space)
  assert.strictEqual(kept.hasAlpha, told.hasAlpha)
  assert.strictEqual(kept.density, told.density)
  assert.strictEqual(kept.pages, told.pages)
  assert.strictEqual(kept.loop, told.loop)
  assert.deepStrictEqual(kept.delay, told.delay)
  assert.deepStrictEqual(kept.icc, told.icc)
  for (const kind of ["xmp", "iptc", "comments"] as const) assert.isUndefined(kept[kind], kind)
  return { copy, kept }
})

const profile = Effect.promise(async () => {
  const raw = sharp(noise(1, 12), { raw: { width: 2, height: 2, channels: 3 } })
  const { icc } = await sharp(await raw.withIccProfile("p3").png().toBuffer()).metadata()
  return new Uint8Array(icc ?? [])
})

const orientations = [1, 2, 3, 4, 5, 6, 7, 8]

/** Returns the sides of an image as readers see it, by libvips. */
const sidesOf = (bytes: Uint8Array) =>
  Effect.promise(async () => {
    const { autoOrient } = await sharp(bytes).metadata()
    return [autoOrient.width, autoOrient.height]
  })

describe("the sides of an image", () => {
  it.effect("The sides of an image are those that readers see, with every orientation in EXIF", () =>
    Effect.gen(function* () {
      for (const orientation of orientations) {
        const segments = jpegMetadata(orientation)
        const images = {
          jpeg: yield* Effect.promise(() => jpegOf({ segments })),
          png: pngOf({ width: 16, height: 8, before: pngMetadata(orientation) })
        }
        for (const [format, bytes] of Object.entries(images)) {
          const { height, width } = containerOf(bytes, format as ImageFormat)
          const name = `${format} ${orientation}`
          assert.deepStrictEqual([width, height], orientation < 5 ? [16, 8] : [8, 16], name)
          assert.deepStrictEqual([width, height], yield* sidesOf(bytes), name)
        }
      }
      const late = [...jpegMetadata(1), ...jpegMetadata(6)]
      const twice = yield* Effect.promise(() => jpegOf({ segments: late }))
      assert.deepStrictEqual(yield* sidesOf(twice), [16, 8])
      assert.strictEqual(containerOf(twice, "jpeg").width, 16, "the first EXIF counts")
    })
  )
})

describe("bytes that every decoder ignores", () => {
  it.effect(
    "An image with bytes that every decoder ignores is read, and its copy is that of the plain image",
    () =>
      Effect.gen(function* () {
        for (const { bytes, format, name, plain } of yield* Effect.promise(ignoringImages)) {
          const of = `${format} with ${name}`
          assert.strictEqual(refusalOf(bytes, format), null, of)
          assert.deepStrictEqual(containerOf(bytes, format), containerOf(plain, format), of)
          const copy = publicCopyOf(bytes, containerOf(bytes, format))
          assert.deepStrictEqual(plantedIn(copy), [], of)
          assert.deepStrictEqual(copy, publicCopyOf(plain, containerOf(plain, format)), of)
          assert.isTrue((yield* pixelsOf(copy)).data.equals((yield* pixelsOf(plain)).data), of)
        }
      })
  )
})

describe("the public copy of a JPEG", () => {
  it.effect("The copy of a JPEG keeps only pixels, orientation and colour profile", () =>
    Effect.gen(function* () {
      const icc = yield* profile
      for (const orientation of orientations) {
        const segments = [...jpegMetadata(orientation), ...jpegProfile(icc)]
        const trailer = bytesOf([0xff, 0xd8], planted.trailer)
        const bytes = yield* Effect.promise(() =>
          jpegOf({ segments, trailer, isProgressive: orientation > 4 })
        )
        assert.sameMembers([...plantedIn(bytes)], Object.values(planted))
        const { copy, kept } = yield* copied(bytes, "jpeg")
        assert.strictEqual(kept.orientation, orientation === 1 ? undefined : orientation)
        assert.deepStrictEqual(new Uint8Array(kept.icc ?? []), icc)
        assert.strictEqual(placeOf(copy, "Exif") > 0, orientation !== 1)
      }
    })
  )

  it.effect("The copy keeps colours and density of Adobe and JFIF, without the thumbnail", () =>
    Effect.gen(function* () {
      const cmyk = yield* Effect.promise(() => jpegOf({ colours: "cmyk", segments: jpegMetadata(6) }))
      const { copy, kept } = yield* copied(cmyk, "jpeg")
      assert.isAbove(placeOf(copy, "Adobe"), 0)
      assert.strictEqual(kept.space, "cmyk")
      yield* copied(yield* Effect.promise(() => jpegOf({ colours: "b-w" })), "jpeg")
      // 3 × 1 pixels of a thumbnail behind the density of 150 dpi.
      const jfif = jpegSegment(0xe0, "JFIF\0", [1, 2, 1, 0, 150, 0, 150, 3, 1], planted.comment.slice(0, 9))
      const dense = yield* Effect.promise(() => jpegOf({ segments: [jfif] }))
      const rewritten = yield* copied(dense, "jpeg")
      assert.strictEqual(rewritten.kept.density, 150)
      assert.strictEqual(placeOf(rewritten.copy, planted.comment.slice(0, 9)), -1)
    })
  )

  it.effect("The copy has no application segments and no comments after its pixels", () =>
    Effect.gen(function* () {
      const bytes = yield* Effect.promise(() => jpegOf())
      const late = bytesOf(bytes.subarray(0, -2), ...jpegMetadata(6), bytes.subarray(-2))
      const copy = publicCopyOf(late, containerOf(late, "jpeg"))
      assert.deepStrictEqual(copy, publicCopyOf(bytes, containerOf(bytes, "jpeg")))
    })
  )
})

describe("the public copy of a PNG", () => {
  it.effect("The copy of a PNG keeps only pixels, orientation and colour profile", () =>
    Effect.gen(function* () {
      const icc = yield* profile
      for (const orientation of orientations) {
        const before = [pngProfile(icc), ...pngMetadata(orientation)]
        const bytes = pngOf({ before, after: pngMetadata(3), trailer: new Uint8Array(5) })
        assert.isNotEmpty(plantedIn(bytes))
        const { kept } = yield* copied(bytes, "png")
        assert.strictEqual(kept.orientation, orientation === 1 ? undefined : orientation)
        assert.deepStrictEqual(new Uint8Array(kept.icc ?? []), icc)
      }
    })
  )

  it.effect("The copy keeps each chunk about its look once, at its proper length", () =>
    Effect.gen(function* () {
      const looks = [
        pngChunk("gAMA", Uint8Array.of(0, 0, 0xb1, 0x8f)),
        pngChunk("sBIT", Uint8Array.of(8, 8, 8, 8)),
        pngChunk("bKGD", new Uint8Array(6)),
        pngChunk("pHYs", Uint8Array.of(0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1))
      ]
      const { copy } = yield* copied(pngOf({ before: looks }), "png")
      assert.deepStrictEqual(copy, pngOf({ before: looks }))
      const hiding = [...looks, pngChunk("cLLI", bytesOf(planted.unknown)), pngChunk("gAMA", bytesOf("Hide"))]
      const late = [pngChunk("iCCP", bytesOf("icc", 0, 0, planted.unknown))]
      const bytes = pngOf({ before: hiding, after: late })
      assert.deepStrictEqual(publicCopyOf(bytes, containerOf(bytes, "png")), copy)
    })
  )

  it.effect("The copy keeps palettes with their transparency, grey and 16 bits", () =>
    Effect.gen(function* () {
      const raw = sharp(noise(3, 16 * 16 * 4), { raw: { width: 16, height: 16, channels: 4 } })
      for (const made of [
        raw.clone().png({ palette: true }),
        raw.clone().toColourspace("b-w").png(),
        raw.clone().toColourspace("rgb16").png({ progressive: true })
      ]) {
        yield* copied(new Uint8Array(yield* Effect.promise(() => made.toBuffer())), "png")
      }
    })
  )

  it.effect("The copy keeps every frame of an animation", () =>
    Effect.gen(function* () {
      for (const isDefaultHidden of [false, true]) {
        const bytes = apngOf({ frames: 4, isDefaultHidden, before: pngMetadata(6) })
        const { copy } = yield* copied(bytes, "png")
        const plain = apngOf({ frames: 4, isDefaultHidden })
        // The copy has only one chunk more than the plain image: its orientation.
        assert.strictEqual(copy.length, plain.length + 38)
        assert.isAbove(placeOf(copy, "eXIf"), 0)
        assert.strictEqual([...(yield* Effect.fromResult(pngChunks(copy)))].length, isDefaultHidden ? 13 : 12)
      }
    })
  )
})

describe("the public copy of a GIF", () => {
  it.effect("The copy of a GIF keeps only every frame and the number of repetitions", () =>
    Effect.gen(function* () {
      for (const frames of [1, 5]) {
        const bytes = gifOf({ frames, before: gifMetadata() })
        assert.isNotEmpty(plantedIn(bytes))
        const { copy } = yield* copied(bytes, "gif")
        // The control block of the removed text is gone, too.
        assert.deepStrictEqual(copy, gifOf({ frames }))
      }
    })
  )
})

describe("the public copy of a WebP", () => {
  it.effect("The copy of a WebP keeps only pixels, orientation and colour profile", () =>
    Effect.gen(function* () {
      const icc = yield* profile
      const picture = yield* Effect.promise(() => webpOf({ isLossless: true }))
      const chunks = { width: 16, height: 8, chunks: webpPicture(picture) }
      for (const orientation of orientations) {
        const bytes = bytesOf(webpWithMetadata(chunks, orientation, icc), [0, 0])
        assert.isNotEmpty(plantedIn(bytes))
        const { copy, kept } = yield* copied(bytes, "webp")
        assert.strictEqual(kept.orientation, orientation === 1 ? undefined : orientation)
        assert.deepStrictEqual(new Uint8Array(kept.icc ?? []), icc)
        // The header announces the profile, the EXIF if there is one, and no XMP.
        assert.strictEqual(copy[20], orientation === 1 ? 0x20 : 0x28)
      }
      const plain = yield* copied(webpWithMetadata(chunks, 1), "webp")
      assert.strictEqual(plain.copy[20], 0)
      const simple = webpOfChunks(chunks.chunks, webpChunk("EXIF", plantedExif(6)))
      assert.deepStrictEqual((yield* copied(simple, "webp")).copy, picture)
    })
  )

  it.effect("The copy keeps transparency and every frame, without what hides in them", () =>
    Effect.gen(function* () {
      yield* copied(yield* Effect.promise(() => webpOf({ hasAlpha: true })), "webp")
      const extra = webpChunk("PRIV", planted.unknown)
      for (const hasAlpha of [false, true]) {
        const bytes = yield* Effect.promise(() => animatedWebpOf(4, { extra, hasAlpha }))
        const { copy } = yield* copied(bytes, "webp")
        const plain = yield* Effect.promise(() => animatedWebpOf(4, { hasAlpha }))
        assert.deepStrictEqual(copy, plain)
      }
      const stub = webpPicture(yield* Effect.promise(() => webpOf({ isLossless: true })))
      const hiding = webpFrame(16, 8, bytesOf(stub, webpChunk("ALPH", planted.unknown)))
      const animation = webpChunk("ANIM", [0, 0, 0, 0, 0, 0], planted.unknown)
      const bytes = webpOfChunks(webpHeader(2, 16, 8), animation, hiding)
      // libwebp refuses transparency behind the picture, which leaves no pixels to compare.
      const copy = publicCopyOf(bytes, containerOf(bytes, "webp"))
      assert.deepStrictEqual(copy, webpOfChunks(webpHeader(2, 16, 8), webpAnimation, webpFrame(16, 8, stub)))
    })
  )

  it.effect("The copy has nothing that its header does not announce, and no misplaced transparency", () =>
    Effect.gen(function* () {
      const icc = yield* profile
      const picture = webpPicture(yield* Effect.promise(() => webpOf()))
      const plain = webpOfChunks(webpHeader(0, 16, 8), picture)
      for (const extra of [
        [webpChunk("ICCP", icc), picture],
        [picture, webpChunk("EXIF", plantedExif(6))],
        [picture, webpChunk("ALPH", planted.unknown)]
      ]) {
        const bytes = webpOfChunks(webpHeader(0, 16, 8), ...extra)
        assert.deepStrictEqual(publicCopyOf(bytes, containerOf(bytes, "webp")), plain)
      }
    })
  )
})
