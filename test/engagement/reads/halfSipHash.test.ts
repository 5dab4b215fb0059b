import { assert, describe, it } from "@effect/vitest"
import { halfSipHash, hashKeyOf } from "../../../src/engagement/reads/halfSipHash.ts"

/** Hashes of 0, 1, 2 … bytes that count from 0, under a key that does, as its authors publish them. */
const VECTORS = [
  "218d1f59b9b83cc8",
  "be552412f8387315",
  "064f39ef7c50eb57",
  "ce0f1a45f7060679",
  "d5e78a175be52ea1",
  "cb9d7c3f2f3db580",
  "ce3e91358aa2bc25",
  "ff202728b07bc684",
  "edfee820bce4858c",
  "5b51cccc13888307",
  "95b0469f06a6f2ee",
  "ae26333994ddcd48",
  "7bc71f9faef5c799",
  "5a2352d75a0c3744",
  "3bb1a870eae8e658"
]

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("HalfSipHash", () => {
  it("The hashes are those that its authors publish", () => {
    const key = hashKeyOf(Uint8Array.from(numbers(8)))
    const hashes = VECTORS.map((_, length) => {
      const words = new DataView(new ArrayBuffer(8))
      halfSipHash(key, String.fromCharCode(...numbers(length))).forEach((word, n) =>
        words.setUint32(4 * n, word, true)
      )
      return Buffer.from(words.buffer).toString("hex")
    })
    assert.deepStrictEqual(hashes, VECTORS)
  })

  it("A key is read where its bytes are", () => {
    const bytes = Uint8Array.from([9, 9, ...numbers(8)]).subarray(2)
    assert.deepStrictEqual(hashKeyOf(bytes), [0x03020100, 0x07060504])
  })
})
