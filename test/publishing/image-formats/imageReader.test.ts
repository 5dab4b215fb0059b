import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as OffloadThreads from "../../../layers/threads/OffloadThreads.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { makeImageReader } from "../../../src/publishing/image-formats/imageReader.ts"
import { publicCopyOf } from "../../../src/publishing/image-formats/publicCopy.ts"
import { joined } from "../../../src/publishing/image-formats/shared/bytes.ts"
import { recordedTasks } from "../../support/recordedTasks.ts"
import { pngChunk, pngMetadata, pngOf } from "./png/makePng.ts"
import { containerOf } from "./results.ts"
import { bytesOf } from "./shared/makeBytes.ts"

const owner = OwnerId.make("01890000-0000-7000-8000-000000000001")
const padded = (bytes: number) =>
  pngOf({ before: [pngChunk("prVt", new Uint8Array(bytes)), ...pngMetadata(1)] })
const small = padded(1000)
const large = padded(100_000)
const mediaType = "image/png"
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const read = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const parts = [bytes.slice(0, 7), bytes.slice(7)]
  return yield* Effect.result((yield* makeImageReader)(owner, { parts, mediaType }))
})

describe("reading an image", () => {
  it.effect("A small image is read directly, and a larger one in the threads of its owner", () => {
    const keys: Array<string> = []
    return Effect.gen(function* () {
      for (const bytes of [small, large]) {
        const image = Result.getOrThrow(yield* read(bytes))
        assert.deepStrictEqual(image.container, containerOf(bytes, "png"))
        const copy = publicCopyOf(bytes, image.container)
        assert.deepStrictEqual(image.bytes, bytes)
        assert.strictEqual(image.sha256, sha256Of(bytes))
        assert.deepStrictEqual(image.copy === undefined ? bytes : joined(image.copy), copy)
        // The public copy is its own public copy.
        assert.isUndefined(Result.getOrThrow(yield* read(copy)).copy)
      }
      assert.deepStrictEqual(keys, [owner])
      const refused = yield* read(large.subarray(0, -1))
      assert.isTrue(Result.isFailure(refused) && refused.failure.code === "malformed")
    }).pipe(Effect.provide(recordedTasks(keys)))
  })

  it.effect("An image that takes too long is refused", () =>
    Effect.gen(function* () {
      const refused = yield* read(large)
      assert.isTrue(Result.isFailure(refused) && refused.failure.code === "out_of_range")
    }).pipe(Effect.provide(recordedTasks([], true)))
  )

  it.live("A thread gives the same answers", () =>
    Effect.gen(function* () {
      const image = Result.getOrThrow(yield* read(large))
      assert.deepStrictEqual(image.container, containerOf(large, "png"))
      if (image.copy === undefined) return assert.fail("nothing was stripped")
      assert.deepStrictEqual(image.bytes, Uint8Array.from(large))
      assert.strictEqual(image.sha256, sha256Of(large))
      assert.deepStrictEqual(joined(image.copy), publicCopyOf(large, image.container))
      assert.isUndefined(Result.getOrThrow(yield* read(joined(image.copy))).copy)
      const parts = bytesOf(
        large.subarray(0, 33),
        Buffer.concat(Array.from({ length: 65_536 }, () => pngChunk("teXt")))
      )
      const refused = yield* read(bytesOf(parts, large.subarray(33)))
      if (Result.isSuccess(refused)) return assert.fail("the image has too many chunks")
      assert.include(refused.failure.message, "more than 65,536 chunks")
    }).pipe(Effect.provide(OffloadThreads.layer()), Effect.scoped)
  )
})
