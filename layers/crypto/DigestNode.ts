import { layerDigest } from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

/** Bytes that are digested at once: less time than the way to a thread and back takes. */
const SHORT_BYTES = 64 * 1024

/** Digests of Node: of short data at once, of images in a thread, so that other requests do not wait. */
export const layer = Layer.effect(
  Digest.Digest,
  Effect.gen(function* () {
    const atOnce = yield* Effect.provide(Digest.Digest, layerDigest)
    const inThread = yield* Effect.provide(Digest.Digest, Digest.layerWebCrypto)
    const of = (data: Uint8Array) => (data.length <= SHORT_BYTES ? atOnce : inThread)
    return Digest.Digest.of({
      digest: (algorithm, data) => of(data).digest(algorithm, data),
      digestHex: (algorithm, data) => of(data).digestHex(algorithm, data)
    })
  })
)
