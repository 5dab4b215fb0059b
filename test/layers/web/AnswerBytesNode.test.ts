import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AnswerBytesNode from "../../../layers/web/AnswerBytesNode.ts"
import { AnswerBytes } from "../../../src/platform/ports/AnswerBytes.ts"

const encoder = new TextEncoder()

/** Text of this many bytes that repeats itself at every distance. */
const textOf = (bytes: number) =>
  encoder.encode(
    Array.from({ length: Math.ceil(bytes / 4) }, (_, n) => `w${(n * n) % 997} `)
      .join("")
      .slice(0, bytes)
  )

const SIZES = [0, 1, 1_022, 1_023, 1_024, 65_535, 65_536, 3_000_000]

describe("compression of answers", () => {
  it.effect("Compression gives back every body", () =>
    Effect.gen(function* () {
      const { compress } = yield* AnswerBytes
      for (const size of SIZES) {
        const body = textOf(size)
        assert.isTrue(brotliDecompressSync(yield* compress(body, "br")).equals(body), `br ${size}`)
        assert.isTrue(gunzipSync(yield* compress(body, "gzip")).equals(body), `gzip ${size}`)
      }
    }).pipe(Effect.provide(AnswerBytesNode.layer))
  )

  it.effect("Compression makes a body as small as with the largest window", () =>
    Effect.gen(function* () {
      const { compress } = yield* AnswerBytes
      for (const size of SIZES) {
        const body = textOf(size)
        const { length } = yield* compress(body, "br")
        const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }
        assert.isAtMost(length, brotliCompressSync(body, { params }).length + 16, String(size))
      }
    }).pipe(Effect.provide(AnswerBytesNode.layer))
  )
})
