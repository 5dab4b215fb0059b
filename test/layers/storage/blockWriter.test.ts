import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { BLOCK_BYTES, makeBlockWriter } from "../../../layers/storage/blockWriter.ts"

/** Writes pieces, and returns the blocks. */
const blocksOf = (pieces: ReadonlyArray<Uint8Array>) =>
  Effect.gen(function* () {
    const blocks: Array<Buffer> = []
    const { add, flush } = yield* makeBlockWriter((block) =>
      Effect.sync(() => blocks.push(Buffer.from(block)))
    )
    for (const piece of pieces) yield* add(piece)
    yield* flush
    return blocks
  }).pipe(Effect.scoped)

describe("a writer of blocks", () => {
  it.effect("writes nothing of nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* blocksOf([]), [])
      assert.deepStrictEqual(yield* blocksOf([new Uint8Array(0)]), [])
    })
  )

  it("writes all bytes in their order, in blocks of one size", () => {
    const sizes = [0, 1, 65_536, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 3 * BLOCK_BYTES]
    const property = fc.asyncProperty(
      fc.array(fc.constantFrom(...sizes), { maxLength: 6 }),
      async (lengths) => {
        const pieces = lengths.map((length, place) => new Uint8Array(length).fill(place + 1))
        const blocks = await Effect.runPromise(blocksOf(pieces))
        assert.isTrue(Buffer.concat(blocks).equals(Buffer.concat(pieces)))
        assert.isTrue(blocks.slice(0, -1).every(({ length }) => length === BLOCK_BYTES))
      }
    )
    return fc.assert(property, { numRuns: 30 })
  })

  it.effect("keeps no piece: its memory may be used again at once", () =>
    Effect.gen(function* () {
      const written: Array<number> = []
      const { add, flush } = yield* makeBlockWriter((block) => Effect.sync(() => written.push(...block)))
      const memory = new Uint8Array(1)
      for (const value of [1, 2, 3]) {
        memory[0] = value
        yield* add(memory)
      }
      yield* flush
      assert.deepStrictEqual(written, [1, 2, 3])
    })
  )
})
