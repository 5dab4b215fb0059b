import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp, { type Sharp } from "sharp"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { publicCopyOf } from "../../../src/publishing/image-formats/publicCopy.ts"
import { containerOf } from "./results.ts"
import { noise } from "./shared/makeBytes.ts"
import { planted, plantedIn, plantedXmp } from "./shared/makeMetadata.ts"

/** Three pictures of 24 × 16, one above the other, as libvips takes animations. */
const pages = () =>
  sharp(noise(5, 24 * 48 * 4), { raw: { width: 24, height: 48, channels: 4, pageHeight: 16 } })

const still = () => sharp(noise(5, 24 * 16 * 3), { raw: { width: 24, height: 16, channels: 3 } })

const tagged = (image: Sharp) =>
  image
    .withIccProfile("p3")
    .withExif({ IFD0: { Artist: planted.camera }, IFD3: { GPSAreaInformation: planted.gps } })
    .withXmp(plantedXmp)
    .withMetadata({ orientation: 8, density: 300 })

/** Images of each encoder of libvips, with the metadata that it writes. */
const written: ReadonlyArray<
  readonly [name: string, format: ImageFormat, frames: number, make: () => Sharp, isTurned?: true]
> = [
  ["PNG", "png", 1, () => tagged(still()).png(), true],
  ["interlaced PNG", "png", 1, () => tagged(still()).png({ progressive: true }), true],
  ["JPEG", "jpeg", 1, () => tagged(still()).jpeg(), true],
  ["optimised JPEG", "jpeg", 1, () => tagged(still()).jpeg({ mozjpeg: true }), true],
  ["WebP", "webp", 1, () => tagged(still()).webp()],
  ["animated WebP", "webp", 3, () => tagged(pages()).webp({ loop: 2, delay: [50, 60, 70] })],
  ["GIF", "gif", 1, () => still().gif()],
  ["animated GIF", "gif", 3, () => pages().gif({ loop: 2, delay: [50, 60, 70] })]
]

const decoded = (bytes: Uint8Array) =>
  Effect.promise(async () => {
    const image = sharp(bytes, { animated: true, failOn: "warning" })
    const { delay, hasAlpha, icc, loop, orientation, pages } = await image.metadata()
    return {
      said: { delay, hasAlpha, icc, loop, orientation, pages },
      // libvips cannot turn an animation.
      pixels: await (pages === undefined ? image.autoOrient() : image).raw().toBuffer()
    }
  })

describe("an image written by libvips", () => {
  it.effect("An image is read, and its public copy looks the same, with orientation and colour profile", () =>
    Effect.gen(function* () {
      for (const [name, format, frames, make, isTurned] of written) {
        const bytes = new Uint8Array(yield* Effect.promise(() => make().toBuffer()))
        const container = containerOf(bytes, format)
        const sides = isTurned === true ? { width: 16, height: 24 } : { width: 24, height: 16 }
        assert.deepStrictEqual(container, { format, ...sides, frames }, name)
        const copy = publicCopyOf(bytes, container)
        const [before, after] = [yield* decoded(bytes), yield* decoded(copy)]
        assert.deepStrictEqual(after.said, before.said, name)
        assert.isTrue(after.pixels.equals(before.pixels), name)
        assert.strictEqual(plantedIn(bytes).length > 0, format !== "gif", name)
        assert.deepStrictEqual(plantedIn(copy), [], name)
        if (format === "gif") continue
        assert.isDefined(after.said.icc, name)
        assert.strictEqual(after.said.orientation, 8, name)
      }
    })
  )
})
