import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  BLOCK_BYTES,
  BLOCKS_MAX,
  makeBlocks,
  makeBlockWriter,
  SMALL_BLOCK_BYTES
} from "../../../layers/storage/blockWriter.ts"

/** Writes pieces by a block of `length` bytes, and returns what was written each time. */
const writesOf = (pieces: ReadonlyArray<Uint8Array>, length: number) =>
  Effect.gen(function* () {
    const writes: Array<Buffer> = []
    const { add, flush } = makeBlockWriter(new Uint8Array(length), (bytes) =>
      Effect.sync(() => writes.push(Buffer.from(bytes)))
    )
    for (const piece of pieces) yield* add(piece)
    yield* flush
    return writes
  })

describe("a writer of blocks", () => {
  it.effect("writes nothing of nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* writesOf([], 8), [])
      assert.deepStrictEqual(yield* writesOf([new Uint8Array(0)], 8), [])
    })
  )

  it("writes all bytes in their order, in blocks of one size", async () => {
    for (const block of [BLOCK_BYTES, SMALL_BLOCK_BYTES]) {
      const sizes = [0, 1, 65_536, block - 1, block, block + 1, 3 * block]
      const property = fc.asyncProperty(
        fc.array(fc.constantFrom(...sizes), { maxLength: 6 }),
        async (lengths) => {
          const pieces = lengths.map((length, place) => new Uint8Array(length).fill(place + 1))
          const writes = await Effect.runPromise(writesOf(pieces, block))
          assert.isTrue(Buffer.concat(writes).equals(Buffer.concat(pieces)))
          assert.isTrue(writes.slice(0, -1).every(({ length }) => length === block))
        }
      )
      await fc.assert(property, { numRuns: 20 })
    }
  })

  it.effect("keeps no piece: its memory may be used again at once", () =>
    Effect.gen(function* () {
      const written: Array<number> = []
      const { add, flush } = makeBlockWriter(new Uint8Array(8), (bytes) =>
        Effect.sync(() => written.push(...bytes))
      )
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

describe("blocks", () => {
  it.effect("are used by one file after the other, and by one at a time", () =>
    Effect.gen(function* () {
      const block = yield* makeBlocks
      const first = yield* Effect.scoped(block)
      assert.strictEqual(first.length, BLOCK_BYTES)
      const [same, other] = yield* Effect.scoped(Effect.all([block, block]))
      assert.strictEqual(same, first)
      assert.notStrictEqual(other, first)
    })
  )

  it.effect("are small beyond a number of files, which is that of the kept ones", () =>
    Effect.gen(function* () {
      const block = yield* makeBlocks
      for (let round = 0; round < 2; round++) {
        const sizes = yield* Effect.scoped(
          Effect.gen(function* () {
            const all = yield* Effect.replicateEffect(block, BLOCKS_MAX + 2)
            return all.map(({ length }) => length)
          })
        )
        assert.strictEqual(sizes.filter((length) => length === BLOCK_BYTES).length, BLOCKS_MAX)
        assert.strictEqual(sizes.filter((length) => length === SMALL_BLOCK_BYTES).length, 2)
      }
    })
  )
})
