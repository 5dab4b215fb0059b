import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect, Layer } from "effect"
import { AnswerBytes } from "../../src/platform/ports/AnswerBytes.ts"

const compressors = {
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes),
  // The default quality of 11 takes a hundred times longer for a few percent.
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
}

/** Digests by `node:crypto`; compresses in the threads of `node:zlib`. */
export const layer = Layer.succeed(AnswerBytes, {
  digest: (bytes) => hash("sha256", bytes, "base64url").slice(0, 22),
  compress: (bytes, coding) => Effect.promise(() => compressors[coding](bytes))
})
