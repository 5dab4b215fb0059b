import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import sharp from "sharp"
import { makeApngCanvas } from "../../../../src/publishing/image-formats/png/apngCanvas.ts"
import { type Apng, readApng } from "../../../../src/publishing/image-formats/png/readApng.ts"
import { apngOf, type Drawn, image, plain, scene, type Raw } from "./decodeSamples.ts"

const made = (...args: Parameters<typeof apngOf>) => Effect.promise(() => apngOf(...args))

const read = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const apng = readApng(bytes)
  if (typeof apng === "string") return yield* Effect.die(new Error(apng))
  return apng
})

const decoded = (png: Uint8Array) => Effect.promise(() => sharp(png).ensureAlpha().raw().toBuffer())

/** Returns the canvas after each frame. */
const shown = Effect.fnUntraced(function* ({ frames, height, width }: Apng) {
  const canvas = makeApngCanvas(width, height)
  const pictures: Array<Array<number>> = []
  for (const frame of frames) pictures.push([...canvas.show(frame, yield* decoded(frame.png()))])
  return pictures
})

const shownOf = (frames: ReadonlyArray<Drawn>) =>
  made(frames).pipe(Effect.flatMap(read), Effect.flatMap(shown))

const RED = [255, 0, 0, 255] as const
const BLUE = [0, 0, 255, 255] as const
const NOTHING = [0, 0, 0, 0] as const

const red = plain(2, 1, ...RED)
const blue = plain(1, 1, ...BLUE)

describe("an animated PNG", () => {
  it.effect("An animated PNG is taken apart into still PNGs of its frames", () =>
    Effect.gen(function* () {
      const pictures = [scene(40, 30, 1), scene(40, 30, 2), scene(11, 7, 3)]
      const [one, two, part] = pictures as [Raw, Raw, Raw]
      const apng = yield* read(
        yield* made([{ picture: one }, { picture: two }, { picture: part, x: 29, y: 23 }])
      )
      assert.deepInclude(apng, { width: 40, height: 30, isDefaultFirst: true })
      assert.deepStrictEqual(
        apng.frames.map(({ blend, dispose, height, width, x, y }) => [x, y, width, height, dispose, blend]),
        [
          [0, 0, 40, 30, "none", "source"],
          [0, 0, 40, 30, "none", "source"],
          [29, 23, 11, 7, "none", "source"]
        ]
      )
      for (const [place, frame] of apng.frames.entries()) {
        assert.deepStrictEqual([...(yield* decoded(frame.png()))], [...(pictures[place]?.pixels ?? [])])
      }
    })
  )

  it.effect("A default picture may be outside of the animation", () =>
    Effect.gen(function* () {
      const apng = yield* read(yield* made([{ picture: scene(8, 8, 1) }], scene(8, 8, 2)))
      assert.isFalse(apng.isDefaultFirst)
      const [frame] = apng.frames
      assert.deepStrictEqual([...(yield* decoded(frame!.png()))], [...scene(8, 8, 1).pixels])
    })
  )

  it.effect("Every frame shares the palette", () =>
    Effect.gen(function* () {
      // The one frame is the default picture, too, so its colours come from the palette.
      const bytes = yield* Effect.promise(() =>
        image(scene(16, 16, 1))
          .png({ palette: true })
          .toBuffer()
      )
      const control = Buffer.from([
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        16,
        0,
        0,
        0,
        16,
        ...Array.from({ length: 14 }, () => 0)
      ])
      const at = bytes.indexOf("IDAT") - 4
      const animated = Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from([0, 0, 0, 8]),
        Buffer.from("acTL\0\0\0\u0001\0\0\0\0....", "latin1"),
        Buffer.from([0, 0, 0, 26]),
        Buffer.from("fcTL", "latin1"),
        control,
        Buffer.from("...."),
        bytes.subarray(at)
      ])
      const [frame] = (yield* read(animated)).frames
      assert.deepStrictEqual(yield* decoded(frame!.png()), yield* decoded(bytes))
    })
  )

  it.effect("A frame is drawn over what was there, and stays", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shownOf([{ picture: red }, { picture: blue, x: 1 }, { picture: blue }]), [
        [...RED, ...RED],
        [...RED, ...BLUE],
        [...BLUE, ...BLUE]
      ])
    })
  )

  it.effect("A frame that is disposed of to the background leaves a clear region", () =>
    Effect.gen(function* () {
      const frames = [{ picture: red }, { picture: blue, dispose: 1 }, { picture: blue, x: 1 }]
      assert.deepStrictEqual(yield* shownOf(frames), [
        [...RED, ...RED],
        [...BLUE, ...RED],
        [...NOTHING, ...BLUE]
      ])
    })
  )

  it.effect("A frame that is disposed of to the previous restores what was below", () =>
    Effect.gen(function* () {
      const frames = [{ picture: red }, { picture: blue, dispose: 2 }, { picture: blue, x: 1 }]
      assert.deepStrictEqual((yield* shownOf(frames))[2], [...RED, ...BLUE])
    })
  )

  it.effect("The canvas is empty before the first frame", () =>
    Effect.gen(function* () {
      const frames = [{ picture: red, dispose: 2 }, { picture: blue }]
      assert.deepStrictEqual((yield* shownOf(frames))[1], [...BLUE, ...NOTHING])
    })
  )

  it.effect("A frame replaces what is below or blends with it, as it says", () =>
    Effect.gen(function* () {
      const half = plain(1, 1, 0, 0, 255, 128)
      const none = plain(1, 1, 9, 9, 9, 0)
      const frames = [
        { picture: red },
        { picture: half },
        { picture: half, x: 1, blend: 1 },
        { picture: none, x: 1, blend: 1 }
      ]
      const [, replaced, over, untouched] = yield* shownOf(frames)
      assert.deepStrictEqual(replaced, [0, 0, 255, 128, ...RED])
      assert.deepStrictEqual(over, [0, 0, 255, 128, 127, 0, 128, 255])
      assert.deepStrictEqual(untouched, over)
    })
  )

  it.effect("A pixel blends with nothing and with half seen pixels as PNG says", () =>
    Effect.gen(function* () {
      const frames = [
        { picture: plain(1, 1, 0, 0, 0, 0) },
        { picture: plain(1, 1, 200, 100, 0, 128), blend: 1 },
        { picture: plain(1, 1, 0, 100, 200, 128), blend: 1 }
      ]
      const [, once, twice] = yield* shownOf(frames)
      assert.deepStrictEqual(once, [200, 100, 0, 128])
      // 128 over 128 of 255 are 192; two thirds of the colour are of the upper one.
      assert.deepStrictEqual(twice, [66, 100, 134, 192])
    })
  )

  it.effect("A PNG without an animation chunk is still", () =>
    Effect.gen(function* () {
      assert.strictEqual(readApng(yield* Effect.promise(() => image(red).png().toBuffer())), "still")
    })
  )

  it.effect("An animation with wrong numbers or a frame outside of the canvas is malformed", () =>
    Effect.gen(function* () {
      const two = [{ picture: red }, { picture: blue }]
      assert.strictEqual(readApng(yield* made(two, undefined, 1)), "malformed")
      assert.strictEqual(readApng(yield* made([{ picture: red }, { picture: blue, x: 2 }])), "malformed")
      assert.strictEqual(readApng(yield* made([{ picture: red }, { picture: blue, blend: 2 }])), "malformed")
      assert.strictEqual(
        readApng(yield* made([{ picture: red }, { picture: blue, dispose: 3 }])),
        "malformed"
      )
      assert.strictEqual(
        readApng(yield* made([{ picture: blue, x: 1 }], red).pipe(Effect.map((it) => it.subarray(0, -1)))),
        "malformed"
      )
    })
  )

  it.effect("A changed or cut animation is read in linear time", () =>
    Effect.gen(function* () {
      const bytes = yield* made([
        { picture: red },
        { picture: blue, dispose: 2, blend: 1 },
        { picture: blue, x: 1 }
      ])
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.nat(bytes.length), (at, value, end) => {
          const changed = Uint8Array.from(bytes.subarray(0, end))
          if (at < end) changed[at] = value
          const apng = readApng(changed)
          if (typeof apng === "string") return
          for (const { height, png, width, x, y } of apng.frames) {
            assert.isTrue(x + width <= apng.width && y + height <= apng.height && width * height > 0)
            assert.isBelow(png().length, bytes.length)
          }
        }),
        { numRuns: 2000 }
      )
    })
  )
})
