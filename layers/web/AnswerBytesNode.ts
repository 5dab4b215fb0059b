import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect, Layer } from "effect"
import { AnswerBytes } from "../../src/platform/ports/AnswerBytes.ts"

const { BROTLI_DEFAULT_WINDOW, BROTLI_MIN_WINDOW_BITS } = constants

/**
 * Returns the bits of the smallest window that holds a body. The encoder gets new memory for each body and its window, and
 * the system takes longer to give megabytes than the encoder to compress a page.
 */
const windowBitsOf = (length: number) =>
  Math.min(BROTLI_DEFAULT_WINDOW, Math.max(BROTLI_MIN_WINDOW_BITS, Math.ceil(Math.log2(length + 1))))

const compressors = {
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, {
      params: {
        // The default quality of 11 takes a hundred times longer for a few percent.
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        [constants.BROTLI_PARAM_LGWIN]: windowBitsOf(bytes.length)
      }
    })
}

/** Digests by `node:crypto`; compresses in the threads of `node:zlib`. */
export const layer = Layer.succeed(AnswerBytes, {
  digest: (bytes) => hash("sha256", bytes, "base64url").slice(0, 22),
  compress: (bytes, coding) => Effect.promise(() => compressors[coding](bytes))
})
