import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"

/** Bytes that are digested without a pause, in about a millisecond. Each pause may take as long as other work has. */
const PART_BYTES = 2 * 1024 * 1024

/** Digests of Node. Between parts of a long file other requests have their turn. A thread would need a copy of the file. */
const digest = Effect.fnUntraced(function* ({ name }: Digest.Algorithm, data: Uint8Array) {
  const hash = createHash(name.replace("-", ""))
  for (let at = 0; at < data.length; at += PART_BYTES) {
    if (at > 0) yield* Effect.yieldNow
    hash.update(data.subarray(at, at + PART_BYTES))
  }
  return hash
})

/** Digests of Node, in the turns of other work. */
export const layer = Layer.succeed(
  Digest.Digest,
  Digest.Digest.of({
    digest: (algorithm, data) => Effect.map(digest(algorithm, data), (hash) => new Uint8Array(hash.digest())),
    digestHex: (algorithm, data) => Effect.map(digest(algorithm, data), (hash) => hash.digest("hex"))
  })
)
